#include "cli/gateway/program/run.h"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "command_line/stop_signals.h"
#include "gateway/controller.h"
#include "gateway/envoy_process.h"
#include "kube/controller/manager.h"

namespace fairway::cli {

using command_line::exit_usage;
using command_line::report;

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
  const command_line::StopSignals signals;
  metrics::Registry metrics;
  auto config = kube::load_client_config(options.cluster);
  if (!config) return report(config.error(), exit_usage);
  auto client = kube::Client::create(
      *std::move(config), {.user_agent = "fairway-gateway/" FAIRWAY_VERSION, .registry = &metrics});
  if (!client) return report(client.error(), exit_usage);
  const auto controller =
      gateway::GatewayController::create({.addresses = options.addresses, .xds_listen = options.xds_listen});
  if (!controller) return report(controller.error());
  log::info("serving Envoys", {{"address", (*controller)->xds_address()}});

  kube::Manager manager(*client, {.status_listen = options.status_listen, .registry = &metrics});
  (*controller)->add_to(manager);
  if (!options.envoy.empty()) {
    const gateway::EnvoyOptions envoy{
        .program = options.envoy, .xds_address = (*controller)->xds_address(), .data = options.data};
    manager.add(
        "envoy", [envoy](const std::stop_token& stop) { return run_envoy(envoy, Clock::system(), stop); },
        kube::Runs::always);
  }
  if (const auto ended = manager.run(signals.token()); !ended) return report(ended.error());
  log::info("stopped");
  return command_line::exit_ok;
}

}  // namespace fairway::cli
