// Servers that are no replicas, or bad ones, each by a name.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "http/server.h"
#include "updateservice/internal/peers/peer_answer.h"
#include "updateservice/internal/peers/peer_token.h"
#include "updateservice/running_service.h"

namespace fairway::updateservice::testing {

/// Sends bytes until its reader goes.
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

/// Listens on loopback, and answers every question as its name says.
class FakePeer {
 public:
  FakePeer(std::string name, std::string token) : name_(std::move(name)), token_(std::move(token)) {
    http::Router router;
    router.blocking("/", "GET", [this](const http::Request& request) { return answer(request); });
    auto started = http::Server::start({.listen = "127.0.0.1:0", .io_threads = 1}, router);
    if (!started) throw std::runtime_error(started.error().message);
    server_ = std::move(*started);
  }
  std::string address() const { return server_->address(); }
  int asked() const { return asked_; }

 private:
  static http::Response with(std::string body, const std::string& proof) {
    auto response = http::Response::text(200, std::move(body));
    response.headers.add(proof_header, proof);
    return response;
  }

  http::Response answer(const http::Request& request) {
    ++asked_;
    const std::string_view nonce = check_question(token_, request.header("Authorization").value_or(""));
    const auto proven = [&](std::string body) {
      const std::string proof = prove_answer(token_, nonce, body);
      return with(std::move(body), proof);
    };
    const auto inputs = small_build({{"blocked-edges/4.7.0.yaml", ""}}).inputs;
    if (name_ == "500") return http::Response::text(500, "no");
    if (name_ == "garbage") return http::Response::text(200, "hello");
    if (name_ == "empty") return http::Response::text(200, "");
    if (name_ == "redirect") {
      auto response = http::Response::text(302, "");
      response.headers.add("Location", "http://127.0.0.1:1/internal/held");
      return response;
    }
    if (name_ == "other-proof")
      return with(pack_answer({"x", inputs}), prove_answer(token_, nonce, "another"));
    if (name_ == "replay") {
      const std::string body = pack_answer({"x", inputs});
      return with(body, prove_answer(token_, new_nonce(), body));
    }
    if (name_ == "proven-garbage") return proven("hello");
    if (name_ == "proven-torn") {
      const std::string body = pack_answer({"x", inputs});
      return proven(body.substr(0, body.size() / 2));
    }
    if (name_ == "proven-refused") {
      auto bad = std::make_shared<BuiltInputs>(*inputs);
      bad->files =
          std::make_shared<const graphdata::Files>(small_files({{"blocked-edges/4.7.0.yaml", "from: .*\n"}}));
      return proven(pack_answer({"x", bad}));
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
