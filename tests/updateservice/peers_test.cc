// SPDX-License-Identifier: Apache-2.0

// A replica without memory beside others: the table of data/peers.tsv with real servers, and the parts alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "base/pattern.h"
#include "graph/snapshot_id.h"
#include "http/certificates.h"
#include "http/client.h"
#include "http/script_server.h"
#include "support/eventually.h"
#include "support/loopback_server.h"
#include "support/process.h"
#include "support/table.h"
#include "support/temp_directory.h"
#include "updateservice/fake_peer.h"
#include "updateservice/internal/peers/narrowest.h"
#include "updateservice/internal/peers/peers.h"
#include "updateservice/internal/store/stored_inputs.h"
#include "updateservice/relay.h"
#include "updateservice/running_service.h"

namespace fairway::updateservice {
namespace {

using fairway::testing::eventually;
using testing::FakePeer;
using testing::RunningService;
using testing::small_build;
using testing::small_files;
using testing::World;
using Kind = PeerReply::Kind;

constexpr const char* stable = "/graph?channel=stable-4.7";
constexpr const char* token = "0123456789abcdef0123456789abcdef";
const graphdata::Files lifted{{"blocked-edges/4.7.0.yaml", ""}};

std::shared_ptr<World> world_with(const graphdata::Files& changes) {
  auto world = std::make_shared<World>();
  world->files = small_files(changes);
  return world;
}

/// Replicas as the table names them, and one more that is tested.
class Replicas {
 public:
  explicit Replicas(std::string max_widening = "0,0%") : limit_(std::move(max_widening)) {
    folder_.write("token", std::string(token) + "\n");
    folder_.write("other-token", "another secret of replicas");
  }

  /// Starts the replica or stranger that `name` stands for, and returns its address.
  std::string add(const std::string& name) {
    if (name == "itself") return own_address_;
    if (name == "gone") return "127.0.0.1:" + std::to_string(fairway::testing::free_loopback_port());
    if (name == "unknown") return "no-such-name.invalid:9081";
    ServiceOptions options = options_of("replica-" + std::to_string(services_.size()));
    options.peers.listen = "127.0.0.1:0";
    auto world = world_with({});
    if (name == "new") {
      options.peers.peers = {"127.0.0.1:1"};
    } else if (name == "old" || name == "wide") {
      const graphdata::Files changes = name == "wide" ? lifted : graphdata::Files{};
      world = world_with(changes);
      std::filesystem::create_directories(options.data_directory);
      EXPECT_TRUE(accept(options.data_directory, graph::snapshot_id(*small_build(changes).snapshot)));
    } else if (name == "stranger") {
      options.peers.token_file = (folder_ / "other-token").string();
    } else if (name != "unsure") {
      if (const std::string on_the_way = add_stranger(name); !on_the_way.empty()) return on_the_way;
      fakes_.emplace_back(name, token);
      return fakes_.back().address();
    }
    if (name == "unsure") world = world_with(lifted);
    RunningService& service = services_.emplace_back(options, world);
    EXPECT_FALSE(service.error) << service.error->message;
    service.after_refreshes(1);
    return service.service->peer_address();
  }

  /// Starts a server that is no replica; "" if `name` stands for something else.
  std::string add_stranger(const std::string& name) {
    if (name == "reflection") return relays_.emplace_back(own_address_).address();
    if (name.starts_with("relay"))
      return relays_.emplace_back(add(name == "relay" ? "old" : "stranger")).address();
    if (name == "certificate") {
      const auto made = ca_.server();
      http::ServerOptions options;
      options.tls = http::TlsServerOptions{.certificate = made.certificate, .key = made.key};
      servers_.push_back(fairway::testing::serve_on_loopback(
          "GET", [](const http::Request&) { return http::Response::text(200, ""); }, options));
      return servers_.back()->address();
    }
    if (name == "silent") return say([](http::ScriptedConnection& asker) { asker.wait_for_close(); });
    if (name != "replay") return "";
    testing::Relay relay(add("old"));
    RunningService(options_of_asker(relay.address()), world_with({})).after_refreshes(1);
    const std::string answer = relay.heard().second;
    EXPECT_GT(answer.size(), 1000U);
    return say([answer](http::ScriptedConnection& asker) {
      asker.send(answer);
      asker.wait_for_close();
    });
  }
  ServiceOptions options_of_asker(const std::string& peer) const {
    ServiceOptions options = options_of("asker");
    options.peers.peers = {peer};
    return options;
  }

