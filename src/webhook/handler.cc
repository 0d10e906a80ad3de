// SPDX-License-Identifier: Apache-2.0

#include "webhook/handler.h"

#include <algorithm>
#include <utility>

#include "kube/controller/status_server.h"
#include "webhook/exchange.h"
#include "webhook/internal/serve.h"

namespace fairway::webhook {

namespace {

/// Wraps a handler so that it answers clients with a certificate only. The handshake asks for a certificate
/// but does not require one, because a kubelet's probes have none.
http::Handler for_known_clients(http::Handler answer) {
  return [answer = std::move(answer)](const http::Request& request) {
    if (request.peer != nullptr && !request.peer->certificate_digest.empty()) return answer(request);
    return status_response(401, "this webhook answers clients with a certificate of its client CA only");
  };
}

}  // namespace

std::string guard_name(const k8s::CustomResourceDefinition& definition) {
  return "quarantine." + std::string(definition.name());
}

Handler admission_handler(std::string path, AdmissionHandler handler, metrics::Registry& metrics,
                          std::vector<AdmissionWebhook> webhooks, bool blocks) {
  const auto counter = [&](const std::string& result) {
    return metrics.counter("fairway_admission_reviews_total", "AdmissionReviews by path and result",
                           {{"path", path}, {"result", result}});
  };
  http::Handler answer = [handler = std::move(handler), allowed = counter("allowed"),
                          denied = counter("denied"),
                          refused = counter("refused")](const http::Request& request) mutable {
    if (auto response = refuse_media_type(request)) {
      refused.add();
      return *std::move(response);
    }
    if (request.body.size() > max_admission_bytes) {
      refused.add();
      return status_response(413, "an AdmissionReview may have " + std::to_string(max_admission_bytes) +
                                      " bytes, and this one has " + std::to_string(request.body.size()));
    }
    AdmissionReply reply = answer_admission(handler, request.body);
    (reply.http_status != 200 ? refused : reply.allowed ? allowed : denied).add();
    return http::Response::json(reply.http_status, std::move(reply.body));
  };
  return {.path = std::move(path),
          .answer = std::move(answer),
          .blocks = blocks,
          .max_body_bytes = max_admission_bytes,
          .webhooks = std::move(webhooks)};
}

void add_to(http::Router& router, const Handler& handler) {
  if (handler.blocks) {
    router.blocking(handler.path, "POST", handler.answer);
  } else {
    router.immediate(handler.path, "POST", handler.answer);
  }
}

http::ServerOptions listen_options(std::string listen, http::TlsServerOptions tls,
                                   const std::vector<Handler>& handlers) {
  http::ServerOptions options;
  options.listen = std::move(listen);
  options.tls = std::move(tls);
  options.max_body_bytes = max_admission_bytes;
  for (const Handler& handler : handlers)
    options.max_body_bytes = std::max(options.max_body_bytes, handler.max_body_bytes);
  options.max_bodies_bytes = 4 * options.max_body_bytes;
  // API servers are near and send what they have in memory: a slow client must not hold up others. They wait
  // for no webhook longer than 30 s.
  options.min_body_rate = 64 << 10;
  options.rate_window = std::chrono::seconds(5);
  options.body_timeout = std::chrono::seconds(30);
  return options;
}

Result<std::unique_ptr<http::Server>> listen(const http::ServerOptions& options,
                                             const std::vector<Handler>& handlers, http::Router router,
                                             std::function<std::optional<std::string>()> not_ready) {
  for (const Handler& handler : handlers) {
    if (!handler.conversion || handler.conversion->guarded.empty()) continue;
    return fail(ErrorCode::invalid, handler.conversion->guarded.front().to_string() +
                                        " is to be quarantined, which needs a validating webhook that this "
                                        "server registers: start a WebhookServer");
  }
  return serve_guarded(options, handlers, std::move(router), std::move(not_ready));
}

Result<std::unique_ptr<http::Server>> serve_guarded(const http::ServerOptions& options,
                                                    const std::vector<Handler>& handlers, http::Router router,
                                                    std::function<std::optional<std::string>()> not_ready) {
  const auto no_fault = []() -> std::optional<std::string> { return std::nullopt; };
  if (!not_ready) not_ready = no_fault;
  const bool wants_certificates =
      options.tls && !(options.tls->client_ca_file.empty() && options.tls->client_ca.empty());
  for (Handler handler : handlers) {
    if (wants_certificates) handler.answer = for_known_clients(std::move(handler.answer));
    add_to(router, handler);
  }
  router.immediate("/livez", "GET HEAD", kube::health_answer(no_fault, "not alive"))
      .immediate("/readyz", "GET HEAD", kube::health_answer(std::move(not_ready), "not ready"));
  router.refusal([](int status, std::string_view why) { return status_response(status, why); });
  return http::Server::start(options, std::move(router));
}

}  // namespace fairway::webhook
