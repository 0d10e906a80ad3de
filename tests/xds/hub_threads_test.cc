// SPDX-License-Identifier: Apache-2.0

// The hub from many threads at once, without gRPC: the thread sanitizer sees all of it. It does not see the
// locks of gRPC's library, which is not built with it.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "xds/internal/hub.h"

namespace fairway::xds {
namespace {

constexpr const char* request_type = "envoy.service.discovery.v3.DeltaDiscoveryRequest";

/// A client that answers the responses when its thread asks it to.
class AnsweringClient final : public Client {
 public:
  AnsweringClient(Hub& hub, std::string name) : Client(hub.new_stream()), hub_(hub), name_(std::move(name)) {}

  void pump(const Snapshot& snapshot) override {
    while (auto response = discovery.next(snapshot)) responses_.push_back(*std::move(response));
  }
  void close() override {}

  void ask(Type type, const std::vector<std::string>& names = {}) {
    json::Array subscribed;
    for (const std::string& name : names) subscribed.emplace_back(name);
    json::Object request{{"node", json::Object{{"id", name_}}}, {"type_url", url_of(type)}};
    if (!subscribed.empty()) request["resource_names_subscribe"] = std::move(subscribed);
    send(request);
  }
  /// Answers all responses since the last call. Returns false if there were none.
  bool answer(bool refuses_one) {
    std::vector<DeltaResponse> responses;
    {
      const std::scoped_lock lock(hub_.mutex());
      responses.swap(responses_);
    }
    for (const DeltaResponse& response : responses) {
      json::Object request{{"type_url", url_of(response.type)}, {"response_nonce", response.nonce}};
      if (std::exchange(refuses_one, false))
        request["error_detail"] = json::Object{{"code", 13}, {"message", "not now"}};
      send(request);
    }
    return !responses.empty();
  }

 private:
  void send(const json::Object& request) {
    const auto bytes = hub_.api().encode(request_type, request);
    ASSERT_TRUE(bytes) << bytes.error().message;
    const auto done = hub_.received(*this, *bytes);
    ASSERT_TRUE(done) << done.error().message;
  }

  Hub& hub_;
  const std::string name_;
  /// The responses that have been sent. Guarded by the hub's lock.
  std::vector<DeltaResponse> responses_;
};

Resources clusters(int version) {
  Resources all;
  for (const char* name : {"a", "b", "c"}) {
    all.emplace(ResourceName{Type::cluster, name},
                json::Object{{"name", name}, {"connect_timeout", std::to_string(version) + "s"}});
    all.emplace(ResourceName{Type::endpoints, name}, json::Object{{"cluster_name", name}});
  }
  return all;
}

TEST(HubThreads, ServeAskAndAnswerAtOnce) {
  auto api = EnvoyApi::embedded();
  if (!api) GTEST_SKIP() << api.error().message;
  std::atomic<int> changes = 0;
  Hub hub(*std::move(api), {.on_change = [&] { ++changes; }, .on_refusal = [&](Type) { ++changes; }});
  constexpr int versions = 200, streams = 20, answers = 20;
  std::atomic<bool> is_over = false;
  std::vector<std::jthread> threads;
  for (const char* name : {"one", "two", "three"}) {
    threads.emplace_back([&hub, name] {
      for (int stream = 0; stream < streams; ++stream) {
        AnsweringClient client(hub, name);
        hub.joined(client);
        client.ask(Type::cluster);
        client.ask(Type::endpoints, {"a", "b", "c"});
        for (int i = 0; i < answers; ++i) {
          client.answer(i % 7 == 3);
          hub.ready(client, [] {});
        }
        hub.left(client);
      }
    });
  }
  threads.emplace_back([&] {
    while (!is_over) {
      static_cast<void>(hub.acknowledgement({Type::cluster, "a"}));
      static_cast<void>(hub.report());
      static_cast<void>(hub.next_lease_end());
      static_cast<void>(hub.connected() + hub.served(Type::cluster) + hub.asked_for(Type::endpoints).size());
      hub.update_peer_report("other", hub.report());
      hub.update_peer_report("other", std::nullopt);
    }
  });
  for (int version = 1; version <= versions; ++version) hub.set(clusters(version));
  for (std::size_t i = 0; i + 1 < threads.size(); ++i) threads[i].join();
  is_over = true;
  threads.back().join();

  std::vector<std::unique_ptr<AnsweringClient>> clients;
  for (const char* name : {"one", "two", "three"}) {
    AnsweringClient& client = *clients.emplace_back(std::make_unique<AnsweringClient>(hub, name));
    hub.joined(client);
    client.ask(Type::cluster);
    client.ask(Type::endpoints, {"a", "b", "c"});
    while (client.answer(false)) {
    }
  }
  for (const Type type : {Type::cluster, Type::endpoints}) {
    EXPECT_EQ(hub.acknowledgement({type, "b"}).state, Acknowledgement::State::acknowledged)
        << message_of(type);
  }
  EXPECT_GT(changes, 0);
  for (const auto& client : clients) hub.left(*client);
}

}  // namespace
}  // namespace fairway::xds
