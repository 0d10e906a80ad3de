#include "conversion/webhook_server.h"

#include <utility>

#include "base/log.h"
#include "conversion/admission_registration.h"
#include "conversion/crd_registration.h"

namespace fairway::conversion {
namespace {

/// API servers keep their connections, and do not repeat what they sent on one that was just being closed.
constexpr std::chrono::seconds quiet{2};

}  // namespace

Result<std::unique_ptr<WebhookServer>> WebhookServer::start(std::shared_ptr<kube::Client> client,
                                                            std::shared_ptr<const Converters> converters,
                                                            WebhookServerOptions options,
                                                            metrics::Registry& metrics,
                                                            const std::stop_token& stop) {
  auto names = options.address.names();
  if (!names) return fail(names.error());
  if (options.certificates.names.empty()) options.certificates.names = *std::move(names);
  add_webhooks(options.router, converters, metrics);
  std::unique_ptr<WebhookServer> server(
      new WebhookServer(std::move(client), std::move(converters), std::move(options)));
  const auto& settings = server->options_;
  {
    const std::stop_callback on_stop(stop, [&] { server->stop_.request_stop(); });
    Result<void> ready;
    if (settings.certificate_file.empty()) {
      ready = server->keep_certificates(server->stop_.get_token());
    } else {
      ready = server->serve({.certificate_file = settings.certificate_file, .key_file = settings.key_file});
      if (ready) ready = server->tell_api_server("", server->stop_.get_token());
    }
    if (!ready) return fail(ready.error());
  }
  log::info("serving webhooks",
            {{"listen", server->address()}, {"reached_by", settings.address.to_string()}});
  return server;
}

WebhookServer::~WebhookServer() {
  stop_.request_stop();
}

void WebhookServer::drain(std::chrono::milliseconds limit) {
  stop_.request_stop();
  if (keeper_.joinable()) keeper_.join();
  server_->drain(limit, quiet);
}

Result<void> WebhookServer::keep_certificates(const std::stop_token& stop) {
  kube::ServerCertificatesOptions keeping;
  keeping.secret = options_.secret;
  keeping.policy = options_.certificates;
  keeping.targets = targets();
  keeping.serve = [this](const http::KeyedCertificate& made) -> Result<void> {
    if (server_) return server_->use_certificate(made.certificate, made.key);
    return serve({.certificate = made.certificate, .key = made.key});
  };
  keeping.before_publishing = [this, stop](const std::string& bundle) {
    return tell_api_server(bundle, stop);
  };
  auto certificates = kube::ServerCertificates::create(client_, std::move(keeping));
  if (!certificates) return fail(certificates.error());
  certificates_ = *std::move(certificates);
  if (auto first = certificates_->round(stop); !first) return fail(first.error());
  keeper_ = std::jthread([this, stop] { certificates_->run(stop); });
  return {};
}

Result<void> WebhookServer::serve(const http::TlsServerOptions& tls) {
  auto server = start_webhooks(webhook_server_options(options_.listen, tls), options_.router);
  if (!server) return fail(server.error());
  server_ = *std::move(server);
  return {};
}

Result<void> WebhookServer::tell_api_server(const std::string& ca_bundle, const std::stop_token& stop) {
  CrdRegistration registration;
  registration.release = options_.release;
  registration.webhook = options_.address.at(paths_.convert);
  if (!registered_) registration.ca_bundle = ca_bundle;
  auto registered = register_definitions(*client_, options_.definitions, registration, stop);
  if (!registered) return registered;
  registered_ = true;
  return register_admission(*client_, configurations(ca_bundle), AdmissionRegistration().field_manager, stop);
}

std::vector<k8s::Dynamic> WebhookServer::configurations(const std::string& ca_bundle) const {
  return plan_admission(*converters_, options_.definitions,
                        {.defaults = options_.address.at(paths_.defaults),
                         .validates = options_.address.at(paths_.validates),
                         .ca_bundle = ca_bundle});
}

std::vector<kube::CaBundleTarget> WebhookServer::targets() const {
  std::vector<kube::CaBundleTarget> targets;
  for (const auto& definition : options_.definitions) {
    if (is_converted_by_webhook(definition)) targets.push_back({.name = std::string(definition.name())});
  }
  for (const k8s::Dynamic& configuration : configurations(""))
    targets.push_back(admission_target(configuration));
  return targets;
}

}  // namespace fairway::conversion
