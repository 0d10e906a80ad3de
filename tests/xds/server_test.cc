// SPDX-License-Identifier: Apache-2.0

#include "xds/server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/file_descriptor.h"
#include "support/eventually.h"
#include "support/temp_directory.h"
#include "xds/fake_envoy.h"

namespace fairway::xds {
namespace {

using State = Acknowledgement::State;

class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = EnvoyApi::embedded();
    if (!loaded) GTEST_SKIP() << loaded.error().message;
    api = *std::move(loaded);
    auto started =
        DiscoveryServer::start(api, {.socket = socket, .on_change = [this] { ++changes; }, .clock = &clock});
    ASSERT_TRUE(started) << started.error().message;
    server = *std::move(started);
  }

  std::unique_ptr<FakeEnvoy> connect() { return std::make_unique<FakeEnvoy>(api, "unix:" + socket.string()); }

  static json::Object first(const std::string& node, Type type) {
    return {{"node", json::Object{{"id", node}}}, {"type_url", url_of(type)}};
  }
  static json::Object answer(const json::Object& response) {
    return {{"type_url", response.at("type_url")}, {"response_nonce", response.at("nonce")}};
  }
  static json::Object refusal(const json::Object& response, const std::string& why) {
    json::Object request = answer(response);
    request["error_detail"] = json::Object{{"code", 13}, {"message", why}};
    return request;
  }
  static Resources clusters(const std::string& timeout = "5s") {
    return {{{Type::cluster, "a"}, json::Object{{"name", "a"}, {"connect_timeout", timeout}}},
            {{Type::cluster, "b"}, json::Object{{"name", "b"}}}};
  }
  /// Returns the names in a response, in order.
  static std::string names(const json::Object& response) {
    std::string text;
    for (const json::Value& one : response.at("resources").get_array())
      text += std::string(one.get_object().at("name").get_string()) + " ";
    return text;
  }
  State state(const std::string& name) const { return server->acknowledgement({Type::cluster, name}).state; }
  bool becomes(const std::string& name, State wanted) const {
    return testing::eventually([&] { return state(name) == wanted; });
  }

  FakeClock clock;
  const testing::TempDirectory folder;
  const std::filesystem::path socket = folder / "xds" / "envoys.sock";
  std::shared_ptr<const EnvoyApi> api;
  std::atomic<int> changes = 0;
  std::unique_ptr<DiscoveryServer> server;
};

TEST_F(ServerTest, AnEnvoyIsSentResourcesAndItsAnswerCounts) {
  server->set(clusters());
  EXPECT_EQ(state("a"), State::unconnected);
  const auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  const auto response = envoy->receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(names(*response), "a b ");
  const json::Object& resource = response->at("resources").get_array()[0].get_object();
  EXPECT_EQ(resource.at("resource").get_object().at("name").get_string(), "a");
  EXPECT_EQ(resource.at("resource").get_object().at("@type").get_string(), url_of(Type::cluster));
  EXPECT_EQ(state("a"), State::pending);
  EXPECT_EQ(server->connected(), 1U);
  const int before = changes;
  envoy->send(answer(*response));
  EXPECT_TRUE(becomes("a", State::acknowledged));
  EXPECT_TRUE(testing::eventually([&] { return changes > before; }));
}

TEST_F(ServerTest, OnlyWhatHasChangedIsSent) {
  server->set(clusters());
  const auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  envoy->send(answer(*envoy->receive()));
  ASSERT_TRUE(becomes("a", State::acknowledged));
  server->set(clusters());
  EXPECT_EQ(state("a"), State::acknowledged) << "the same";
  server->set(clusters("6s"));
  EXPECT_EQ(state("a"), State::pending);
  EXPECT_EQ(state("b"), State::acknowledged);
  const auto response = envoy->receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(names(*response), "a ");
}

TEST_F(ServerTest, NobodyIsServedBeforeThereIsSomethingToServe) {
  const auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  ASSERT_TRUE(testing::eventually([&] { return server->connected() == 1; }));
  EXPECT_EQ(state("a"), State::pending);
  server->set(clusters());
  const auto response = envoy->receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(names(*response), "a b ");
}

TEST_F(ServerTest, ARefusalHasEnvoysWords) {
  server->set({{{Type::cluster, "a"}, json::Object{{"name", "a"}}}});
  const auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  envoy->send(refusal(*envoy->receive(), "no such thing as a"));
  ASSERT_TRUE(becomes("a", State::refused));
  EXPECT_EQ(server->acknowledgement({Type::cluster, "a"}).message, "no such thing as a");
}

