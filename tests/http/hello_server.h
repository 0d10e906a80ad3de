// SPDX-License-Identifier: Apache-2.0

// The server that tests load and attack: a small reply, a large one, and one that takes a body.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "http/server.h"

namespace fairway::http {

inline const std::string hello_request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";

/// /hello says "hello", /large has `large` bytes, and /echo sends back the body that was posted to it.
inline Router hello_routes(std::size_t large = 8 << 20) {
  Router router;
  const auto hello = Prepared::make(200, {}, make_bytes("hello"));
  const auto large_reply = Prepared::make(200, {}, make_bytes(std::string(large, 'x')));
  router.immediate("/hello", "GET HEAD", [hello](const Request&) { return Response::of(hello); });
  router.immediate("/large", "GET", [large_reply](const Request&) { return Response::of(large_reply); });
  router.blocking("/echo", "POST",
                  [](const Request& request) { return Response::text(200, std::string(request.body)); });
  return router;
}

/// Serves them on a free loopback port, with two I/O threads unless `options` says how many.
inline std::unique_ptr<Server> start_hello_server(ServerOptions options = {},
                                                  Router router = hello_routes()) {
  options.listen = "127.0.0.1:0";
  if (options.io_threads == 0) options.io_threads = 2;
  return Server::start(options, std::move(router)).value();
}

}  // namespace fairway::http
