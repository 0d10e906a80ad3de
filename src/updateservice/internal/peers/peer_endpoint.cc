// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/peers/peer_endpoint.h"

#include <utility>

#include "base/log.h"
#include "updateservice/internal/peers/peer_token.h"

namespace fairway::updateservice {

http::Router peer_router(WhatIsHeld held) {
  http::Router router;
  router.blocking(held_path, "GET", [held = std::move(held)](const http::Request&) {
    const auto answer = held();
    if (!answer) return http::Response::text(503, "what this replica holds is not known yet\n");
    std::string body = pack_answer(*answer);
    if (body.size() > max_peer_answer) {
      log::error("what this replica holds is too large for another one", {{"bytes", body.size()}});
      return http::Response::text(503, "what this replica holds is too large\n");
    }
    auto response = http::Response::text(200, std::move(body), "application/octet-stream");
    response.headers.add("Cache-Control", "no-store");
    return response;
  });
  return router;
}

http::ServerOptions peer_server_options(const PeerOptions& options) {
  return {.listen = options.listen,
          .tls = http::TlsServerOptions{.shared_key = key_of_peers(options.token_file)},
          .io_threads = 1,
          // An answer takes as much memory as the graph data.
          .blocking_threads = 1,
          .blocking_queue = 64,
          .max_connections = 128,
          .max_unfinished_bytes = 4 << 20};
}

}  // namespace fairway::updateservice
