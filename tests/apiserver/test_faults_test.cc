// SPDX-License-Identifier: Apache-2.0

// Faults and the clock that tests of clients ask for.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/raw_client.h"
#include "apiserver/seen_watch.h"
#include "support/eventually.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

const std::string maps = "/api/v1/namespaces/default/configmaps",
                  secrets = "/api/v1/namespaces/default/secrets";

class Faults : public OnServer {
 protected:
  Faults() {
    server = start_server(
        {.clock = &clock, .namespace_defaults = false, .test_faults = true, .test_clock = &clock});
    client = client_of(*server, {.max_retries = 0});
  }
  ~Faults() override {
    // Before the clock, which its threads wait on.
    server.reset();
  }
  http::Reply post(const std::string& faults) const {
    return admin().send("POST", "/fairway/faults", {}, faults);
  }
  RawClient admin() const { return RawClient(*server, &server->admin()); }
  std::string create(const std::string& name) const {
    return std::string(client->create(config_maps, config_map(name)).value().resource_version());
  }
  int update(const std::string& path, const std::string& name) const {
    return admin()
        .send("PATCH", path + "/" + name, {{"Content-Type", "application/merge-patch+json"}},
              R"({"metadata":{"labels":{"a":"b"}}})")
        .status;
  }

  FakeClock clock{parse_time("2026-01-01T00:00:00Z").value()};
};

TEST_F(Faults, CutTheWatchesOfAResource) {
  Seen maps_seen(client, config_maps, {}), all_secrets(client, {"", "v1", "secrets"}, {});
  create("a");
  EXPECT_EQ(maps_seen.events(1), std::vector<std::string>{"ADDED a1"});
  ASSERT_TRUE(fairway::testing::eventually([&] {
    return admin().send("GET", "/metrics").body.find("apiserver_longrunning_requests{verb=\"WATCH\"} 2") !=
           std::string::npos;
  }));
  EXPECT_EQ(post(R"({"cutWatches":{"resource":"configmaps"}})").body,
            "{\"cutWatches\":1,\"conflicts\":null,\"slowWrites\":null}\n");
  EXPECT_EQ(maps_seen.end(), "broken");
  // The other watch still gets its events.
  client
      ->create(
          {"", "v1", "secrets"},
          object_of(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"default"}})"))
      .value();
  EXPECT_EQ(all_secrets.events(1), std::vector<std::string>{"ADDED s"});
  EXPECT_EQ(post(R"({"cutWatches":{}})").body, "{\"cutWatches\":1,\"conflicts\":null,\"slowWrites\":null}\n");
  EXPECT_EQ(all_secrets.end(), "broken");
}

TEST_F(Faults, MakeEachVersionThatAClientKnowsTooOld) {
  create("a");
  const std::string version = create("b");
  const std::string watch = maps + "?watch=true&timeoutSeconds=1&resourceVersion=";
  const auto first_page = admin().send("GET", maps + "?limit=1");
  const std::string token(body_of(first_page).text("metadata.continue"));
  ASSERT_FALSE(token.empty());
  EXPECT_EQ(post(R"({"expire":true})").status, 200);
  const auto watched = admin().send("GET", watch + version);
  EXPECT_NE((std::to_string(watched.status) + watched.body).find("Expired"), std::string::npos)
      << watched.body;
  EXPECT_EQ(admin().send("GET", maps + "?limit=1&continue=" + token).status, 410);
  // A list shows all that is there, and its version can be watched from.
  const auto listed = admin().send("GET", maps);
  EXPECT_EQ(body_of(listed).json().at("items").as_array().size(), 2u);
  Seen seen(client, config_maps, {.resource_version = std::string(body_of(listed).resource_version())});
  create("c");
  EXPECT_EQ(seen.events(1), std::vector<std::string>{"ADDED c1"});
}

TEST_F(Faults, RefuseUpdatesAsIfAnotherHadWritten) {
  create("a");
  EXPECT_EQ(post(R"({"conflicts":{"resource":"configmaps","count":2}})").body,
            "{\"conflicts\":{\"resource\":\"configmaps\",\"count\":2},\"slowWrites\":null}\n");
  const auto refused = admin().send("PUT", maps + "/a", {}, config_map("a", "2").to_text());
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(
      body_of(refused).text("message"),
      "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your "
      "changes to the latest version and try again");
  // Neither reads, nor creates, nor other resources count.
  EXPECT_EQ(admin().send("GET", maps + "/a").status, 200);
  create("b");
  EXPECT_EQ(update("/api/v1/namespaces", "default"), 200);
  EXPECT_EQ(update(maps, "b"), 409);
  EXPECT_EQ(update(maps, "b"), 200);
  EXPECT_EQ(admin().send("GET", "/fairway/faults").body, "{\"conflicts\":null,\"slowWrites\":null}\n");
  EXPECT_EQ(body_of(admin().send("GET", maps + "/a")).text("data.a"), "1")
      << "what was refused is not written";
}

TEST_F(Faults, DelayWritesUntilTheClockIsThere) {
  EXPECT_EQ(post(R"({"slowWrites":{"resource":"configmaps","delay":"20s","count":1}})").status, 200);
  std::jthread write([&] { create("a"); });
  // The server's own threads wait on the clock, too: the delay is one more.
  ASSERT_TRUE(fairway::testing::eventually([&] {
    return admin().send("GET", "/fairway/faults").body.find("slowWrites\":null") != std::string::npos;
  }));
  EXPECT_EQ(admin().send("GET", maps + "/a").status, 404);
  clock.advance(19s);
  EXPECT_EQ(admin().send("GET", maps + "/a").status, 404);
  EXPECT_EQ(admin().send("POST", "/fairway/clock", {}, R"({"advance":"2s"})").body,
            "{\"now\":\"2026-01-01T00:00:21Z\"}\n");
  write.join();
  EXPECT_EQ(body_of(admin().send("GET", maps + "/a")).text("metadata.creationTimestamp"),
            "2026-01-01T00:00:21Z");
  create("b");
}

