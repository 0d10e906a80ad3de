// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/status_server.h"

#include <utility>

#include "http/status_options.h"

namespace fairway::kube {

http::Handler health_answer(std::function<std::optional<std::string>()> fault, const char* otherwise) {
  return [fault = std::move(fault), otherwise](const http::Request&) {
    const auto reason = fault();
    if (!reason) return http::Response::text(200, "ok\n");
    http::Response response = http::Response::text(503, std::string(otherwise) + ": " + *reason + "\n");
    response.headers.add("Retry-After", "1");
    return response;
  };
}

Result<std::unique_ptr<http::Server>> start_status_server(const std::string& listen, StatusAnswers answers) {
  http::Router router;
  const http::Handler alive = health_answer(std::move(answers.not_alive), "not alive");
  // On the I/O thread: whoever keeps the few threads of this port busy must not have the process restarted.
  for (const char* path : {"/livez", "/healthz"}) router.immediate(path, "GET HEAD", alive);
  router.blocking("/readyz", "GET HEAD", health_answer(std::move(answers.not_ready), "not ready"));
  router.blocking("/metrics", "GET HEAD", [text = std::move(answers.metrics)](const http::Request&) {
    return http::Response::text(200, text(), "text/plain; version=0.0.4; charset=utf-8");
  });
  for (StatusPage& page : answers.pages) {
    router.blocking(page.path, "GET HEAD",
                    [text = std::move(page.text), type = std::move(page.content_type)](const http::Request&) {
                      return http::Response::text(200, text(), type);
                    });
  }
  for (const auto& add : answers.routes) {
    if (auto added = add(router); !added) return fail(added.error().within("opening the status port"));
  }
  auto server = http::Server::start(http::status_server_options(listen), std::move(router));
  if (!server) return fail(server.error().within("opening the status port"));
  return server;
}

}  // namespace fairway::kube
