#include "program/operator.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "command_line/commands.h"
#include "command_line/help.h"
#include "command_line/input.h"
#include "command_line/kube_options.h"
#include "command_line/log_options.h"
#include "command_line/stop_signals.h"
#include "command_line/suggest.h"
#include "conversion/documents.h"
#include "conversion/webhook.h"
#include "webhook/crd_registration.h"
#include "webhook/server.h"

namespace fairway::program {
namespace {

/// How long calls of the webhooks that are under way at the end may take.
constexpr std::chrono::seconds drain_limit{10};

struct Flags {
  kube::KubeconfigChoice cluster;
  std::string listen = ":9443", service, webhook_url, certificate_secret, ca_overlap = "10m", tls_cert,
              tls_key;
  std::string lease, status_listen = ":8081";
  command_line::LogFlags log;
  /// Of `convert`.
  std::string version;
};

using Definitions = std::vector<k8s::CustomResourceDefinition>;

Result<Definitions> read_definitions(const Operator& parts) {
  return webhook::read_definitions(parts.definitions, "the definitions of " + parts.name);
}

Result<std::shared_ptr<const conversion::Converters>> prepared_converters(const Operator& parts,
                                                                          const Definitions& definitions) {
  auto converters = std::make_shared<conversion::Converters>();
  if (parts.kinds) parts.kinds(*converters);
  if (auto ready = converters->prepare(definitions); !ready) return fail(ready.error());
  return converters;
}

int convert(const Operator& parts, const Flags& flags) {
  const auto definitions = read_definitions(parts);
  if (!definitions) return command_line::report(definitions.error());
  const auto converters = prepared_converters(parts, *definitions);
  if (!converters) return command_line::report(converters.error());
  auto text = command_line::read_input("-");
  if (!text) return command_line::report(text.error());
  const auto converted =
      conversion::convert_documents(**converters, {{"standard input", *std::move(text)}}, flags.version);
  if (!converted) return command_line::report(converted.error());
  std::fputs(json::to_pretty_text(*converted).c_str(), stdout);
  return command_line::exit_ok;
}

/// What flags say about the webhooks.
Result<webhook::ServerOptions> webhook_options(const Flags& flags) {
  webhook::ServerOptions options;
  options.listen = flags.listen;
  options.address.url = flags.webhook_url;
  if (flags.webhook_url.empty()) options.address.service_name = flags.service;
  const auto overlap = parse_duration(flags.ca_overlap);
  if (!overlap) return fail(overlap.error().within("--ca-overlap '" + printable(flags.ca_overlap, 40) + "'"));
  options.certificates.ca_overlap = *overlap;
  options.certificates.names = {"localhost"};  // the real ones come later; what is checked is the overlap
  if (auto checked = options.certificates.check(); !checked)
    return fail(checked.error().within("--ca-overlap"));
  options.certificates.names.clear();
  if (flags.tls_cert.empty() != flags.tls_key.empty())
    return fail(ErrorCode::invalid, "--tls-cert and --tls-key go together: one of them is missing");
  options.certificate_file = flags.tls_cert;
  options.key_file = flags.tls_key;
  if (!flags.webhook_url.empty()) {
    if (const auto names = options.address.names(); !names)
      return fail(names.error().within("--webhook-url"));
  }
  return options;
}

int operate(const Operator& parts, const Flags& flags) {
  if (const auto logs = command_line::configure_log(flags.log); !logs)
    return command_line::report(logs.error(), command_line::exit_usage);
  auto webhooks = webhook_options(flags);
  if (!webhooks) return command_line::report(webhooks.error(), command_line::exit_usage);
  auto release = Version::parse(parts.release);
  if (!release) return command_line::report(release.error().within("the release of " + parts.name));
  auto definitions = read_definitions(parts);
  if (!definitions) return command_line::report(definitions.error());
  auto converters = prepared_converters(parts, *definitions);
  if (!converters) return command_line::report(converters.error());

  const command_line::StopSignals signals;
  metrics::Registry metrics;
  auto config = kube::load_client_config(flags.cluster);
  if (!config) return command_line::report(config.error(), command_line::exit_usage);
  const std::string namespace_name = config->namespace_name;
  auto client = kube::Client::create(*std::move(config),
                                     {.user_agent = parts.name + "/" + parts.release, .registry = &metrics});
  if (!client) return command_line::report(client.error(), command_line::exit_usage);

  webhooks->address.service_namespace = namespace_name;
  webhooks->handlers = conversion::webhook_handlers(*converters, *definitions, metrics);
  webhooks->definitions = *std::move(definitions);
  webhooks->release = *std::move(release);
  webhooks->secret = {namespace_name, flags.certificate_secret};
  auto server = webhook::Server::start(*client, *std::move(webhooks), signals.token());
  if (!server)
    return signals.token().stop_requested() ? command_line::exit_ok : command_line::report(server.error());

  kube::ManagerOptions options;
  options.lease.namespace_name = namespace_name;
  options.lease.name = flags.lease;
  options.status_listen = flags.status_listen;
  options.registry = &metrics;
  kube::Manager manager(*client, std::move(options));
  manager.add_start_check([&webhooks = **server] { return webhooks.not_ready(); });
  if (parts.controllers) parts.controllers(manager);
  const auto ended = manager.run(signals.token());
  (*server)->drain(drain_limit);
  if (!ended) return command_line::report(ended.error());
  log::info("stopped");
  return command_line::exit_ok;
}

void add_flags(CLI::App& app, const Operator& parts, Flags& flags) {
  flags.service = flags.lease = parts.name;
  flags.certificate_secret = parts.name + "-certificates";
  command_line::add_kube_flags(app, flags.cluster);
  app.add_option(
         "-n,--namespace", flags.cluster.namespace_name,
         "Namespace of its Service, Secret and Lease (default: the one that it runs in, or that of the "
         "context)")
      ->type_name("NAME")
      ->group("Cluster");
  constexpr const char* webhooks = "Webhooks";
  app.add_option("--listen", flags.listen, "Address of the webhooks (HTTPS)")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(webhooks);
  app.add_option("--service", flags.service, "Service by which API servers reach the webhooks, on port 443")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(webhooks);
  app.add_option(
         "--webhook-url", flags.webhook_url,
         "URL by which API servers reach the webhooks where there is no Service: outside of a cluster")
      ->type_name("https://HOST:PORT")
      ->group(webhooks);
  app.add_option("--certificate-secret", flags.certificate_secret,
                 "Secret with the certificates, which all replicas share; it is made where it is missing")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(webhooks);
  app.add_option(
         "--ca-overlap", flags.ca_overlap,
         "How long a new CA is trusted before its certificates are served, and the old one after that")
      ->type_name("DURATION")
      ->capture_default_str()
      ->group(webhooks);
  app.add_option("--tls-cert", flags.tls_cert,
                 "External PEM certificate chain, instead of the Secret; its issuer has to set "
                 "caBundle")
      ->type_name("FILE")
      ->group(webhooks);
  app.add_option("--tls-key", flags.tls_key, "PEM key of --tls-cert")->type_name("FILE")->group(webhooks);
  constexpr const char* running = "Running";
  app.add_option("--lease", flags.lease,
                 "Lease by which one of several replicas is chosen to run controllers")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(running);
  app.add_option("--status-listen", flags.status_listen, "Address of /livez, /readyz and /metrics")
      ->type_name("HOST:PORT")
      ->capture_default_str()
      ->group(running);
  command_line::add_log_flags(app, flags.log);
}

int parse_and_run(const Operator& parts, int argc, char** argv) {
  CLI::App app{parts.description, parts.name};
  app.formatter(std::make_shared<command_line::HelpFormatter>());
  app.set_version_flag("--version", parts.name + " " + parts.release, "Print the version and exit");
  app.footer("In a cluster it needs no flags.\n\nExample: " + parts.name +
             " --kubeconfig ~/.kube/config --namespace " + parts.name +
             "-system --webhook-url https://192.0.2.10:9443");
  Flags flags;
  add_flags(app, parts, flags);
  command_line::Context context;
  context.root = &app;
  context.action = [&] { return operate(parts, flags); };
  CLI::App* command = command_line::add_command(
      app, context, "convert", "Convert the objects of standard input to another version",
      (parts.name + " convert v1 <FILE").c_str(), [&] { return convert(parts, flags); });
  command->add_option("VERSION", flags.version, "The version, as v1 or GROUP/v1")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "error: %s\n", command_line::explain_parse_error(app, error, argc, argv).c_str());
    return command_line::exit_usage;
  }
  return context.action();
}

}  // namespace

int run(const Operator& parts, int argc, char** argv) {
  try {
    return parse_and_run(parts, argc, argv);
  } catch (const std::exception& fault) {
    return command_line::report(
        {ErrorCode::internal, "a fault of " + parts.name + " itself: " + fault.what()});
  }
}

}  // namespace fairway::program
