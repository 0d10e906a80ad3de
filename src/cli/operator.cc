// SPDX-License-Identifier: Apache-2.0

#include <malloc.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/image_options.h"
#include "cli/risk/risk_options.h"
#include "command_line/terminal.h"
#include "conversion/migration/conversion_controller.h"
#include "k8s/names.h"
#include "openshift/cluster_operator.h"
#include "operators/cluster_status.h"
#include "operators/cluster_version_controller.h"
#include "operators/definitions.h"
#include "operators/own_architecture.h"
#include "operators/release_keys.h"
#include "operators/shifted_clock.h"
#include "operators/update_machine.h"
#include "operators/upstream_credentials.h"
#include "payload/image_mirror.h"
#include "program/run.h"
#include "risk/evaluator.h"

namespace fairway::cli {
namespace {

constexpr const char* name = "fairway-operator";

struct OperatorOptions {
  std::string upstream, architecture = operators::own_architecture(), poll_interval = "2m", release;
  /// Access to the registries. Its CA files also count for the update service.
  release::Access access;
  std::vector<std::string> limits, gates;
  PrometheusFlags prometheus;
  LocalFlags local;
  PollingFlags polling;
  bool dry_run = false;
  /// Options of updates.
  std::string data, migration_settle = "60s";
  std::vector<std::string> mirrors;
  std::string apply_as;
  bool allow_unsigned = false;
  bool console = false, no_console = false;
};

/// Parts of the operator: made once, before anything is written.
struct Parts {
  std::unique_ptr<operators::ShiftedClock> shifted;
  risk::Registry registry;
  std::unique_ptr<risk::Evaluator> evaluator;
  std::optional<operators::ControllerSettings> settings;
  conversion::MigrationPace pace;
  std::shared_ptr<kube::Client> applier;  ///< client that writes releases; nullptr: the operator's own
  std::unique_ptr<operators::UpdateMachine> machine;
  std::unique_ptr<operators::ClusterVersionController> controller;
  std::unique_ptr<operators::ClusterStatus> status;
  Clock& clock() { return shifted ? static_cast<Clock&>(*shifted) : Clock::system(); }
};

/// Parses "VERSION=IMAGE".
Result<std::optional<operators::ListedRelease>> read_release(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at + 1 == text.size()) {
    return fail(ErrorCode::invalid, "--release " + printable(text, 100) +
                                        " does not name what runs here: it has to be VERSION=IMAGE");
  }
  operators::ListedRelease release;
  release.version = text.substr(0, at);
  release.image = text.substr(at + 1);
  return release;
}

/// The feature gates of OpenShift that the operator has.
struct FeatureGates {
  bool accept_risks = false;  ///< ClusterUpdateAcceptRisks
};

/// Parses the feature gates. Errors: one that is not known.
Result<FeatureGates> read_feature_gates(const std::vector<std::string>& texts) {
  FeatureGates gates;
  for (const std::string& text : texts) {
    for (const std::string_view one : split(text, ',')) {
      const std::size_t at = one.find('=');
      const std::string_view gate = one.substr(0, at),
                             value = at == std::string_view::npos ? "" : one.substr(at + 1);
      if (gate != "ClusterUpdateAcceptRisks" || (value != "true" && value != "false")) {
        return fail(ErrorCode::invalid, "--feature-gates " + printable(one, 100) +
                                            " is not known: there is ClusterUpdateAcceptRisks=true|false");
      }
      gates.accept_risks = value == "true";
    }
  }
  return gates;
}

Result<operators::ControllerSettings> settings_of(const OperatorOptions& options) {
  operators::ControllerSettings settings;
  operators::UpdateSettings& updates = settings.updates;
  const auto interval = parse_duration(options.poll_interval);
  if (!interval) return fail(interval.error().within("reading --poll-interval"));
  if (*interval < std::chrono::seconds(1) || *interval > std::chrono::hours(24 * 365))
    return fail(ErrorCode::invalid,
                "--poll-interval " + printable(options.poll_interval, 40) + " is not from 1s to a year");
  updates.poll_interval = *interval;
  updates.query = {.upstream = options.upstream, .architecture = options.architecture};
  auto polling = read_polling_rules(options.polling);
  if (!polling) return fail(polling.error());
  updates.polling = *polling;
  updates.upstream.ca_files = options.access.ca_files;
  updates.upstream.user_agent = std::string(name) + "/" + FAIRWAY_VERSION;
  const auto gates = read_feature_gates(options.gates);
  if (!gates) return fail(gates.error());
  updates.accept_risks = gates->accept_risks;
  json::Array monitoring{options.prometheus.evaluator, options.prometheus.url};
  for (const auto* list : {&options.local.targets, &options.local.files})
    monitoring.emplace_back(json::Array(list->begin(), list->end()));
  updates.monitoring = json::to_text(monitoring);
  if (!options.data.empty()) updates.data = std::filesystem::path(options.data) / "updates";
  auto release = read_release(options.release);
  if (!release) return fail(release.error());
  settings.release = *std::move(release);
  return settings;
}

Result<operators::MachineSettings> machine_settings(const OperatorOptions& options,
                                                    const operators::UpdateSettings& updates,
                                                    const std::string& namespace_name) {
  operators::MachineSettings settings;
  payload::ReleaseReaderOptions& releases = settings.releases;
  releases.registry = release::registry_options(options.access);
  for (const std::string& text : options.mirrors) {
    auto mirror = payload::ImageMirror::parse(text);
    if (!mirror) return fail(mirror.error().within("reading --image-mirror"));
    releases.mirrors.push_back(*std::move(mirror));
  }
  if (options.allow_unsigned && !options.access.public_keys_directory.empty()) {
    return fail(
        ErrorCode::invalid,
        "--allow-unsigned-releases and --public-keys contradict each other: with keys, releases have to "
        "be signed; leave one of the two out");
  }
  settings.release_keys = k8s::Key{namespace_name, operators::release_keys_map};
  releases.without_keys =
      options.allow_unsigned ? payload::WithoutKeys::accept : payload::WithoutKeys::refuse;
  releases.how_to_give_keys = operators::how_to_give_keys(*settings.release_keys);
  releases.public_keys_directory = options.access.public_keys_directory;
  releases.signature_store = options.access.signature_store;
  if (!options.data.empty()) releases.cache = std::filesystem::path(options.data) / "releases";
  settings.accept_risks = updates.accept_risks;
  settings.own_deployment = k8s::Key{namespace_name, name};
  return settings;
}

/// Returns the configuration of a client that impersonates a ServiceAccount, NAME or NAMESPACE/NAME; for an
/// empty text the operator's own. The server adds the groups of ServiceAccounts.
Result<kube::ClientConfig> config_as(const std::string& text, const kube::Client& own) {
  kube::ClientConfig config = own.config();
  if (text.empty()) return config;
  const std::size_t slash = text.find('/');
  const std::string namespace_name =
      slash == std::string::npos ? config.namespace_name : text.substr(0, slash);
  const std::string account = slash == std::string::npos ? text : text.substr(slash + 1);
  if (!k8s::check_dns_label(namespace_name).empty() || !k8s::check_dns_subdomain(account).empty()) {
    return fail(ErrorCode::invalid, "--apply-as " + printable(text, 100) +
                                        " has to be a ServiceAccount: NAME in the operator's namespace, or "
                                        "NAMESPACE/NAME");
  }
  config.impersonate = {.user = "system:serviceaccount:" + namespace_name + ":" + account};
  return config;
}

/// Reads --console and --no-console.
Result<operators::ConsoleSetting> read_console(const OperatorOptions& options) {
  using enum operators::ConsoleSetting;
  if (options.console && options.no_console)
    return fail(ErrorCode::invalid, "--console and --no-console exclude each other: leave one out");
  if (options.console && !console::is_built_in()) {
    return fail(ErrorCode::unsupported,
                "--console: this fairway was built without the console, because Node.js or npm was missing; "
                "docs/console.md says how to build it");
  }
  return options.console ? on : options.no_console ? off : automatic;
}

Result<void> make_parts(const OperatorOptions& options, const std::shared_ptr<kube::Client>& client,
                        Parts& parts) {
  const auto console = read_console(options);
  if (!console) return fail(console.error());
  auto settings = settings_of(options);
  if (!settings) return fail(settings.error());
  parts.settings = *std::move(settings);
  parts.settings->updates.authorization =
      operators::authorization_from(client, {client->config().namespace_name, operators::upstream_secret});
  if (const char* file = std::getenv("FAIRWAY_TEST_CLOCK"); file != nullptr)
    parts.shifted = std::make_unique<operators::ShiftedClock>(file);
  auto limits = read_limits(options.limits);
  if (!limits) return fail(limits.error());
  const auto seen = std::make_shared<promql::SeriesSeen>();
  limits->seen = seen;
  PrometheusFlags prometheus = options.prometheus;
  if (prometheus.url.empty()) prometheus.url = risk::default_prometheus_url;
  auto evaluator = make_evaluator(prometheus, options.local, promql::Dialect::prometheus3, seen);
  if (!evaluator) return fail(evaluator.error());
  parts.evaluator = *std::move(evaluator);
  parts.registry = risk::standard_registry(*limits);
  const auto settle = parse_duration(options.migration_settle);
  if (!settle || *settle < settle->zero() || *settle > std::chrono::hours(24)) {
    return fail(ErrorCode::invalid, "--migration-settle " + printable(options.migration_settle, 40) +
                                        " has to be a duration up to 24h, like 60s; 0s: none");
  }
  parts.pace.settle = *settle;
  auto config = config_as(options.apply_as, *client);
  if (!config) return fail(config.error());
  // The operator's own client has the machine's clock.
  if (!options.apply_as.empty() || parts.shifted) {
    auto applier = kube::Client::create(
        *std::move(config),
        {.user_agent = std::string(name) + "/" + FAIRWAY_VERSION, .clock = &parts.clock()});
    if (!applier) return fail(applier.error());
    parts.applier = *std::move(applier);
  }
  auto machine = machine_settings(options, parts.settings->updates, client->config().namespace_name);
  if (!machine) return fail(machine.error());
  auto made = operators::UpdateMachine::create(*std::move(machine), parts.clock());
  if (!made) return fail(made.error());
  parts.machine = *std::move(made);
  parts.controller = std::make_unique<operators::ClusterVersionController>(
      *parts.settings, parts.registry, *parts.evaluator, parts.clock(), parts.machine.get());
  parts.status = std::make_unique<operators::ClusterStatus>(
      operators::ClusterStatusSettings{
          .console = *console, .version = FAIRWAY_VERSION, .upstream = options.upstream, .limits = {}},
      parts.machine->board(), parts.clock());
  parts.controller->on_risks(
      [status = parts.status.get()](const operators::RiskStatus& risks) { status->set_risks(risks); });
  return {};
}

/// Prints the status that would be written, and writes nothing.
int dry_run(Parts& parts, kube::Client& client) {
  auto read = client.get(openshift::ClusterVersion::resource.group_version_resource(),
                         {"", std::string(openshift::ClusterVersion::object_name)});
  if (!read) return report(read.error());
  openshift::ClusterVersion cluster(read->release());
  std::vector<std::shared_ptr<const openshift::ClusterOperator>> components;
  const auto listed = client.list(openshift::ClusterOperator::resource.group_version_resource(), {});
  // A cluster without the kind has none.
  if (!listed && !listed.error().is_not_found()) return report(listed.error());
  if (listed) {
    for (const k8s::Dynamic& one : listed->items)
      components.push_back(std::make_shared<const openshift::ClusterOperator>(one.json()));
  }
  operators::Updates updates(parts.settings->updates, parts.registry, *parts.evaluator, parts.clock(),
                             system_random());
  const auto inputs = updates.run(cluster, operators::desired_release(cluster, parts.settings->release), {});
  if (!inputs) return report(inputs.error());
  operators::write_status(cluster, *inputs, components);
  print(json::to_pretty_text(*cluster.find("status")));
  return exit_ok;
}

void add_release_flags(CLI::App& command, OperatorOptions& options) {
  constexpr const char* group = "Releases";
  command
      .add_option(
          "--data", options.data,
          "Folder for what was pulled, and for what the update service said last; without it nothing is "
          "kept")
      ->type_name("DIR")
      ->group(group);
  add_image_options(
      command, options.access, group,
      "Folder of OpenPGP keys. A release that none of them has signed, nor one of the ConfigMap "
      "fairway-release-keys or of the release that runs, is applied by force only");
  add_image_mirror_option(command, options.mirrors, group);
  command
      .add_flag(
          "--allow-unsigned-releases", options.allow_unsigned,
          "Where there are no keys at all, apply releases that nobody has verified: not for clusters that "
          "matter. Whoever can answer for the update service or the registry then decides what runs")
      ->group(group);
  command
      .add_option("--apply-as", options.apply_as,
                  "The ServiceAccount that releases are applied as, by impersonation: NAME, or "
                  "NAMESPACE/NAME; without it, releases are applied with the operator's own rights")
      ->type_name("ACCOUNT")
      ->group(group);
  command
      .add_option(
          "--migration-settle", options.migration_settle,
          "How long a storage version must have been in use before objects are migrated to it: the API "
          "server's --request-timeout")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
}

void add_flags(CLI::App& command, OperatorOptions& options) {
  constexpr const char* group = "Updates";
  add_release_flags(command, options);
  command
      .add_option("--upstream", options.upstream,
                  "The update service, whatever spec.upstream says: https://HOST/api/upgrades_info/graph")
      ->type_name("URL")
      ->group(group);
  command
      .add_option("--poll-interval", options.poll_interval,
                  "Ask the update service again after at least this long, and at most twice as long")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--arch", options.architecture,
                  "The architecture of the cluster, unless its release is for several")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--release", options.release,
                  "What runs here, where ClusterVersion is absent (it is then created) or has no history")
      ->type_name("VERSION=IMAGE")
      ->group(group);
  command
      .add_option("--feature-gates", options.gates,
                  "ClusterUpdateAcceptRisks=true: spec.desiredUpdate.acceptRisks counts")
      ->type_name("NAME=true|false")
      ->allow_extra_args(false)
      ->group(group);
  command.add_flag("--dry-run", options.dry_run, "Print the status that would be written, and end")
      ->group(group);
  command
      .add_flag("--console", options.console,
                "Serve the page for people at /console of the status port, and the API that it asks; without "
                "this flag they are there where --status-listen is on loopback")
      ->group(group);
  command.add_flag("--no-console", options.no_console, "Do not serve /console and /status")->group(group);
  add_prometheus_flags(command, options.prometheus);
  add_evaluator_flags(command, options.prometheus, options.local);
  add_limit_flags(command, options.limits);
  add_polling_flags(command, options.polling, nullptr);
}

