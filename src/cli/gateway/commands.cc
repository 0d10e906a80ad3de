// SPDX-License-Identifier: Apache-2.0

#include "cli/gateway/commands.h"

#include <memory>

#include "command_line/kube_options.h"

namespace fairway::cli {

namespace {

CLI::Option* add_endpoint_cidrs(CLI::App& command, std::string& ranges) {
  return command
      .add_option(
          "--endpoint-cidrs", ranges,
          "Ranges that endpoints may be of although they are loopback, link-local, multicast or the like, "
          "with commas between them: 127.0.1.0/24,169.254.7.1")
      ->type_name("CIDRS");
}

/// Adds the offline commands' counterpart of the controller's flag of the same name.
void add_listed_addresses(CLI::App& command, std::string& addresses) {
  command
      .add_option(
          "--addresses", addresses,
          "The controller's --addresses: a loopback or link-local address that is none of them is refused")
      ->type_name("CIDRS");
}

void add_controller_flags(CLI::App& command, GatewayOptions& options) {
  command_line::add_kube_flags(command, options.cluster);
  constexpr const char* group = "Envoy";
  command
      .add_option(
          "--envoy", options.envoy,
          "The program of Envoy 1.40, which is started and watched; without it Envoys connect by themselves")
      ->type_name("PATH")
      ->group(group);
  command
      .add_option(
          "--addresses", options.addresses,
          "Addresses of this machine for Gateways that ask for none, one each, with commas between ranges: "
          "198.51.100.0/24,127.0.0.1. A Gateway may ask for a loopback or link-local address only if it is "
          "one of them")
      ->type_name("CIDRS")
      ->group(group);
  add_endpoint_cidrs(command, options.endpoint_cidrs)->group(group);
  command
      .add_option(
          "--xds-listen", options.xds_listen,
          "Address where Envoys that connect by themselves ask for their configuration, with certificates of "
          "both sides (without --envoy 127.0.0.1:18000)")
      ->type_name("HOST:PORT")
      ->group(group);
  CLI::Option* const certificate =
      command
          .add_option(
              "--xds-certificate", options.xds_certificate,
              "The certificate for Envoys that connect by themselves (PEM, with its chain); on loopback one "
              "is made in --data")
          ->type_name("FILE")
          ->group(group);
  CLI::Option* const key =
      command.add_option("--xds-key", options.xds_key, "Its key (PEM)")->type_name("FILE")->group(group);
  CLI::Option* const ca = command
                              .add_option("--xds-ca", options.xds_ca,
                                          "Who signs the certificates of Envoys (PEM): others are not let in")
                              ->type_name("FILE")
                              ->group(group);
  for (CLI::Option* one : {certificate, key, ca}) {
    for (CLI::Option* other : {certificate, key, ca}) {
      if (one != other) one->needs(other);
    }
  }
  command
      .add_option("--drain", options.drain,
                  "Time for connections to end before Envoy ends, or is replaced (SIGHUP: a hot restart)")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--max-connections", options.max_connections,
          "Connections of clients that the Envoy of --envoy takes at a time, if its descriptors are "
          "twice as many, and connections of an Envoy to one backend; the same for all replicas: 8000")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 10'000'000).description(""))
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--max-memory", options.max_memory,
          "Memory of the Envoy of --envoy in MiB, near which it ends idle connections and the streams "
          "that hold most, and refuses requests; 0: no limit (three quarters of the memory of the "
          "machine or the container)")
      ->type_name("MIB")
      ->check(CLI::Range(0, 1 << 30).description(""))
      ->group(group);
  command
      .add_option(
          "--keepalive", options.keepalive,
          "Silence on a connection after which its client or backend is asked whether it is there; 0s: "
          "never; the same for all replicas")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
  CLI::Option* const trace_endpoint =
      command
          .add_option(
              "--trace-endpoint", options.trace_endpoint,
              "Collector to which Envoys send spans of requests (OTLP over HTTP): http://127.0.0.1:4318")
          ->type_name("URL")
          ->group(group);
  command
      .add_option(
          "--trace-sampling", options.trace_sampling,
          "Share of requests that are traced where they come without a traceparent header, in percent")
      ->type_name("PERCENT")
      ->needs(trace_endpoint)
      ->check(CLI::Range(0.0, 100.0).description(""))
      ->capture_default_str()
      ->group(group);
  constexpr const char* replicas = "Replicas";
  CLI::Option* const replica_listen =
      command
          .add_option("--replica-listen", options.replica_listen,
                      "Address where other replicas tell what their Envoys have acknowledged; without it "
                      "statuses speak of the Envoys of the replica that leads")
          ->type_name("HOST:PORT")
          ->group(replicas);
  command
      .add_option("--replica-address", options.replica_address,
                  "Where other replicas reach that address (the address itself)")
      ->type_name("HOST:PORT")
      ->needs(replica_listen)
      ->group(replicas);
  command.add_option("--data", options.data, "Folder for what Envoy begins with, sockets and certificates")
      ->type_name("DIR")
      ->group(group);
  command.add_option("--status-listen", options.status_listen, "Address of /livez, /readyz and /metrics")
      ->type_name("HOST:PORT")
      ->capture_default_str();
  command_line::add_log_flags(command, options.log);
}

}  // namespace

void add_gateway(CLI::App& app, command_line::Context& context, const GatewayActions& actions) {
  auto controller = std::make_shared<GatewayOptions>();
  CLI::App* gateway = command_line::add_command(
      app, context, "gateway", "Run the controller of Gateway API, which configures Envoys",
      "fairway gateway --kubeconfig ~/.kube/config --envoy /usr/bin/envoy --addresses 198.51.100.0/28 "
      "--data /var/lib/fairway",
      [controller, actions] { return actions.run(*controller); });
  add_controller_flags(*gateway, *controller);

  auto options = std::make_shared<GatewayCheckOptions>();
  CLI::App* check = command_line::add_command(
      *gateway, context, "check",
      "The statuses that objects of Gateway API would get, offline: exit 0, or 1 (unreadable input)",
      "fairway gateway check -f gateway.yaml -o json",
      [options, actions] { return actions.check(*options); });
  check
      ->add_option("-f,--filename", options->files,
                   "A YAML or JSON file with objects, or - for standard input; all of them are one cluster")
      ->type_name("FILE")
      ->required();
  add_listed_addresses(*check, options->addresses);
  check->add_option("-o,--output", options->output, "Format")
      ->check(CLI::IsMember(std::vector<std::string>{"table", "json"}).description(""))
      ->type_name("table|json")
      ->capture_default_str();
  add_endpoint_cidrs(*check, options->endpoint_cidrs);

  auto explained = std::make_shared<GatewayExplainOptions>();
  CLI::App* explain = command_line::add_command(
      *gateway, context, "explain",
      "Where a route is served, why not elsewhere, and what Envoy is given for it",
      "fairway gateway explain shop/cart", [explained, actions] { return actions.explain(*explained); });
  explain->add_option("route", explained->route, "NAMESPACE/NAME of the route, or a name in default")
      ->type_name("ROUTE")
      ->required();
  explain
      ->add_option("-f,--filename", explained->files,
                   "A YAML or JSON file with objects, or - for standard input, in place of the cluster")
      ->type_name("FILE");
  add_listed_addresses(*explain, explained->addresses);
  add_endpoint_cidrs(*explain, explained->endpoint_cidrs);
  command_line::add_kube_flags(*explain, explained->cluster);
}

}  // namespace fairway::cli
