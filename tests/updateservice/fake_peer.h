// SPDX-License-Identifier: Apache-2.0

// Servers that are no replicas, or bad ones, each by a name.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "http/server.h"
#include "updateservice/internal/peers/peer_answer.h"
#include "updateservice/running_service.h"

namespace fairway::updateservice::testing {

/// Sends bytes until its reader is gone.
class EndlessReply {
 public:
  http::Response start() {
    http::Response response;
    response.stream = http::Stream::make();
    thread_ = std::jthread([stream = response.stream](const std::stop_token& stop) {
      std::mutex mutex;
      std::condition_variable_any never;
      std::unique_lock lock(mutex);
      while (!stream->cancelled().stop_requested() && !stop.stop_requested()) {
        static_cast<void>(stream->try_push(http::make_bytes(std::string(1024, 'x'))));
        never.wait_for(lock, stop, std::chrono::milliseconds(5), [] { return false; });
      }
    });
    return response;
  }

 private:
  std::jthread thread_;
};

/// Listens on loopback, and answers every request as its name says.
class FakePeer {
 public:
  FakePeer(std::string name, std::string token) : name_(std::move(name)), token_(std::move(token)) {
    http::Router router;
    router.blocking("/", "GET", [this](const http::Request& request) { return answer(request); });
    http::ServerOptions options{.listen = "127.0.0.1:0", .io_threads = 1};
    // "plain" ones speak HTTP, and have no token.
    if (!name_.starts_with("plain"))
      options.tls = http::TlsServerOptions{.shared_key = [this] { return Result<std::string>(token_); }};
    auto started = http::Server::start(options, router);
    if (!started) throw std::runtime_error(started.error().message);
    server_ = std::move(*started);
  }
  std::string address() const { return server_->address(); }
  int asked() const { return asked_; }

 private:
  http::Response answer(const http::Request& request) {
    ++asked_;
    const auto inputs = small_build({{"blocked-edges/4.7.0.yaml", ""}}).inputs;
    if (name_ == "500") return http::Response::text(500, "no");
    if (name_.ends_with("garbage")) return http::Response::text(200, "hello");
    if (name_ == "empty") return http::Response::text(200, "");
    if (name_ == "redirect") {
      auto response = http::Response::text(302, "");
      response.headers.add("Location", "https://127.0.0.1:1/internal/held");
      return response;
    }
    if (name_ == "plain") return http::Response::text(200, pack_answer({"x", inputs}));
    if (name_ == "cut-short") {
      const std::string body = pack_answer({"x", inputs});
      return http::Response::text(200, body.substr(0, body.size() / 2));
    }
    if (name_ == "refused") {
      auto bad = std::make_shared<BuiltInputs>(*inputs);
      bad->files =
          std::make_shared<const graphdata::Files>(small_files({{"blocked-edges/4.7.0.yaml", "from: .*\n"}}));
      return http::Response::text(200, pack_answer({"x", bad}));
    }
    if (name_ == "slow") {
      hang(request.cancelled);
      return http::Response::text(200, "");
    }
    if (name_ == "torn") {
      http::Response response;
      response.stream = http::Stream::make();
      static_cast<void>(response.stream->try_push(http::make_bytes(pack_answer({"x", inputs}))));
      response.stream->close(true);
      return response;
    }
    if (name_ == "endless") return endless_.start();
    throw std::runtime_error("there is no such peer: " + name_);
  }

  const std::string name_, token_;
  std::atomic<int> asked_ = 0;
  EndlessReply endless_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace fairway::updateservice::testing
