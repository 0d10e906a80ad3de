// SPDX-License-Identifier: Apache-2.0

// A client whose calls and watches share a connection of HTTP/2.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/seen_watch.h"
#include "apiserver/server_case.h"
#include "http/silent_relay.h"
#include "http/url.h"

namespace fairway::apiserver::testing {
namespace {

class OverHttp2 : public ::testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    options.limits.http2 = http::Http2::tls;
    // Namespaces have no ConfigMap of the server's own.
    options.namespace_defaults = false;
    server = start_server(std::move(options));
    relay = std::make_unique<http::SilentRelay>(http::Url::parse(server->url()).value().port);
    kube::ClientConfig config;
    config.server = "https://127.0.0.1:" + std::to_string(relay->port());
    config.cluster_origin = config.user_origin = "the test's server";
    config.ca = server->authority();
    config.certificate = server->admin().certificate;
    config.key = server->admin().key;
    client = kube::Client::create(std::move(config), {.http2 = true}).value();
  }
  std::string create(const std::string& name) const {
    const auto made = client->create(config_maps, object_of(R"({"apiVersion":"v1","kind":"ConfigMap",
        "metadata":{"name":")" + name + R"(","namespace":"default"}})"));
    return made ? std::string(made->name()) : made.error().message;
  }

  std::unique_ptr<EmbeddedServer> server;
  std::unique_ptr<http::SilentRelay> relay;
  std::shared_ptr<kube::Client> client;
};

TEST_F(OverHttp2, WatchesAndCallsShareAConnection) {
  start();
  constexpr std::size_t watches = 30, objects = 20;
  std::vector<std::unique_ptr<Seen>> seen;
  kube::WatchOptions options;
  options.resource_version = client->list(config_maps, "default").value().resource_version;
  for (std::size_t i = 0; i < watches; ++i)
    seen.push_back(std::make_unique<Seen>(client, config_maps, options));
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < objects; ++i) {
    const std::string name = "a" + std::to_string(i);
    ASSERT_EQ(create(name), name);
    expected.push_back("ADDED " + name);
  }
  for (const auto& each : seen) EXPECT_EQ(each->events(objects), expected);
  EXPECT_EQ(relay->connections(), 1U);
}

TEST_F(OverHttp2, ARefusalIsAStatus) {
  start();
  ASSERT_EQ(create("a"), "a");
  const auto again = client->create(config_maps, object_of(R"({"apiVersion":"v1","kind":"ConfigMap",
      "metadata":{"name":"a","namespace":"default"}})"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().status.reason(), "AlreadyExists");
  EXPECT_EQ(client->get(config_maps, {"default", "missing"}).error().status.reason(), "NotFound");
  EXPECT_EQ(relay->connections(), 1U);
}

TEST_F(OverHttp2, AServerThatStopsEndsItsWatches) {
  start();
  Seen seen(client, config_maps,
            {.resource_version = client->list(config_maps, "default")->resource_version});
  ASSERT_EQ(create("a"), "a");
  ASSERT_EQ(seen.events(1).size(), 1U);
  server.reset();
  EXPECT_NE(seen.end(), "");
}

}  // namespace
}  // namespace fairway::apiserver::testing
