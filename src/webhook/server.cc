// SPDX-License-Identifier: Apache-2.0

#include "webhook/server.h"

#include <algorithm>
#include <utility>

#include "base/backoff.h"
#include "base/log.h"
#include "webhook/internal/readiness.h"
#include "webhook/internal/registrar.h"
#include "webhook/internal/serve.h"

namespace fairway::webhook {
namespace {

/// Time for which a server that stops answers open connections: API servers keep them, and do not retry a
/// request on one that is being closed.
constexpr std::chrono::seconds quiet{2};

/// The shortest interval of checks, while something is wrong.
constexpr std::chrono::seconds first_pause{1};

/// The longest interval of checks where conversions rely on a guard.
constexpr std::chrono::seconds guard_pause{5};

/// Pauses of a start that has to wait for an API server.
constexpr BackoffSchedule start_pauses{.first = std::chrono::milliseconds(500),
                                       .longest = std::chrono::seconds(30)};

/// Returns whether the API server was not reached, or not in time: a retry may help.
bool may_help_later(const Error& error) {
  return error.code == ErrorCode::unavailable || error.code == ErrorCode::deadline_exceeded;
}

}  // namespace

WebhookServer::WebhookServer(std::shared_ptr<kube::Client> client, ServerOptions options,
                             std::unique_ptr<Registrar> registrar)
    : client_(std::move(client)),
      options_(std::move(options)),
      registrar_(std::move(registrar)),
      readiness_(std::make_unique<Readiness>()) {}

Result<std::unique_ptr<WebhookServer>> WebhookServer::start(std::shared_ptr<kube::Client> client,
                                                            ServerOptions options,
                                                            const std::stop_token& stop) {
  if (!options.handlers.empty()) {
    auto names = options.address.names();
    if (!names) return fail(names.error());
    if (options.certificates.names.empty()) options.certificates.names = *std::move(names);
  }
  auto registrar =
      Registrar::create(client, options.definitions, options.handlers, options.address, options.release);
  if (!registrar) return fail(registrar.error());
  std::unique_ptr<WebhookServer> server(
      new WebhookServer(std::move(client), std::move(options), *std::move(registrar)));
  {
    const std::stop_callback on_stop(stop, [&] { server->stop_.request_stop(); });
    if (auto begun = server->begin(server->stop_.get_token()); !begun) return fail(begun.error());
  }
  server->check_thread_ = std::jthread(
      [started = server.get(), token = server->stop_.get_token()] { started->run_checks(token); });
  if (server->server_) {
    log::info("serving webhooks",
              {{"listen", server->address()}, {"reached_by", server->options_.address.to_string()}});
  }
  return server;
}

WebhookServer::~WebhookServer() {
  stop_.request_stop();
}

std::optional<std::string> WebhookServer::not_ready() const {
  return readiness_->not_ready();
}

void WebhookServer::drain(std::chrono::milliseconds limit) {
  stop_.request_stop();
  if (certificate_thread_.joinable()) certificate_thread_.join();
  if (check_thread_.joinable()) check_thread_.join();
  if (server_) server_->drain(limit, quiet);
}

Result<void> WebhookServer::begin(const std::stop_token& stop) {
  const bool issues = !options_.handlers.empty() && options_.certificate_file.empty();
  if (!options_.handlers.empty() && !issues) {
    http::TlsServerOptions tls;
    tls.certificate_file = options_.certificate_file;
    tls.key_file = options_.key_file;
    tls.client_ca_file = options_.client_ca_file;
    if (auto served = serve(tls); !served) return served;
  }
  if (issues) {
    if (auto made = make_certificates(stop); !made) return made;
  }
  Backoff backoff(start_pauses, client_->clock());
  while (true) {
    const Result<void> registered = issues ? first_round(stop) : registrar_->register_all("", stop);
    const Result<void> checked = registered ? check(stop) : registered;
    if (checked) break;
    if (!may_help_later(checked.error()) || cannot_serve_ || stop.stop_requested()) return checked;
    log::warning("the API server cannot be asked; trying again", {{"why", checked.error().message}});
    const auto pause = std::chrono::duration_cast<SteadyTime::duration>(backoff.next());
    client_->clock().wait_until(client_->clock().steady() + pause, stop);
    if (stop.stop_requested()) return checked;
  }
  if (issues) certificate_thread_ = std::jthread([this, stop] { certificates_->run(stop); });
  return {};
}

Result<void> WebhookServer::make_certificates(const std::stop_token& stop) {
  ServerCertificatesOptions certificate_options;
  certificate_options.secret = options_.secret;
  certificate_options.policy = options_.certificates;
  certificate_options.targets = registrar_->targets();
  certificate_options.check_interval = options_.check_interval;
  certificate_options.serve = [this](const http::KeyedCertificate& made) -> Result<void> {
    if (server_) return server_->use_certificate(made.certificate, made.key);
    http::TlsServerOptions tls;
    tls.certificate = made.certificate;
    tls.key = made.key;
    tls.client_ca_file = options_.client_ca_file;
    return serve(tls);
  };
  certificate_options.before_publishing = [this, stop](const std::string& bundle) {
    return registrar_->register_all(bundle, stop);
  };
  auto certificates = ServerCertificates::create(client_, std::move(certificate_options));
  if (!certificates) return fail(certificates.error());
  certificates_ = *std::move(certificates);
  return {};
}

Result<void> WebhookServer::first_round(const std::stop_token& stop) {
  if (auto first = certificates_->round(stop); !first) return fail(first.error());
  return {};
}

Result<void> WebhookServer::serve(const http::TlsServerOptions& tls) {
  auto server = serve_guarded(listen_options(options_.listen, tls, options_.handlers), options_.handlers,
                              options_.router, [this] { return not_ready(); });
  cannot_serve_ = !server;
  if (!server) return fail(server.error());
  server_ = *std::move(server);
  return {};
}

Result<void> WebhookServer::check(const std::stop_token& stop) {
  const Registrar::Restored found = registrar_->restore(stop);
  guarded_ = found.guarded;
  others_guard_ = found.others_guard;
  if (found.error) return fail(*found.error);
  readiness_->record(found.unreached);
  return {};
}

void WebhookServer::run_checks(const std::stop_token& stop) {
  Clock& clock = client_->clock();
  auto longest = std::chrono::duration_cast<SteadyTime::duration>(options_.check_interval);
  if (registrar_->needs_guards()) longest = std::min<SteadyTime::duration>(longest, guard_pause);
  const auto shortest = std::min<SteadyTime::duration>(longest, first_pause);
  const auto next_pause = [&] {
    if (not_ready() || !guarded_) return shortest;
    return others_guard_ ? std::min<SteadyTime::duration>(longest, guard_pause) : longest;
  };
  SteadyTime::duration pause = next_pause();
  Backoff backoff({.first = shortest, .longest = longest}, clock);
  while (clock.wait_until(clock.steady() + pause, stop)) {
    if (const auto checked = check(stop); checked) {
      pause = next_pause();
      backoff.reset();
    } else if (!stop.stop_requested()) {
      log::error("what is registered is not as it should be", {{"why", checked.error().message}});
      pause = std::chrono::duration_cast<SteadyTime::duration>(backoff.next());
    }
  }
}

}  // namespace fairway::webhook