TEST_F(ServerTest, AllEnvoysHaveToAgree) {
  server->set(clusters());
  const auto one = connect(), two = connect();
  one->send(first("one", Type::cluster));
  two->send(first("two", Type::cluster));
  const auto response = two->receive();
  one->send(answer(*one->receive()));
  EXPECT_EQ(state("a"), State::pending);
  two->send(answer(*response));
  EXPECT_TRUE(becomes("a", State::acknowledged));
}

TEST_F(ServerTest, AnEnvoyThatHasLeftDoesNotAgreeUntilItsLeaseEnds) {
  server->set(clusters());
  auto one = connect();
  const auto two = connect();
  for (const auto& [envoy, name] : {std::pair(one.get(), "one"), std::pair(two.get(), "two")}) {
    envoy->send(first(name, Type::cluster));
    envoy->send(answer(*envoy->receive()));
  }
  ASSERT_TRUE(becomes("a", State::acknowledged));
  one.reset();
  ASSERT_TRUE(becomes("a", State::pending));
  EXPECT_EQ(server->next_lease_end(), std::chrono::seconds(30));
  clock.advance(std::chrono::seconds(29));
  EXPECT_EQ(state("a"), State::pending);
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(state("a"), State::acknowledged);
  EXPECT_EQ(server->next_lease_end(), std::nullopt);
}

TEST_F(ServerTest, AnEnvoyThatIsBackSaysItselfWhatItHas) {
  server->set(clusters());
  auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  const auto response = envoy->receive();
  ASSERT_TRUE(response);
  envoy->send(answer(*response));
  ASSERT_TRUE(becomes("a", State::acknowledged));
  envoy.reset();
  ASSERT_TRUE(becomes("a", State::unconnected));
  json::Object has;
  for (const json::Value& one : response->at("resources").get_array())
    has[one.get_object().at("name").get_string()] = one.get_object().at("version");
  json::Object again = first("one", Type::cluster);
  again["initial_resource_versions"] = std::move(has);
  envoy = connect();
  envoy->send(again);
  EXPECT_TRUE(becomes("a", State::acknowledged));
  EXPECT_EQ(server->next_lease_end(), std::nullopt);
}

TEST_F(ServerTest, ReportsWhatItsEnvoysHaveSaid) {
  server->set(clusters());
  EXPECT_EQ(server->report(), Report{}) << "there is no Envoy";
  auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  const auto response = envoy->receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(server->report(), Report{.has_envoys = true});
  envoy->send(answer(*response));
  ASSERT_TRUE(becomes("a", State::acknowledged));
  const Report all = server->report();
  EXPECT_EQ(all.said.size(), 2U);
  EXPECT_EQ(all.said.at({Type::cluster, "a"}).refusal, std::nullopt);
  // One that has just left may be serving anything.
  envoy.reset();
  ASSERT_TRUE(becomes("a", State::unconnected));
  EXPECT_EQ(server->report(), Report{.has_envoys = true});
  clock.advance(std::chrono::seconds(30));
  EXPECT_EQ(server->report(), Report{});
}

TEST_F(ServerTest, EnvoysOfOtherServersHaveToAgreeAsWell) {
  server->set(clusters());
  const auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  envoy->send(answer(*envoy->receive()));
  ASSERT_TRUE(becomes("a", State::acknowledged));
  const Report same = server->report();
  const int before = changes;
  server->set_peers({"other"});
  EXPECT_EQ(state("a"), State::pending) << "it has said nothing";
  server->update_peer_report("other", Report{});
  EXPECT_EQ(state("a"), State::acknowledged) << "it has no Envoy";
  server->update_peer_report("other", Report{.has_envoys = true});
  EXPECT_EQ(state("a"), State::pending);
  server->update_peer_report("other", same);
  EXPECT_EQ(state("a"), State::acknowledged);
  Report older = same;
  older.said.at({Type::cluster, "a"}).version = "of before";
  server->update_peer_report("other", older);
  EXPECT_EQ(state("a"), State::pending);
  EXPECT_EQ(state("b"), State::acknowledged);
  Report refusing = same;
  refusing.said.at({Type::cluster, "a"}).refusal = "no such thing as a";
  server->update_peer_report("other", refusing);
  EXPECT_EQ(state("a"), State::refused);
  EXPECT_EQ(server->acknowledgement({Type::cluster, "a"}).message, "no such thing as a");
  server->update_peer_report("other", std::nullopt);
  EXPECT_EQ(state("a"), State::pending) << "nobody knows any more";
  server->set_peers({});
  EXPECT_EQ(state("a"), State::acknowledged);
  EXPECT_GE(changes, before + 8) << "whoever waits is told";
}