void add_controllers(kube::Manager& manager, Parts& parts) {
  std::shared_ptr<kube::Client> applier;
  if (parts.applier) {
    applier = parts.applier->with_hooks({.may_write = [&manager]() -> Result<void> {
      if (manager.leads()) return {};
      return fail(ErrorCode::cancelled, "nothing is written: this process does not lead");
    }});
    parts.machine->apply_with({applier, manager.mapper(), ""});
  }
  conversion::add_conversion_controller(manager, {.pace = parts.pace, .objects = std::move(applier)});
  parts.controller->add_to(manager);
  parts.status->add_to(manager);
  if (!parts.shifted) return;
  manager.add("test-clock", [&parts](const std::stop_token& stop) -> Result<void> {
    Clock& machine = Clock::system();
    std::chrono::seconds known = parts.shifted->shift();
    while (!stop.stop_requested()) {
      // Another thread may have read that it was moved.
      parts.shifted->read();
      if (const auto now = parts.shifted->shift(); now != known) {
        known = now;
        parts.controller->wake();
      }
      machine.wait_until(machine.steady() + std::chrono::milliseconds(20), stop);
    }
    return {};
  });
}

/// Configures malloc to return memory. ClusterVersion may be large, and is read, compared and written by
/// several threads in turn. With an arena for each thread, and freed memory kept in them, the process takes a
/// sixth more memory.
void give_memory_back() {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 64 << 10);
  mallopt(M_TRIM_THRESHOLD, 64 << 10);
}

}  // namespace

void add_operator(CLI::App& app, Context& context) {
  const auto options = std::make_shared<OperatorOptions>();
  const auto parts = std::make_shared<Parts>();
  program::Operator whole{.name = name,
                          .description = "Tell a cluster which updates it may take, and why; and apply them",
                          .release = FAIRWAY_VERSION};
  whole.definitions = operators::definitions();
  whole.flags = [options](CLI::App& command) { add_flags(command, *options); };
  whole.begin = [options, parts](const std::shared_ptr<kube::Client>& client) -> std::optional<int> {
    give_memory_back();
    if (auto made = make_parts(*options, client, *parts); !made) return report(made.error(), exit_usage);
    if (options->dry_run) return dry_run(*parts, *client);
    return std::nullopt;
  };
  whole.controllers = [parts](kube::Manager& manager) { add_controllers(manager, *parts); };
  program::add_to(app, context, whole, "operator");
}

}  // namespace fairway::cli
