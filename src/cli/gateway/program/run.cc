// SPDX-License-Identifier: Apache-2.0

#include "cli/gateway/program/run.h"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/text.h"
#include "cli/gateway/program/replica_certificates.h"
#include "command_line/own_health.h"
#include "command_line/service_notifier.h"
#include "command_line/stop_signals.h"
#include "gateway/controller.h"
#include "gateway/envoy_process.h"
#include "gateway/replicas.h"
#include "gateway/xds_certificates.h"
#include "kube/controller/manager.h"
#include "kube/election/leader_elector.h"

namespace fairway::cli {

using command_line::exit_usage;
using command_line::report;

namespace {

/// Lets the controller write statuses while this replica holds the lease. A replica that loses it still
/// serves Envoys, whose traffic does not depend on the API server, and tries to acquire it again.
Result<void> lead_when_elected(const std::shared_ptr<kube::Client>& client, const kube::LeaseOptions& lease,
                               gateway::GatewayController& controller, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    auto elector = kube::LeaderElector::create(client, lease);
    if (!elector) return fail(elector.error());
    const auto ended = (*elector)->run(
        [&](const std::stop_token& lost) {
          controller.set_leads(true);
          std::mutex mutex;
          std::condition_variable_any waiting;
          std::unique_lock lock(mutex);
          waiting.wait(lock, lost, [] { return false; });
          controller.set_leads(false);
        },
        stop);
    if (!ended)
      log::warning("no longer leading: another replica writes statuses", {{"error", ended.error().message}});
  }
  return {};
}

/// A folder in the machine's temporary one that only this user can access, deleted when the program ends.
class TemporaryFolder {
 public:
  static Result<std::unique_ptr<TemporaryFolder>> make() {
    std::error_code fault;
    std::string name = (std::filesystem::temp_directory_path(fault) / "fairway-gateway-XXXXXX").string();
    if (fault || ::mkdtemp(name.data()) == nullptr)
      return fail(ErrorCode::unavailable, "making a temporary folder like " + name + ": " +
                                              std::strerror(errno) + "; name a folder with --data");
    return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(std::move(name)));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  const std::filesystem::path path_;
};

/// Listeners for Envoys: a Unix socket for the Envoy that this program starts, TCP for others.
struct WaysIn {
  std::unique_ptr<TemporaryFolder> temporary;
  /// Certificates that are generated if the flags give none.
  std::unique_ptr<gateway::XdsCertificates> certificates;
  std::filesystem::path socket;
  std::string listen;
  std::optional<xds::ServerTls> tls;
};

Result<WaysIn> prepare_ways_in(const GatewayOptions& options) {
  WaysIn ways;
  std::filesystem::path folder;
  if (!options.data.empty()) {
    std::error_code fault;
    folder = std::filesystem::absolute(options.data, fault) / "xds";
    if (fault) return fail(ErrorCode::unavailable, "--data=" + options.data + ": " + fault.message());
  }
  if (!options.envoy.empty()) ways.socket = folder / "envoys.sock";
  ways.listen = options.xds_listen;
  if (ways.listen.empty() && options.envoy.empty()) ways.listen = "127.0.0.1:18000";
  if (ways.listen.empty()) return ways;
  if (!options.xds_certificate.empty()) {
    ways.tls = xds::ServerTls{.certificate_file = options.xds_certificate,
                              .key_file = options.xds_key,
                              .authority_file = options.xds_ca};
    return ways;
  }
  if (!gateway::XdsCertificates::are_for(ways.listen))
    return fail(ErrorCode::invalid,
                "listening for Envoys on " + printable(ways.listen) +
                    " needs TLS, for they are given private keys: name a CA, a certificate "
                    "and its key, or an address on loopback");
  if (folder.empty()) {
    auto made = TemporaryFolder::make();
    if (!made) return fail(made.error());
    ways.temporary = *std::move(made);
    folder = ways.temporary->path();
  }
  auto certificates = gateway::XdsCertificates::create(folder, Clock::system());
  if (!certificates) return fail(certificates.error());
  ways.certificates = *std::move(certificates);
  ways.tls = ways.certificates->tls();
  log::info("Envoys that connect by themselves show the certificate in this folder",
            {{"folder", folder.string()}, {"certificate", "envoy.pem"}, {"authority", "ca.pem"}});
  return ways;
}

/// Returns the reason why replicas could not reach each other.
std::optional<std::string> replica_fault(const GatewayOptions& options) {
  if (!options.replica_address.empty()) return std::nullopt;
  for (const char* any : {":", "0.0.0.0:", "[::]:"}) {
    if (options.replica_listen.starts_with(any))
      return "--replica-listen=" + options.replica_listen +
             " is all addresses of this machine: say with --replica-address at which one others reach it";
  }
  return std::nullopt;
}

/// The Envoy of this program: it ends first, while everything else goes on.
class OwnEnvoy {
 public:
  explicit OwnEnvoy(gateway::EnvoyOptions options) : options_(std::move(options)) {}

