#include "cli/gateway/program/run.h"

#include <chrono>
#include <condition_variable>
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
#include "cli/gateway/program/replica_certificates.h"
#include "command_line/stop_signals.h"
#include "gateway/controller.h"
#include "gateway/envoy_process.h"
#include "gateway/replicas.h"
#include "kube/controller/manager.h"
#include "kube/election/leader_elector.h"

namespace fairway::cli {

using command_line::exit_usage;
using command_line::report;

namespace {

/// Lets the controller write statuses while this replica holds the lease. Who loses it goes on serving
/// Envoys, whose traffic does not depend on the API server, and asks for it again.
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

/// Why replicas would not hear each other.
std::optional<std::string> replica_fault(const GatewayOptions& options) {
  if (!options.replica_address.empty()) return std::nullopt;
  for (const char* any : {":", "0.0.0.0:", "[::]:"}) {
    if (options.replica_listen.starts_with(any))
      return "--replica-listen=" + options.replica_listen +
             " is all addresses of this machine: say with --replica-address at which one others reach it";
  }
  return std::nullopt;
}

/// The Envoy of this program: it ends first, while all else goes on.
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
  /// Lets its connections end, and waits for that.
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

/// How long the last statuses may take.
constexpr std::chrono::seconds retirement_limit{5};

/// Waits for a signal, or until all is over; says that nothing is ready any more while Envoy still serves,
/// and ends Envoy. Whoever leads goes on, and so do reports to the leader, for as long as connections take.
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
  if (const auto fault = replica_fault(options)) return report({ErrorCode::invalid, *fault}, exit_usage);
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
  // What the controller calls outlives it.
  std::unique_ptr<ReplicaCertificates> certificates;
  std::unique_ptr<gateway::Replicas> replicas;
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
                                          .certificates = [&] { return certificates->now(); }});
  }
  gateway::ControllerSettings settings{.addresses = options.addresses,
                                       .xds_listen = options.xds_listen,
                                       .has_replicas = replicas != nullptr,
                                       .trace_endpoint = options.trace_endpoint,
                                       .trace_sampling = options.trace_sampling,
                                       .on_change =
                                           [&] {
                                             if (replicas) replicas->report_changed();
                                           },
                                       .registry = &metrics};
  if (!options.xds_certificate.empty()) {
    settings.xds_tls = xds::ServerTls{.certificate_file = options.xds_certificate,
                                      .key_file = options.xds_key,
                                      .authority_file = options.xds_ca};
  }
  const auto controller = gateway::GatewayController::create(settings);
  if (!controller) return report(controller.error());
  log::info("serving Envoys", {{"address", (*controller)->xds_address()}});

  kube::Manager manager(*client, {.status_listen = options.status_listen, .registry = &metrics});
  (*controller)->add_to(manager);
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
                              .xds_address = (*controller)->local_xds_address(),
                              .data = options.data,
                              .drain = std::chrono::duration_cast<std::chrono::seconds>(*drain),
                              .restart = &restart});
    manager.add("envoy", [&](const std::stop_token& stop) { return own->run(stop); }, kube::Runs::always);
  }
  std::stop_source stop;
  const std::jthread retirement([&](const std::stop_token& over) {
    retire_when_asked(**controller, own.get(), signals.token(), over);
    stop.request_stop();
  });
  const auto ended = manager.run(stop.get_token());
  // Envoys of other machines go on: the Lease of this replica ends by itself, as theirs.
  const bool may_have_others = options.envoy.empty() || settings.xds_tls;
  if (replicas && !(may_have_others && (*controller)->xds_server().report().has_envoys))
    replicas->leave(Limits::within(Clock::system(), retirement_limit));
  if (!ended) return report(ended.error());
  log::info("stopped");
  return command_line::exit_ok;
}

}  // namespace fairway::cli