TEST_F(ServerTest, WhatEnvoysOfOtherServersRefuseOfAResourceIsRefusedOfIt) {
  server->set(clusters());
  const auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  envoy->send(answer(*envoy->receive()));
  ASSERT_TRUE(becomes("a", State::acknowledged));
  server->set_peers({"other", "third"});
  Report report = server->report();
  report.said.at({Type::cluster, "a"}).parts = {{.host = "h", .route = 3, .message = "no such regex"}};
  server->update_peer_report("other", report);
  report.said.at({Type::cluster, "a"}).parts = {{.host = "g", .route = {}, .message = "no such name"},
                                                {.host = "h", .route = 3, .message = "other words"}};
  server->update_peer_report("third", report);
  const Acknowledgement all = server->acknowledgement({Type::cluster, "a"});
  EXPECT_EQ(all.state, State::acknowledged);
  ASSERT_EQ(all.parts.size(), 2U) << "of each part once";
  EXPECT_EQ(all.parts[0].host, "g");
  EXPECT_EQ(all.parts[1].message, "no such regex");
}

TEST_F(ServerTest, NothingIsAgreedBeforeItIsKnownWhoElseServes) {
  server.reset();
  auto started = DiscoveryServer::start(api, {.socket = socket, .has_others = true, .clock = &clock});
  ASSERT_TRUE(started) << started.error().message;
  server = *std::move(started);
  server->set(clusters());
  const auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  envoy->send(answer(*envoy->receive()));
  ASSERT_TRUE(testing::eventually([&] { return server->report().said.size() == 2; }));
  EXPECT_EQ(state("a"), State::pending);
  server->set_peers({});
  EXPECT_EQ(state("a"), State::acknowledged);
}

TEST_F(ServerTest, EnvoysOfOtherServersAloneCanAgree) {
  server->set(clusters());
  auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  envoy->send(answer(*envoy->receive()));
  ASSERT_TRUE(becomes("a", State::acknowledged));
  const Report same = server->report();
  envoy.reset();
  ASSERT_TRUE(becomes("a", State::unconnected));
  server->update_peer_report("other", same);
  EXPECT_EQ(state("a"), State::pending) << "the one that has left here still counts";
  clock.advance(std::chrono::seconds(30));
  EXPECT_EQ(state("a"), State::acknowledged);
}

TEST_F(ServerTest, WhatIsNoMessageOfEnvoyIsNotSentAndWhatWasServedStays) {
  server->set(clusters());
  const auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  envoy->send(answer(*envoy->receive()));
  ASSERT_TRUE(becomes("a", State::acknowledged));
  Resources next = clusters();
  next[{Type::cluster, "a"}] = json::Object{{"name", "a"}, {"nmae", "a"}};
  next[{Type::cluster, "c"}] = json::Object{{"name", "c"}};
  server->set(next);
  const auto response = envoy->receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(names(*response), "c ");
  EXPECT_EQ(state("a"), State::refused);
  EXPECT_NE(server->acknowledgement({Type::cluster, "a"}).message.find("nmae"), std::string::npos);
  EXPECT_EQ(state("b"), State::acknowledged);
}

TEST_F(ServerTest, ARequestThatIsNoneEndsItsStreamAlone) {
  server->set(clusters());
  const auto good = connect(), bad = connect(), nameless = connect();
  bad->send_bytes("\xff\xff\xff");
  EXPECT_EQ(bad->end().first, 3) << "INVALID_ARGUMENT";
  nameless->send({{"type_url", url_of(Type::cluster)}});
  EXPECT_NE(nameless->end().second.find("node.id"), std::string::npos);
  good->send(first("one", Type::cluster));
  EXPECT_TRUE(good->receive());
}

TEST_F(ServerTest, OtherMethodsAreRefused) {
  FakeEnvoy other(api, "unix:" + socket.string(),
                  "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources");
  EXPECT_EQ(other.end().first, 12) << "UNIMPLEMENTED";
}