  /// Runs it until `end`, or until `stop`.
  Result<void> run(const std::stop_token& stop) {
    const std::stop_callback also(stop, [this] { ends_.request_stop(); });
    auto ended = gateway::run_envoy(options_, Clock::system(), ends_.get_token());
    {
      const std::scoped_lock lock(mutex_);
      has_ended_ = true;
    }
    changed_.notify_all();
    return ended;
  }
  /// Lets its connections drain, and waits until Envoy has ended.
  void end(const std::stop_token& over) {
    ends_.request_stop();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, over, [&] { return has_ended_; });
  }

 private:
  const gateway::EnvoyOptions options_;
  std::stop_source ends_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool has_ended_ = false;
};

/// Time limit of the last statuses.
constexpr std::chrono::seconds retirement_limit{5};
/// Time that Envoy has to end once its connections have drained (gateway/envoy_process.h), and a margin.
constexpr std::chrono::seconds envoy_end_limit{6};

/// Waits for a signal, or until `over`. Then reports that nothing is ready any more while Envoy still serves,
/// and ends Envoy. The leader goes on meanwhile, and so do reports to it, for as long as connections take.
void retire_when_asked(gateway::GatewayController& controller, OwnEnvoy* envoy, const std::stop_token& asked,
                       const std::stop_token& over) {
  std::mutex mutex;
  std::condition_variable_any waiting;
  const std::stop_callback wake(asked, [&] {
    const std::scoped_lock woken(mutex);
    waiting.notify_all();
  });
  std::unique_lock lock(mutex);
  waiting.wait(lock, over, [&] { return asked.stop_requested(); });
  if (!asked.stop_requested()) return;
  lock.unlock();
  controller.withdraw_readiness(Limits::within(Clock::system(), retirement_limit, over));
  if (envoy != nullptr) envoy->end(over);
}

/// Returns the time of `--keepalive`. The kernel takes whole seconds, up to about nine hours.
Result<std::chrono::seconds> keepalive_of(const GatewayOptions& options) {
  const auto time = parse_duration(options.keepalive);
  if (!time) return fail(time.error().within("--keepalive"));
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(*time);
  if (whole != *time || whole.count() < 0 || whole > std::chrono::hours(9))
    return fail(ErrorCode::invalid,
                "--keepalive is " + printable(options.keepalive) + ", and must be whole seconds, at most 9h");
  return whole;
}

/// Returns the bytes of `--max-memory`, or its default.
std::uint64_t max_memory_of(const GatewayOptions& options) {
  return options.max_memory ? std::uint64_t{*options.max_memory} << 20 : gateway::default_max_memory();
}

}  // namespace

