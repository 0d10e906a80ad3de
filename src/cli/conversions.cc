// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/pace_options.h"
#include "command_line/kube_options.h"
#include "command_line/log_options.h"
#include "command_line/stop_signals.h"
#include "conversion/migration/conversion_controller.h"
#include "kube/controller/manager.h"

namespace fairway::cli {

namespace {

struct ConversionsOptions {
  kube::KubeconfigOverrides cluster;
  conversion::MigrationPace pace;
  int concurrent_migrations = 4;
  std::string lease, status_listen = "127.0.0.1:9081";
  LogFlags log;
};

/// Processes Conversions until SIGTERM or SIGINT.
int run(const ConversionsOptions& options) {
  if (const auto logs = configure_log(options.log); !logs) return report(logs.error(), exit_usage);
  if (auto pace = conversion::check(options.pace); !pace) return report(pace.error(), exit_usage);
  kube::ManagerOptions manager_options;
  manager_options.status_listen = options.status_listen;
  if (!options.lease.empty()) {
    auto lease = k8s::Key::parse(options.lease);
    if (!lease || lease->namespace_name.empty()) {
      return report({ErrorCode::invalid, "--lease " + printable(options.lease, 100) +
                                             " does not name a Lease: it has to be NAMESPACE/NAME"},
                    exit_usage);
    }
    manager_options.lease.namespace_name = std::move(lease->namespace_name);
    manager_options.lease.name = std::move(lease->name);
  }
  const StopSignals signals;
  auto client = make_kube_client(options.cluster);
  if (!client) return report(client.error(), exit_usage);
  // An informer would wait for it, with 404 as the only reason.
  const auto known = (*client)->list(conversion::Conversion::resource.group_version_resource(), {},
                                     {.limit = 1}, {.stop = signals.token()});
  if (!known && known.error().is_not_found()) {
    return report({ErrorCode::not_found,
                   "the cluster has no resource conversions.pkg.knative.dev: apply "
                   "deploy/migration/conversion-crd.yaml first"});
  }
  kube::Manager manager(*std::move(client), std::move(manager_options));
  conversion::add_conversion_controller(
      manager, {.pace = options.pace, .concurrent_migrations = options.concurrent_migrations});
  if (auto ended = manager.run(signals.token()); !ended) return report(ended.error());
  return exit_ok;
}

}  // namespace

void add_conversions(CLI::App& parent, Context& context) {
  auto options = std::make_shared<ConversionsOptions>();
  CLI::App* command = add_command(
      parent, context, "conversions", "Run the controller of Conversions (storage migrations)",
      "fairway conversions --lease fairway-system/conversions", [options] { return run(*options); });
  add_kube_flags(*command, options->cluster);
  add_pace_flags(*command, options->pace);
  command
      ->add_option(
          "--concurrent-migrations", options->concurrent_migrations,
          "Conversions that are migrated at once; each writes with --workers, all together at --rate")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 64).description(""))
      ->capture_default_str()
      ->group("Pace");
  constexpr const char* running = "Running";
  command
      ->add_option("--lease", options->lease,
                   "Lease by which one of several replicas is chosen to work; without it, each one works")
      ->type_name("NAMESPACE/NAME")
      ->group(running);
  command->add_option("--status-listen", options->status_listen, "Address of /livez, /readyz and /metrics")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(running);
  add_log_flags(*command, options->log);
}

}  // namespace fairway::cli