TEST_F(ServerTest, ItsEndEndsTheStreams) {
  const auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  ASSERT_TRUE(testing::eventually([&] { return server->connected() == 1; }));
  server.reset();
  EXPECT_NE(envoy->end().first, 0);
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat facts{};
  return ::lstat(path.c_str(), &facts) == 0 ? facts.st_mode & ALLPERMS : 0;
}

TEST_F(ServerTest, ItsSocketIsForItsUserAlone) {
  EXPECT_EQ(mode_of(socket), 0600U);
  EXPECT_EQ(mode_of(socket.parent_path()), 0700U);
  EXPECT_EQ(server->address(), "") << "nothing listens on TCP";
}

TEST_F(ServerTest, AnotherUserCannotConnectToItsSocket) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
  const pid_t child = ::fork();
  if (child == 0) {
    const int own = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    constexpr uid_t nobody = 65534;
    if (own < 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0) ::_exit(1);
    ::_exit(::connect(own, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), EACCES);
}

TEST_F(ServerTest, AFolderThatOthersMayLookIntoIsClosedBeforeItListens) {
  const std::filesystem::path open = folder / "open";
  std::filesystem::create_directory(open);
  ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
  const auto other = DiscoveryServer::start(api, {.socket = open / "s"});
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(mode_of(open), 0700U);
}

TEST_F(ServerTest, OfThoseThatBeginAtOnceOneGetsTheSocket) {
  for (int round = 0; round < 5; ++round) {
    constexpr int contenders = 4;
    const std::filesystem::path path = folder / std::to_string(round) / "s";
    std::barrier begin(contenders), end(contenders);
    std::atomic<int> serving = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < contenders; ++i) {
      threads.emplace_back([&] {
        begin.arrive_and_wait();
        const auto started = DiscoveryServer::start(api, {.socket = path});
        if (started) ++serving;
        end.arrive_and_wait();
      });
    }
    threads.clear();
    EXPECT_EQ(serving, 1);
    EXPECT_TRUE(DiscoveryServer::start(api, {.socket = path})) << "it has ended";
  }
}

TEST_F(ServerTest, ASocketWhereSomebodyServesIsAnErrorAndOneThatIsLeftOverIsReplaced) {
  const auto second = DiscoveryServer::start(api, {.socket = socket});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::unavailable);
  EXPECT_NE(second.error().message.find(socket.string()), std::string::npos) << second.error().message;
  EXPECT_NE(second.error().message.find("another process serves there"), std::string::npos);
  server->set(clusters());
  const auto envoy = connect();
  envoy->send(first("one", Type::cluster));
  EXPECT_TRUE(envoy->receive()) << "the first goes on";

  // What a process leaves behind that was killed.
  const std::filesystem::path old = folder / "old" / "s";
  std::filesystem::create_directory(old.parent_path());
  const FileDescriptor dead(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, old.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const auto third = DiscoveryServer::start(api, {.socket = old});
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ(mode_of(old), 0600U);

  folder.write("file/s", "not a socket");
  EXPECT_FALSE(DiscoveryServer::start(api, {.socket = folder / "file" / "s"}));
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / "file" / "s"));
}

TEST_F(ServerTest, ASocketsPathIsTakenAsItIsUpToTheKernelsLimit) {
  // gRPC reads it as part of a URI.
  const std::filesystem::path odd = folder / "a b%20c#d?e" / "s";
  const auto other = DiscoveryServer::start(api, {.socket = odd});
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_TRUE(std::filesystem::is_socket(odd));

  const std::string start = (folder / "x").string() + "/";
  const auto longest = DiscoveryServer::start(api, {.socket = start + std::string(107 - start.size(), 's')});
  EXPECT_TRUE(longest) << longest.error().message;
  const auto longer = DiscoveryServer::start(api, {.socket = start + std::string(108 - start.size(), 's')});
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().code, ErrorCode::invalid);
  EXPECT_NE(longer.error().message.find("has 108 bytes, and 107 are the most"), std::string::npos)
      << longer.error().message;
}

TEST_F(ServerTest, ListensOnNoTcpAddressWithoutCertificates) {
  for (const char* listen :
       {"127.0.0.1:0", "[::1]:0", "localhost:0", "0.0.0.0:0", ":0", "198.51.100.1:18000"}) {
    const auto plain = DiscoveryServer::start(api, {.listen = listen});
    ASSERT_FALSE(plain) << listen;
    EXPECT_EQ(plain.error().code, ErrorCode::invalid) << plain.error().message;
  }
  EXPECT_FALSE(DiscoveryServer::start(api, {}));
}

}  // namespace
}  // namespace fairway::xds
