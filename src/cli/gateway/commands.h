// SPDX-License-Identifier: Apache-2.0

// `fairway gateway ...`: the command line of the gateway controller, which two programs read. fairway knows
// it for help, completion and manual, and hands over to fairway-gateway, which does the work.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "command_line/commands.h"
#include "command_line/log_options.h"
#include "gateway/connection_limits.h"
#include "kube/client/kubeconfig.h"

namespace fairway::cli {

struct GatewayCheckOptions {
  std::vector<std::string> files;
  std::string addresses, endpoint_cidrs;
  std::string output = "table";
};

struct GatewayExplainOptions {
  kube::KubeconfigOverrides cluster;
  std::string route, addresses, endpoint_cidrs;
  std::vector<std::string> files;
};

struct GatewayOptions {
  kube::KubeconfigOverrides cluster;
  std::string envoy, addresses, xds_listen, endpoint_cidrs, status_listen = "127.0.0.1:8081", data;
  std::string drain = "20s";
  std::uint32_t max_connections = gateway::default_max_connections;
  std::string keepalive = "60s";
  /// Megabytes (MiB) of Envoy's memory; 0: no limit; std::nullopt: a share of what there is.
  std::optional<std::uint32_t> max_memory;
  std::string trace_endpoint;
  /// Share of traces in percent.
  double trace_sampling = 1;
  /// Paths of PEM files.
  std::string xds_ca, xds_certificate, xds_key;
  std::string replica_listen, replica_address;
  command_line::LogFlags log;
};

/// The actions of the commands; each returns the exit code.
struct GatewayActions {
  std::function<int(const GatewayOptions&)> run;
  std::function<int(const GatewayCheckOptions&)> check;
  std::function<int(const GatewayExplainOptions&)> explain;
};

void add_gateway(CLI::App& app, command_line::Context& context, const GatewayActions& actions);

}  // namespace fairway::cli
