// SPDX-License-Identifier: Apache-2.0

// A server on a free loopback port, all requests to which are answered by one function.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "http/server.h"

namespace fairway::testing {

/// Serves `methods` ("GET POST") of every path on blocking threads; throws if it cannot listen. It has one
/// I/O thread, unless `options` asks for more.
inline std::unique_ptr<http::Server> serve_on_loopback(
    std::string_view methods, std::function<http::Response(const http::Request&)> answer,
    http::ServerOptions options) {
  http::Router router;
  router.blocking("/", methods, std::move(answer));
  options.listen = "127.0.0.1:0";
  if (options.io_threads == 0) options.io_threads = 1;
  auto server = http::Server::start(options, router);
  if (!server) throw std::runtime_error(server.error().message);
  return std::move(*server);
}

}  // namespace fairway::testing
