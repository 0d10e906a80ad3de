#include "conversion/webhook_server.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "webhook/crd_registration.h"

namespace fairway::conversion {
namespace {

/// API servers keep their connections, and do not repeat what they sent on one that was just being closed.
constexpr std::chrono::seconds quiet{2};

/// While it is not ready, it looks more often than it is told to.
constexpr std::chrono::seconds look_until_ready{1};

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
    if (ready) ready = server->look(server->stop_.get_token());
    if (!ready) return fail(ready.error());
  }
  server->looker_ = std::jthread(
      [looker = server.get(), token = server->stop_.get_token()] { looker->keep_looking(token); });
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
  if (looker_.joinable()) looker_.join();
  server_->drain(limit, quiet);
}

Result<void> WebhookServer::keep_certificates(const std::stop_token& stop) {
  webhook::ServerCertificatesOptions keeping;
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
  auto certificates = webhook::ServerCertificates::create(client_, std::move(keeping));
  if (!certificates) return fail(certificates.error());
  certificates_ = *std::move(certificates);
  if (auto first = certificates_->round(stop); !first) return fail(first.error());
  keeper_ = std::jthread([this, stop] { certificates_->run(stop); });
  return {};
}

Result<void> WebhookServer::serve(const http::TlsServerOptions& tls) {
  auto server = start_webhooks(webhook_server_options(options_.listen, tls), options_.router,
                               [this] { return not_ready(); });
  if (!server) return fail(server.error());
  server_ = *std::move(server);
  return {};
}

Result<void> WebhookServer::tell_api_server(const std::string& ca_bundle, const std::stop_token& stop) {
  webhook::CrdRegistration registration;
  registration.release = options_.release;
  registration.webhook = options_.address.at(paths_.convert);
  if (!registered_) registration.ca_bundle = ca_bundle;
  auto registered = webhook::register_definitions(*client_, options_.definitions, registration, stop);
  if (!registered) return registered;
  registered_ = true;
  {
    const std::lock_guard lock(told_mutex_);
    told_bundle_ = ca_bundle;
  }
  return register_webhooks(stop);
}

Result<void> WebhookServer::register_webhooks(const std::stop_token& stop) {
  const std::lock_guard lock(told_mutex_);
  const AdmissionRegistration registration = admission(told_bundle_);
  return register_admission(*client_, plan_admission(*converters_, options_.definitions, registration),
                            registration, stop);
}

Result<void> WebhookServer::look(const std::stop_token& stop) {
  std::vector<std::string> missing;
  for (const auto& definition : options_.definitions) {
    const auto read = client_->get(k8s::CustomResourceDefinition::resource.group_version_resource(),
                                   {"", std::string(definition.name())}, {}, {.stop = stop});
    if (!read) return fail(read.error());
    const auto checked = converters_->check(k8s::CustomResourceDefinition(read->json()));
    if (!checked) missing.push_back(checked.error().message);
  }
  note_missing_ways(join(missing, "; "));
  return register_webhooks(stop);
}

void WebhookServer::keep_looking(const std::stop_token& stop) {
  Clock& clock = client_->clock();
  const auto pause = [&] {
    const auto longest = std::chrono::duration_cast<SteadyTime::duration>(options_.look_every);
    return not_ready() ? std::min<SteadyTime::duration>(longest, look_until_ready) : longest;
  };
  while (clock.wait_until(clock.steady() + pause(), stop)) {
    const auto looked = look(stop);
    if (!looked && !stop.stop_requested())
      log::error("what is registered is not as it should be", {{"why", looked.error().message}});
  }
}

void WebhookServer::note_missing_ways(const std::string& missing) {
  bool goes_on = false;
  {
    const std::lock_guard lock(mutex_);
    if (missing_ways_ == missing) return;
    const bool first = !missing_ways_;
    missing_ways_ = missing;
    goes_on = was_ready_;
    was_ready_ = was_ready_ || missing.empty();
    if (first && missing.empty()) return;
  }
  if (missing.empty()) {
    log::info("every version on the server can be converted again");
  } else if (goes_on) {
    log::warning("another release has registered versions that this one cannot convert; it serves the others",
                 {{"missing", missing}});
  } else {
    log::error("not ready: another release has registered versions that this one cannot convert",
               {{"missing", missing}});
  }
}

std::optional<std::string> WebhookServer::not_ready() const {
  const std::lock_guard lock(mutex_);
  if (was_ready_) return std::nullopt;
  if (!missing_ways_) return "the definitions are not registered yet";
  return "another release has registered versions that this one cannot convert: " + *missing_ways_;
}

AdmissionRegistration WebhookServer::admission(const std::string& ca_bundle) const {
  return {.defaults = options_.address.at(paths_.defaults),
          .validates = options_.address.at(paths_.validates),
          .ca_bundle = ca_bundle,
          .release = options_.release};
}

std::vector<webhook::CaBundleTarget> WebhookServer::targets() const {
  std::vector<webhook::CaBundleTarget> targets;
  for (const auto& definition : options_.definitions) {
    if (webhook::is_converted_by_webhook(definition))
      targets.push_back({.name = std::string(definition.name())});
  }
  for (const auto& configuration : plan_admission(*converters_, options_.definitions, admission("")))
    targets.push_back(admission_target(configuration));
  return targets;
}

}  // namespace fairway::conversion
