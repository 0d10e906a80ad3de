#include "updateservice/internal/peers/peer_endpoint.h"

#include <utility>

#include "base/log.h"
#include "updateservice/internal/peers/peer_token.h"

namespace fairway::updateservice {

http::Router peer_router(std::string token_file, WhatIsHeld held) {
  http::Router router;
  router.blocking(held_path, "GET",
                  [token_file = std::move(token_file), held = std::move(held)](const http::Request& request) {
                    const auto token = read_peer_token(token_file);
                    if (!token) {
                      log::error("another replica cannot be answered", {{"reason", token.error().message}});
                      return http::Response::text(503, "the token cannot be read\n");
                    }
                    const std::string_view nonce =
                        check_question(*token, request.header("Authorization").value_or(std::string_view{}));
                    if (nonce.empty()) return http::Response::text(401, "prove that you have the token\n");
                    const auto answer = held();
                    if (!answer)
                      return http::Response::text(503, "what this replica holds is not known yet\n");
                    std::string body = pack_answer(*answer);
                    std::string proof = prove_answer(*token, nonce, body);
                    if (body.size() > max_peer_answer) {
                      log::error("what this replica holds is too large for another one",
                                 {{"bytes", body.size()}});
                      return http::Response::text(503, "what this replica holds is too large\n");
                    }
                    auto response = http::Response::text(200, std::move(body), "application/octet-stream");
                    response.headers.add(proof_header, std::move(proof));
                    response.headers.add("Cache-Control", "no-store");
                    return response;
                  });
  return router;
}

http::ServerOptions peer_server_options(const std::string& listen) {
  return {.listen = listen,
          .io_threads = 1,
          // An answer takes as much memory as the graph data.
          .blocking_threads = 1,
          .blocking_queue = 64,
          .max_connections = 256,
          .max_unfinished_bytes = 4 << 20};
}

}  // namespace fairway::updateservice