TEST_F(Faults, AreRemoved) {
  create("a");
  EXPECT_EQ(post(R"({"conflicts":{},"slowWrites":{"delay":"20s"}})").body,
            "{\"conflicts\":{},\"slowWrites\":{\"delay\":\"20s\"}}\n");
  EXPECT_EQ(post(R"({"slowWrites":null})").body, "{\"conflicts\":{},\"slowWrites\":null}\n");
  EXPECT_EQ(update(maps, "a"), 409);
  EXPECT_EQ(update(maps, "a"), 409);
  EXPECT_EQ(admin().send("DELETE", "/fairway/faults").body, "{\"conflicts\":null,\"slowWrites\":null}\n");
  EXPECT_EQ(update(maps, "a"), 200);
}

TEST_F(Faults, ThatAreNotUnderstoodDoNothing) {
  struct Case {
    std::string body, why;
  };
  for (const Case& one : std::vector<Case>{
           {"{", "the body is no JSON"},
           {"[]", "the body has to be an object"},
           {R"({"cutWatch":{}})",
            "'cutWatch' is not known: there are cutWatches, expire, conflicts and slowWrites"},
           {R"({"cutWatches":true})", "cutWatches has to be an object"},
           {R"({"cutWatches":{"count":1}})", "'cutWatches.count' is not known: cutWatches takes resource"},
           {R"({"cutWatches":{"resource":"boats.example.com"}})",
            "no resource 'boats.example.com' is served"},
           {R"({"expire":1})", "expire has to be true or false"},
           {R"({"conflicts":{"count":0}})", "conflicts.count has to be a number from 1 on"},
           {R"({"conflicts":{"resource":1}})", "conflicts.resource has to be a text"},
           {R"({"slowWrites":{}})", "slowWrites.delay is missing"},
           {R"({"slowWrites":{"delay":"1x"}})", "slowWrites.delay: "},
           {R"({"slowWrites":{"delay":"31s"}})", "slowWrites.delay has to be more than 0s and at most 30s"},
           {R"({"conflicts":{},"expire":1})", "expire has to be true or false"},
       }) {
    const auto reply = post(one.body);
    EXPECT_EQ(reply.status, 400) << one.body;
    EXPECT_NE(body_of(reply).text("message").find(one.why), std::string::npos)
        << one.body << " " << reply.body;
    EXPECT_EQ(admin().send("GET", "/fairway/faults").body, "{\"conflicts\":null,\"slowWrites\":null}\n")
        << one.body;
  }
  EXPECT_EQ(admin().send("PUT", "/fairway/faults", {}, "{}").status, 405);
}

TEST_F(Faults, OfTheClockThatAreNotUnderstoodDoNothing) {
  for (const std::string body :
       {"{", "[]", "{}", R"({"advance":1})", R"({"advance":"1x"})", R"({"advance":"-1s"})",
        R"({"advance":"9000h"})", R"({"advance":"1s","set":"1"})"}) {
    EXPECT_EQ(admin().send("POST", "/fairway/clock", {}, body).status, 400) << body;
  }
  EXPECT_EQ(admin().send("DELETE", "/fairway/clock").status, 405);
  EXPECT_EQ(admin().send("GET", "/fairway/clock").body, "{\"now\":\"2026-01-01T00:00:00Z\"}\n");
}

TEST_F(Faults, AreForAdministrators) {
  const RawClient nobody(*server);
  const auto joe = server->client_certificate("joe", {}).value();
  for (const std::string path : {"/fairway/faults", "/fairway/clock"}) {
    EXPECT_EQ(nobody.send("GET", path).status, 401) << path;
    EXPECT_EQ(RawClient(*server, &joe).send("POST", path, {}, R"({"conflicts":{}})").status, 403) << path;
  }
}

TEST(FaultsOfServers, AreNotThereUnlessAskedFor) {
  const auto server = start_server({.namespace_defaults = false});
  const RawClient admin(*server, &server->admin());
  for (const std::string path : {"/fairway/faults", "/fairway/clock"}) {
    EXPECT_EQ(admin.send("GET", path).status, 404) << path;
    EXPECT_EQ(admin.send("POST", path, {}, "{}").status, 404) << path;
  }
}

TEST(FaultsOfServers, AreForMemoryAndLoopback) {
  const fairway::testing::TempDirectory folder;
  FakeClock clock;
  const auto why = [](ServerOptions options) {
    const auto server = EmbeddedServer::start(std::move(options));
    return server ? "" : server.error().message;
  };
  EXPECT_NE(why({.data = folder / "data", .test_faults = true}).find("take --memory"), std::string::npos);
  EXPECT_NE(why({.data = folder / "data", .clock = &clock, .test_clock = &clock}).find("take --memory"),
            std::string::npos);
  EXPECT_NE(why({.listen = "0.0.0.0:0", .test_faults = true}).find("take --listen 127.0.0.1:0"),
            std::string::npos);
  EXPECT_NE(why({.listen = "127.0.0.1.example.com:0", .test_faults = true}).find("on loopback"),
            std::string::npos);
  EXPECT_EQ(why({.listen = "localhost:0", .test_faults = true}), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "data"));
}

}  // namespace
}  // namespace fairway::apiserver::testing