  /// The replica that has nothing, with sources that have lifted a block.
  RunningService& start_new(const std::vector<std::string>& peers, bool first_start = false,
                            std::chrono::milliseconds answer_limit = std::chrono::minutes(2)) {
    ServiceOptions options = options_of("new");
    options.peers.peers = peers;
    if (!peers.empty()) options.peers.listen = own_address_;
    options.peers.first_start = first_start;
    options.peers.answer_limit = answer_limit;
    options.peers.pause = std::chrono::milliseconds(20);
    RunningService& service = services_.emplace_back(options, world_with(lifted));
    EXPECT_FALSE(service.error) << service.error->message;
    return service;
  }

  ServiceOptions options_of(const std::string& name) const {
    ServiceOptions options;
    options.data_directory = (folder_ / name).string();
    options.guards = {.widening = WideningLimit::parse(limit_).value(),
                      .data_directory = options.data_directory};
    options.peers.token_file = (folder_ / "token").string();
    options.reloadable.interval = std::chrono::hours(1);
    options.problem_url = "https://example.com/problem";
    options.show_sources = true;
    return options;
  }
  const std::list<FakePeer>& fakes() const { return fakes_; }
  RunningService& service(std::size_t number) {
    return *std::next(services_.begin(), static_cast<long>(number));
  }
  const fairway::testing::TempDirectory& folder() const { return folder_; }

 private:
  std::string say(http::ScriptServer::Script script) {
    scripts_.emplace_back(std::vector{std::move(script)});
    return "127.0.0.1:" + std::to_string(scripts_.back().port());
  }

