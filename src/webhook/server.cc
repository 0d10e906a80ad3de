#include "webhook/server.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "webhook/internal/readiness.h"
#include "webhook/internal/registrar.h"

namespace fairway::webhook {
namespace {

/// API servers keep their connections, and do not repeat what they sent on one that was just being closed.
constexpr std::chrono::seconds quiet{2};

/// How soon to look while something is not as it should be.
constexpr std::chrono::seconds first_pause{1};

}  // namespace

Server::Server(std::shared_ptr<kube::Client> client, ServerOptions options,
               std::unique_ptr<Registrar> registrar)
    : client_(std::move(client)),
      options_(std::move(options)),
      registrar_(std::move(registrar)),
      readiness_(std::make_unique<Readiness>()) {}

Result<std::unique_ptr<Server>> Server::start(std::shared_ptr<kube::Client> client, ServerOptions options,
                                              const std::stop_token& stop) {
  if (!options.handlers.empty()) {
    auto names = options.address.names();
    if (!names) return fail(names.error());
    if (options.certificates.names.empty()) options.certificates.names = *std::move(names);
  }
  auto registrar =
      Registrar::create(client, options.definitions, options.handlers, options.address, options.release);
  if (!registrar) return fail(registrar.error());
  std::unique_ptr<Server> server(new Server(std::move(client), std::move(options), *std::move(registrar)));
  {
    const std::stop_callback on_stop(stop, [&] { server->stop_.request_stop(); });
    if (auto begun = server->begin(server->stop_.get_token()); !begun) return fail(begun.error());
  }
  server->looker_ = std::jthread(
      [looker = server.get(), token = server->stop_.get_token()] { looker->keep_looking(token); });
  if (server->server_) {
    log::info("serving webhooks",
              {{"listen", server->address()}, {"reached_by", server->options_.address.to_string()}});
  }
  return server;
}

Server::~Server() {
  stop_.request_stop();
}

std::optional<std::string> Server::not_ready() const {
  return readiness_->not_ready();
}

void Server::drain(std::chrono::milliseconds limit) {
  stop_.request_stop();
  if (keeper_.joinable()) keeper_.join();
  if (looker_.joinable()) looker_.join();
  if (server_) server_->drain(limit, quiet);
}

Result<void> Server::begin(const std::stop_token& stop) {
  if (!options_.handlers.empty() && options_.certificate_file.empty()) {
    if (auto kept = keep_certificates(stop); !kept) return kept;
    return look(stop);
  }
  if (!options_.handlers.empty()) {
    http::TlsServerOptions tls;
    tls.certificate_file = options_.certificate_file;
    tls.key_file = options_.key_file;
    if (auto served = serve(tls); !served) return served;
  }
  if (auto registered = registrar_->register_all("", stop); !registered) return registered;
  return look(stop);
}

Result<void> Server::keep_certificates(const std::stop_token& stop) {
  ServerCertificatesOptions keeping;
  keeping.secret = options_.secret;
  keeping.policy = options_.certificates;
  keeping.targets = registrar_->targets();
  keeping.look_every = options_.look_every;
  keeping.serve = [this](const http::KeyedCertificate& made) -> Result<void> {
    if (server_) return server_->use_certificate(made.certificate, made.key);
    http::TlsServerOptions tls;
    tls.certificate = made.certificate;
    tls.key = made.key;
    return serve(tls);
  };
  keeping.before_publishing = [this, stop](const std::string& bundle) {
    return registrar_->register_all(bundle, stop);
  };
  auto certificates = ServerCertificates::create(client_, std::move(keeping));
  if (!certificates) return fail(certificates.error());
  certificates_ = *std::move(certificates);
  if (auto first = certificates_->round(stop); !first) return fail(first.error());
  keeper_ = std::jthread([this, stop] { certificates_->run(stop); });
  return {};
}

Result<void> Server::serve(const http::TlsServerOptions& tls) {
  auto server = listen(listen_options(options_.listen, tls, options_.handlers), options_.handlers,
                       options_.router, [this] { return not_ready(); });
  if (!server) return fail(server.error());
  server_ = *std::move(server);
  return {};
}

Result<void> Server::look(const std::stop_token& stop) {
  const Registrar::Look found = registrar_->look(stop);
  if (found.error) return fail(*found.error);
  readiness_->note(found.unreached);
  return {};
}

void Server::keep_looking(const std::stop_token& stop) {
  Clock& clock = client_->clock();
  const auto longest = std::chrono::duration_cast<SteadyTime::duration>(options_.look_every);
  const auto shortest = std::min<SteadyTime::duration>(longest, first_pause);
  SteadyTime::duration pause = not_ready() ? shortest : longest, retry = shortest;
  while (clock.wait_until(clock.steady() + pause, stop)) {
    if (const auto looked = look(stop); looked) {
      pause = not_ready() ? shortest : longest;
      retry = shortest;
    } else if (!stop.stop_requested()) {
      log::error("what is registered is not as it should be", {{"why", looked.error().message}});
      pause = retry;
      retry = std::min(retry * 2, longest);
    }
  }
}

}  // namespace fairway::webhook