int run_gateway(const GatewayOptions& options) {
  if (const auto logs = command_line::configure_log(options.log); !logs)
    return report(logs.error(), exit_usage);
  if (!options.envoy.empty() && options.data.empty())
    return report({ErrorCode::invalid, "--envoy needs --data: a folder for what Envoy begins with"},
                  exit_usage);
  if (!options.data.empty()) {
    std::error_code fault;
    std::filesystem::create_directories(options.data, fault);
    if (fault)
      return report({ErrorCode::unavailable, "making the folder " + options.data + ": " + fault.message()});
  }
  const auto drain = parse_duration(options.drain);
  if (!drain) return report(drain.error().within("--drain"), exit_usage);
  const auto keepalive = keepalive_of(options);
  if (!keepalive) return report(keepalive.error(), exit_usage);
  if (const auto fault = replica_fault(options)) return report({ErrorCode::invalid, *fault}, exit_usage);
  command_line::ServiceNotifier notifier;
  gateway::EnvoyRestart restart;
  // Without an Envoy of its own a hangup ends it, as it ends others.
  std::function<void()> on_hangup;
  if (!options.envoy.empty()) on_hangup = [&] { restart.request(); };
  const command_line::StopSignals signals(on_hangup);
  metrics::Registry metrics;
  auto config = kube::load_client_config(options.cluster);
  if (!config) return report(config.error(), exit_usage);
  kube::LeaseOptions lease;
  lease.namespace_name = config->namespace_name;
  lease.name = "fairway-gateway";
  auto client = kube::Client::create(
      *std::move(config), {.user_agent = "fairway-gateway/" FAIRWAY_VERSION, .registry = &metrics});
  if (!client) return report(client.error(), exit_usage);
  auto ways_in = prepare_ways_in(options);
  if (!ways_in) return report(ways_in.error());
  // The controller calls these, so they outlive it.
  std::unique_ptr<ReplicaCertificates> certificates;
  std::unique_ptr<gateway::Replicas> replicas;
  std::function<void(const std::string& flag, const std::string& address)> record_own;
  if (!options.replica_listen.empty()) {
    lease.identity = kube::unique_identity();
    auto made = ReplicaCertificates::create(*client, lease.namespace_name);
    if (!made) return report(made.error());
    certificates = *std::move(made);
    replicas = std::make_unique<gateway::Replicas>(
        *client, gateway::ReplicasOptions{.identity = lease.identity,
                                          .election = {lease.namespace_name, lease.name},
                                          .listen = options.replica_listen,
                                          .address = options.replica_address,
                                          .certificates = [&] { return certificates->now(); },
                                          .on_listen =
                                              [&](const std::string& address) {
                                                if (record_own) record_own("--replica-listen", address);
                                              }});
  }
  gateway::ControllerSettings settings{.addresses = options.addresses,
                                       .xds_socket = ways_in->socket,
                                       .xds_listen = ways_in->listen,
                                       .xds_tls = ways_in->tls,
                                       .endpoint_cidrs = options.endpoint_cidrs,
                                       .max_connections = options.max_connections,
                                       .keepalive = *keepalive,
                                       .has_replicas = replicas != nullptr,
                                       .trace_endpoint = options.trace_endpoint,
                                       .trace_sampling = options.trace_sampling,
                                       .on_change =
                                           [&] {
                                             if (replicas) replicas->report_changed();
                                           },
                                       .registry = &metrics};
  const auto controller = gateway::GatewayController::create(settings);
  if (!controller) return report(controller.error());
  if (!ways_in->socket.empty()) log::info("serving Envoys", {{"socket", ways_in->socket.string()}});
  if (!ways_in->listen.empty()) log::info("serving Envoys", {{"address", (*controller)->xds_address()}});
  // A port that the kernel chooses is added once it is known.
  record_own = [&](const std::string& flag, const std::string& address) {
    if (address.empty() || address.ends_with(":0")) return;
    if (const auto added = (*controller)->add_own_listener(flag, address); !added)
      log::warning("a Gateway or an endpoint may be given a port of the controller",
                   {{"error", added.error().message}});
  };
  record_own("--status-listen", options.status_listen);
  record_own("--replica-listen", options.replica_listen);

  kube::Manager manager(*client, {.status_listen = options.status_listen, .registry = &metrics});
  (*controller)->add_to(manager);
  manager.add(
      "own ports",
      [&](const std::stop_token& /*stop*/) -> Result<void> {
        record_own("--status-listen", manager.status_address());
        return {};
      },
      kube::Runs::always);
  if (ways_in->certificates) {
    manager.add(
        "certificates of Envoys",
        [&](const std::stop_token& stop) -> Result<void> {
          ways_in->certificates->run(Clock::system(), stop);
          return {};
        },
        kube::Runs::always);
  }
  if (replicas) {
    manager.add(
        "certificates of replicas",
        [&](const std::stop_token& stop) -> Result<void> {
          certificates->run(stop);
          return {};
        },
        kube::Runs::always);
    replicas->add_to(manager, (*controller)->xds_server());
  }
  manager.add(
      "leader election",
      // Once all has been read: who cannot do that must not keep others from leading.
      [&](const std::stop_token& stop) { return lead_when_elected(*client, lease, **controller, stop); },
      kube::Runs::as_leader);
  std::unique_ptr<OwnEnvoy> own;
  if (!options.envoy.empty()) {
    own = std::make_unique<OwnEnvoy>(
        gateway::EnvoyOptions{.program = options.envoy,
                              .xds_socket = ways_in->socket,
                              .data = options.data,
                              .drain = std::chrono::duration_cast<std::chrono::seconds>(*drain),
                              .restart = &restart,
                              .max_connections = options.max_connections,
                              .max_memory = max_memory_of(options)});
    manager.add("envoy", [&](const std::stop_token& stop) { return own->run(stop); }, kube::Runs::always);
  }
  const auto health = command_line::health_of(manager);
  if (!health) return report(health.error());
  const std::jthread following = notifier.follow(*health);
  const std::stop_callback on_stop(
      signals.token(), [&] { notifier.stopping(*drain + 2 * retirement_limit + envoy_end_limit); });
  std::stop_source stop;
  const std::jthread retirement([&](const std::stop_token& over) {
    retire_when_asked(**controller, own.get(), signals.token(), over);
    stop.request_stop();
  });
  const auto ended = manager.run(stop.get_token());
  // Envoys of other machines go on: the Lease of this replica ends by itself, as theirs.
  const bool may_have_others = !ways_in->listen.empty();
  if (replicas && !(may_have_others && (*controller)->xds_server().report().has_envoys))
    replicas->leave(Limits::within(Clock::system(), retirement_limit));
  if (!ended) return report(ended.error());
  log::info("stopped");
  return command_line::exit_ok;
}

}  // namespace fairway::cli