  const std::string limit_;
  const fairway::testing::TestCa ca_;
  fairway::testing::TempDirectory folder_;
  const std::string own_address_ = "127.0.0.1:" + std::to_string(fairway::testing::free_loopback_port());
  std::list<FakePeer> fakes_;
  std::list<std::unique_ptr<http::Server>> servers_;
  std::list<RunningService> services_;
  std::list<http::ScriptServer> scripts_;
  std::list<testing::Relay> relays_;
};

std::string graph_of(const graphdata::Files& changes) {
  return graph::to_cincinnati_json(small_build(changes).snapshot->channel_graph("stable-4.7", "amd64"));
}

std::string edges(const std::string& body) {
  const auto graph = json::parse(body);
  if (!graph || !graph->is_object() || !graph->as_object().contains("edges")) return "nothing";
  return json::to_text(graph->at("edges"));
}

std::string serves(const RunningService& service) {
  const auto reply = service.get(stable);
  if (reply.status == 503) return "nothing";
  if (edges(reply.body) == edges(graph_of({}))) return "closed";
  return edges(reply.body) == edges(graph_of(lifted)) ? "open" : reply.body;
}

std::string compared(const RunningService& service) {
  const std::string text = service.status("/metrics").body;
  const std::string_view name = "\nfairway_graph_compared ";
  const std::size_t at = text.find(name);
  return at == std::string::npos ? "none" : text.substr(at + name.size(), 1);
}

/// Returns the texts for operators: the reason why nothing is served, and the problems.
std::string told(const RunningService& service) {
  return service.status("/readyz").body + service.get("/problems").body;
}

/// The id that /readyz offers to accept.
std::string offered_id(const std::string& text) {
  constexpr std::string_view before = "fairway graph accept ";
  const std::size_t at = text.find(before);
  return at == std::string::npos ? "" : text.substr(at + before.size(), 32);
}

/// Asks a replica as another one would, with a token; the status is 0 without an answer.
http::Reply ask_with(const std::string& secret, const std::string& address,
                     const std::string& path = "/internal/held") {
  const auto client = http::Client::create({.system_cas = false,
                                            .shared_key = [&] { return Result<std::string>(secret); },
                                            .proxy_environment = false});
  http::Call call;
  call.url = http::Url::parse("https://" + address + path).value();
  call.limits.deadline = std::chrono::steady_clock::now() + testing::refresh_timeout;
  auto reply = (*client)->send(call);
  return reply ? std::move(*reply) : http::Reply{};
}

TEST(Peers, DecideAsTheTableSays) {
  int rows = 0;
  for (const auto& row :
       fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/updateservice/data/peers.tsv")) {
    SCOPED_TRACE("data/peers.tsv:" + std::to_string(row.line) + ": " + row.at(0));
    ++rows;
    const std::string others = row.at(1), flags = row.at(2), wanted = row.at(3);
    Replicas replicas(flags == "--max-widening off" ? "off" : "0,0%");
    std::vector<std::string> peers;
    if (others != "-") {
      for (const std::string_view name : split(others, ' ')) peers.push_back(replicas.add(std::string(name)));
    }
    // A peer that never answers ends with the time for an answer, which the others must have enough of.
    const bool is_slow = others.contains("slow") || others.contains("endless") || others.contains("silent");
    RunningService& service = replicas.start_new(
        peers, flags == "--first-start", is_slow ? std::chrono::milliseconds(700) : std::chrono::minutes(2));
    if (is_slow && wanted != "nothing") {
      EXPECT_TRUE(eventually([&] { return service.get(stable).status == 200; }));
    } else {
      service.after_refreshes(1);
    }
    EXPECT_EQ(serves(service), wanted) << told(service);
    EXPECT_EQ(compared(service), row.at(4));
    const std::string says = row.at(5) == "-" ? "" : row.at(5);
    EXPECT_TRUE(told(service).contains(says)) << told(service);
    EXPECT_FALSE(told(service).contains(token)) << "a secret";
    if (wanted != "nothing") continue;
    EXPECT_EQ(service.status("/readyz").status, 503);
    const std::string id = offered_id(told(service));
    ASSERT_EQ(id, graph::snapshot_id(*small_build(lifted).snapshot)) << told(service);
    ASSERT_TRUE(accept(replicas.options_of("new").data_directory, id));
    EXPECT_TRUE(eventually([&] { return serves(service) == "open"; })) << told(service);
    EXPECT_EQ(compared(service), "1") << "it was accepted";
  }
  EXPECT_GT(rows, 30);
}

TEST(Peers, AReplicaWithoutPeersBeginsToBeComparedWithItsNextGraph) {
  Replicas replicas;
  RunningService& service = replicas.start_new({});
  service.after_refreshes(1);
  EXPECT_EQ(compared(service), "0");
  service.world->set_files(
      {{"channels/fast-4.7.yaml", "name: fast-4.7\nversions: [4.7.0]\n"}, {"blocked-edges/4.7.0.yaml", ""}});
  EXPECT_TRUE(eventually([&] { return compared(service) == "1"; }));
  EXPECT_FALSE(service.get("/problems").body.contains("graph-not-compared"));
}

TEST(Peers, AGraphThatWasComparedWithNothingIsSoAfterARestart) {
  Replicas replicas;
  const ServiceOptions options = replicas.options_of("one");
  {
    RunningService(options).after_refreshes(1);
  }
  RunningService service(options);
  service.after_refreshes(1);
  EXPECT_EQ(compared(service), "0");
  const std::string id = graph::snapshot_id(*small_build().snapshot);
  ASSERT_TRUE(accept(options.data_directory, id));
  EXPECT_TRUE(eventually([&] { return compared(service) == "1"; })) << told(service);
}

TEST(Peers, OwnMemoryIsComparedWithAndNobodyIsAsked) {
  Replicas replicas;
  ServiceOptions options = replicas.options_of("new");
  {
    RunningService(options).after_refreshes(1);
  }
  const std::string hostile = replicas.add("500"), wide = replicas.add("wide");
  RunningService& service = replicas.start_new({hostile, wide});
  service.after_refreshes(1);
  EXPECT_EQ(serves(service), "closed");
  EXPECT_EQ(replicas.fakes().front().asked(), 0);
}

TEST(Peers, AreAskedAgainUntilOneHasAGraph) {
  Replicas replicas;
  const std::string address = "127.0.0.1:" + std::to_string(fairway::testing::free_loopback_port());
  RunningService& service = replicas.start_new({address});
  service.after_refreshes(1);
  EXPECT_EQ(serves(service), "nothing");
  ServiceOptions options = replicas.options_of("late");
  options.peers.listen = address;
  RunningService late(options);
  ASSERT_FALSE(late.error) << late.error->message;
  EXPECT_TRUE(eventually([&] { return serves(service) == "closed"; })) << told(service);
}

TEST(Peers, WhatTheyHoldIsKeptOverARestartWithoutThem) {
  Replicas replicas;
  const std::string old = replicas.add("old");
  {
    ServiceOptions options = replicas.options_of("one");
    options.peers.peers = {old};
    RunningService service(options, world_with(lifted));
    service.after_refreshes(1);
    EXPECT_EQ(serves(service), "closed");
  }
  ServiceOptions options = replicas.options_of("one");
  options.peers.peers = {replicas.add("gone")};
  RunningService service(options, world_with(lifted));
  service.after_refreshes(1);
  EXPECT_EQ(serves(service), "closed");
  EXPECT_TRUE(service.get("/problems").body.contains("widening-held"));
}

TEST(Peers, AreToldPrivateChannelsTooAndOthersNothing) {
  Replicas replicas;
  replicas.folder().write("rules.yaml", testing::small_rules());
  ServiceOptions options = replicas.options_of("one");
  options.peers.listen = "127.0.0.1:0";
  options.reloadable.private_channels_file = (replicas.folder() / "rules.yaml").string();
  RunningService service(options, world_with(testing::acme_files()));
  service.after_refreshes(1);
  const std::string address = service.service->peer_address();
  EXPECT_EQ(ask_with(token, address, "/").status, 404);
  EXPECT_EQ(testing::send_request(address, "GET", "/internal/held").status, 400) << "without TLS";
  EXPECT_EQ(testing::send_request(service.service->status_address(), "GET", "/internal/held").status, 404);
  EXPECT_EQ(service.get("/internal/held").status, 404);
  for (const char* other : {"another secret of replicas", "", "0123456789abcdef0123456789abcdeF"})
    EXPECT_EQ(ask_with(other, address).status, 0) << other;
  const auto reply = ask_with(token, address);
  ASSERT_EQ(reply.status, 200);
  const auto answer = unpack_answer(reply.body);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_TRUE(answer->inputs->files->contains("channels/acme-4.7.yaml"));
}

TEST(Peers, WhoeverIsOnTheWayReadsNothingAndCanSayNothingAgain) {
  Replicas replicas;
  const std::string old = replicas.add("old");
  testing::Relay relay(old);
  RunningService& service = replicas.start_new({relay.address()});
  service.after_refreshes(1);
  EXPECT_EQ(serves(service), "closed") << "it hands on what is said: " << told(service);
  const auto [questions, answers] = relay.heard();
  for (const std::string_view said : {std::string_view(questions), std::string_view(answers)}) {
    for (const std::string_view secret : {"/internal/held", "stable-4.7", "blocked-edges", token})
      EXPECT_FALSE(said.contains(secret)) << secret;
  }
  http::RawClient stranger(static_cast<std::uint16_t>(std::stoi(old.substr(old.rfind(':') + 1))));
  stranger.send(questions);
  stranger.finish_sending();
  EXPECT_FALSE(stranger.read_to_end().contains("blocked-edges"));
}

TEST(Peers, ATokenIsReadAnewForEachQuestion) {
  Replicas replicas;
  ServiceOptions options = replicas.options_of("one");
  options.peers.listen = "127.0.0.1:0";
  RunningService service(options);
  service.after_refreshes(1);
  const auto status_with = [&](const std::string& secret) {
    return ask_with(secret, service.service->peer_address()).status;
  };
  EXPECT_EQ(status_with(token), 200);
  replicas.folder().write("token", "a new secret of replicas");
  EXPECT_EQ(status_with(token), 0);
  EXPECT_EQ(status_with("a new secret of replicas"), 200);
  replicas.folder().write("token", "short");
  EXPECT_EQ(status_with("short"), 0);
}

TEST(Peers, DoNotStartWithAFaultInTheirSettings) {
  Replicas replicas;
  const auto error_of = [&](const std::vector<std::string>& peers, const std::string& file) {
    ServiceOptions options = replicas.options_of("one");
    options.peers.peers = peers;
    options.peers.token_file = (replicas.folder() / file).string();
    RunningService service(options);
    return service.error ? service.error->message : "started";
  };
  for (const char* name : {"replicas", ":9081", "http://replicas:9081", "replicas:0", "replicas:port",
                           "user@replicas:9081", "replicas:9081/path"}) {
    EXPECT_TRUE(error_of({name}, "token").contains("is not HOST:PORT")) << name;
  }
  EXPECT_TRUE(error_of({"replicas:9081"}, "none").contains("none"));
  replicas.folder().write("short", "short");
  EXPECT_TRUE(error_of({"replicas:9081"}, "short").contains("fewer than 16 characters"));
}

TEST(PeerReplies, AllowABeginningOnlyWhereSomebodySaysSoAndNobodyHasAGraph) {
  const auto may = [](const std::vector<Kind>& kinds, bool first_start) {
    std::vector<PeerReply> replies;
    for (const Kind kind : kinds) replies.push_back({.kind = kind, .address = "a:1", .why = "why"});
    return may_begin(replies, first_start);
  };
  EXPECT_FALSE(may({}, false));
  EXPECT_FALSE(may({Kind::holds_none, Kind::unreachable}, false));
  EXPECT_TRUE(may({}, true));
  EXPECT_TRUE(may({Kind::holds_none, Kind::unreachable, Kind::itself}, true));
  EXPECT_FALSE(may({Kind::holds_none, Kind::not_usable}, true));
  EXPECT_FALSE(may({Kind::holds_none, Kind::holds}, true));
}

TEST(PeerAnswer, IsReadAgain) {
  const auto build = small_build();
  const auto answer = unpack_answer(pack_answer({"abc", build.inputs}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->instance, "abc");
  EXPECT_EQ(pack_inputs(*answer->inputs), pack_inputs(*build.inputs));
  EXPECT_FALSE(unpack_answer(pack_answer({"abc", nullptr}))->inputs);
  EXPECT_FALSE(unpack_answer(pack_answer({"", nullptr})));
  auto large = std::make_shared<BuiltInputs>(*build.inputs);
  for (int i = 0; i <= 100'000; ++i) large->payloads["4.7." + std::to_string(i) + "+amd64"] = "x";
  EXPECT_EQ(unpack_answer(pack_answer({"abc", large})).error().code, ErrorCode::too_large);
}

class NarrowestTest : public ::testing::Test {
 protected:
  static std::shared_ptr<BuiltInputs> held(const graphdata::Files& changes) {
    return std::make_shared<BuiltInputs>(*small_build(changes).inputs);
  }
  static Result<NarrowestBuild> of(const std::vector<std::shared_ptr<const BuiltInputs>>& all) {
    return narrowest(all, "https://example.com/problem", {}, Clock::system());
  }
  /// Returns the number of blocks that `now` would lift of the merged builds.
  static std::size_t lifts(const NarrowestBuild& build, const graphdata::Files& now) {
    return graph::find_widening(*build.snapshot, *small_build(now).snapshot, *build.inputs->guard.absent)
        ->lifted.size();
  }
  static inline const graphdata::Files no_block{{"blocked-edges/4.7.0.yaml", ""}},
      no_risk{{"blocked-edges/4.7.4-slow-disks.yaml", ""}},
      neither{{"blocked-edges/4.7.0.yaml", ""}, {"blocked-edges/4.7.4-slow-disks.yaml", ""}};
};

TEST_F(NarrowestTest, HasWhatAnyReplicaHasAgainstAnUpdate) {
  for (const auto& all : {std::vector<std::shared_ptr<const BuiltInputs>>{held(no_block), held(no_risk)},
                          {held(no_risk), held(no_block)},
                          {held(neither), held(no_block), held(no_risk)},
                          {held({}), held(neither)}}) {
    const auto build = of(all);
    ASSERT_TRUE(build) << build.error().message;
    EXPECT_EQ(lifts(*build, {}), 0U);
    EXPECT_EQ(lifts(*build, neither), 2U);
    EXPECT_TRUE(build->inputs->of_peers);
    // After a restart the same is made of it.
    const auto again = unpack_inputs(pack_inputs(*build->inputs));
    ASSERT_TRUE(again) << again.error().message;
    const auto rebuilt = build_snapshot(**again, "graph-data", "https://example.com/problem");
    ASSERT_TRUE(rebuilt);
    EXPECT_EQ(graph::snapshot_id(**rebuilt), graph::snapshot_id(*build->snapshot));
  }
}

TEST_F(NarrowestTest, KnowsUpdatesThatOnlyOneReplicaKnows) {
  // The other one lists neither 4.7.0 nor 4.7.4.
  auto small = held({});
  std::erase_if(small->releases[0].releases,
                [](const graph::Release& release) { return release.version.to_string() != "4.6.23"; });
  for (const auto& all : {std::vector<std::shared_ptr<const BuiltInputs>>{small, held({})},
                          std::vector<std::shared_ptr<const BuiltInputs>>{held({}), small}}) {
    const auto build = of(all);
    ASSERT_TRUE(build) << build.error().message;
    EXPECT_EQ(lifts(*build, neither), 2U);
  }
}

TEST_F(NarrowestTest, PutsTogetherWhatReplicasRememberOfUpdatesThatAreAway) {
  const graph::WithdrawnUpdates::Ends ends{"amd64", "4.7.0", "4.7.4"};
  const auto with = [&](std::vector<graph::Risk> risks, std::vector<std::uint32_t> of_update) {
    auto inputs = held({});
    auto absent = std::make_shared<graph::WithdrawnUpdates>();
    absent->risks = std::move(risks);
    absent->updates[ends] = std::move(of_update);
    inputs->guard.absent = absent;
    return inputs;
  };
  const graph::Risk a{.name = "A", .matching_rules = graph::always_rule()},
      b{.name = "B", .matching_rules = graph::always_rule()};
  auto build = of({with({b, a}, {1}), with({b}, {0}), held({})});
  ASSERT_TRUE(build);
  EXPECT_EQ(build->inputs->guard.absent->updates.at(ends).size(), 2U);
  build = of({with({a}, {0}), with({}, {})});
  EXPECT_TRUE(build->inputs->guard.absent->updates.at(ends).empty()) << "one of them did not serve it";
}

TEST_F(NarrowestTest, AnImageThatReplicasDoNotAgreeOnIsNone) {
  auto one = held({}), other = held({});
  one->payloads = {{"4.7.0+amd64", "r.example/a@sha256:1"}, {"4.7.4+amd64", "r.example/a@sha256:2"}};
  other->payloads = {{"4.7.0+amd64", "mirror.example/b@sha256:1"}, {"4.7.4+amd64", "r.example/a@sha256:3"}};
  const auto build = of({one, other});
  ASSERT_TRUE(build);
  EXPECT_EQ(digest_of(build->inputs->payloads.at("4.7.0+amd64")), "sha256:1");
  EXPECT_FALSE(build->inputs->payloads.at("4.7.4+amd64").contains("sha256"));
}

TEST_F(NarrowestTest, RefusesMoreDifferentGraphsThanCanBeKept) {
  std::vector<std::shared_ptr<const BuiltInputs>> all;
  for (std::size_t i = 0; i <= most_peer_graphs; ++i)
    all.push_back(held({{"channels/c-" + std::to_string(i) + ".yaml",
                         "name: c-" + std::to_string(i) + "\nversions: [4.7.0]\n"}}));
  EXPECT_EQ(of(all).error().code, ErrorCode::too_large);
  all.pop_back();
  EXPECT_TRUE(of(all));
}

}  // namespace
}  // namespace fairway::updateservice
