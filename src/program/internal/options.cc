// SPDX-License-Identifier: Apache-2.0

#include "program/internal/options.h"

#include "base/clock.h"
#include "base/text.h"
#include "command_line/kube_options.h"

namespace fairway::program {
namespace {

void add_webhook_flags(CLI::App& command, WebhookOptions& options) {
  constexpr const char* group = "Webhooks";
  command.add_option("--listen", options.listen, "Address of the webhooks (HTTPS)")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--service", options.service,
                  "Service by which API servers reach the webhooks, on port 443")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--webhook-url", options.url,
          "URL by which API servers reach the webhooks where there is no Service: outside of a cluster")
      ->type_name("https://HOST:PORT")
      ->group(group);
  command
      .add_option("--certificate-secret", options.certificate_secret,
                  "Secret with the certificates, which all replicas share; it is made where it is missing")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  command
      .add_option(
          "--ca-overlap", options.ca_overlap,
          "How long a new CA is trusted before its certificates are served, and the old one after that")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--tls-cert", options.tls_cert,
                  "External PEM certificate chain, instead of the Secret; its issuer has to set "
                  "caBundle")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--tls-key", options.tls_key, "PEM key of --tls-cert")->type_name("FILE")->group(group);
  command
      .add_option("--client-ca", options.client_ca,
                  "PEM CAs of the API servers' certificates for webhooks; clients without one are refused")
      ->type_name("FILE")
      ->group(group);
}

}  // namespace

bool has_webhooks(const Operator& parts) {
  return parts.kinds || parts.handlers;
}

void add_flags(CLI::App& command, const Operator& parts, Options& options) {
  options.webhooks.service = options.lease = parts.name;
  options.webhooks.certificate_secret = parts.name + "-certificates";
  command_line::add_kube_flags(command, options.cluster);
  command
      .add_option(
          "-n,--namespace", options.cluster.namespace_name,
          "Namespace of its Service, Secret and Lease (default: the one that it runs in, or that of the "
          "context)")
      ->type_name("NAME")
      ->group("Cluster");
  if (parts.flags) parts.flags(command);
  if (has_webhooks(parts)) add_webhook_flags(command, options.webhooks);
  if (parts.kinds) {
    command
        .add_option_function<std::string>(
            "--quarantine",
            [&options](const std::string& kinds) {
              // Without a value it is that of `default_str`. An empty one is that of a variable of a shell
              // which is not set, and would otherwise quarantine all.
              if (kinds.empty())
                throw CLI::ValidationError("--quarantine",
                                           "its value is empty: leave out the = for all kinds, "
                                           "or name kinds, or false");
              options.quarantine = kinds;
            },
            "Serve objects that do not convert without their content, in place of an error that makes "
            "lists of the kind fail: of these kinds, with commas between; without a value of all; "
            "false: of none. "
            "Clients of others may act on objects without content; read docs/conversion-quarantine.md "
            "first")
        ->type_name("[KIND.GROUP]")
        ->expected(0, 1)
        ->default_str("true")
        ->group("Webhooks");
  }
  constexpr const char* running = "Running";
  if (parts.leader_election) {
    command
        .add_flag("--leader-elect", options.leader_elect,
                  "Whether one of several replicas is chosen to run controllers; --leader-elect=false where "
                  "there is only one")
        ->default_str("true")
        ->group(running);
    command.add_option("--lease", options.lease, "Lease by which that one is chosen")
        ->type_name("NAME")
        ->capture_default_str()
        ->group(running);
  }
  command.add_option("--status-listen", options.status_listen, "Address of /livez, /readyz and /metrics")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(running);
  command_line::add_log_flags(command, options.log);
}

Result<webhook::ServerOptions> server_options(const WebhookOptions& options) {
  webhook::ServerOptions result;
  result.listen = options.listen;
  result.address.url = options.url;
  if (options.url.empty()) result.address.service_name = options.service;
  const auto overlap = parse_duration(options.ca_overlap);
  if (!overlap)
    return fail(overlap.error().within("--ca-overlap '" + printable(options.ca_overlap, 40) + "'"));
  result.certificates.ca_overlap = *overlap;
  result.certificates.names = {"localhost"};  // the real ones come later; what is checked is the overlap
  if (auto checked = result.certificates.check(); !checked)
    return fail(checked.error().within("--ca-overlap"));
  result.certificates.names.clear();
  if (options.tls_cert.empty() != options.tls_key.empty())
    return fail(ErrorCode::invalid, "--tls-cert and --tls-key go together: one of them is missing");
  result.certificate_file = options.tls_cert;
  result.key_file = options.tls_key;
  result.client_ca_file = options.client_ca;
  if (!options.url.empty()) {
    if (const auto names = result.address.names(); !names) return fail(names.error().within("--webhook-url"));
  }
  return result;
}

}  // namespace fairway::program
