// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/route_isolation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>

#include "base/protobuf_wire.h"

namespace fairway::xds {
namespace {

using State = Acknowledgement::State;
using Routes = std::vector<std::string>;
using Hosts = std::map<std::string, Routes>;

/// Returns the bytes of a route with this match and this action.
std::string route(const std::string& match, const std::string& action) {
  std::string bytes;
  wire::append_bytes(bytes, 1, match);
  wire::append_bytes(bytes, 2, action);
  return bytes;
}

RouteIsolation::Resource configuration(const Hosts& hosts, const std::string& rest = "l") {
  std::string bytes;
  wire::append_bytes(bytes, 1, rest);
  for (const auto& [name, routes] : hosts)
    append_host(bytes, host_shell(name), {routes.begin(), routes.end()});
  return std::make_shared<EncodedResource>("v" + std::to_string(std::hash<std::string>()(bytes)), bytes);
}

/// A client that refuses all configurations with BAD in them, and names the first such part, as Envoy does.
class Judge {
 public:
  explicit Judge(std::shared_ptr<RefusedParts> remembered = std::make_shared<RefusedParts>())
      : Judge(std::make_shared<ClientParts>(std::move(remembered))) {}
  /// Judges one of several resources of a client.
  explicit Judge(std::shared_ptr<ClientParts> parts) : isolation(std::move(parts), "mark") {}

  /// Answers until there is nothing more to answer. Returns the number of answers.
  int settle() {
    int asked = 0;
    for (; isolation.to_send() != nullptr; ++asked) {
      answer();
      if (asked > 10'000) ADD_FAILURE() << "it does not end";
      if (asked > 10'000) break;
    }
    return asked;
  }
  /// Answers the configuration that is to be sent, if there is one.
  void answer() {
    const auto sent = isolation.to_send();
    if (sent == nullptr) return;
    isolation.sent();
    answered(sent);
  }
  void answered(const RouteIsolation::Resource& sent) {
    const std::string words = refusal_of(sent->bytes);
    if (!words.empty()) {
      isolation.refused(words);
      return;
    }
    served = *split_routes(sent->bytes);
    kept = sent;
    for (const std::string& one : needed) EXPECT_TRUE(has(one)) << one << " is not served any more";
    isolation.acknowledged();
  }
  int serve(const RouteIsolation::Resource& whole) {
    isolation.follow(whole);
    return settle();
  }
  std::string refusal_of(const std::string& bytes) const {
    const auto parts = split_routes(bytes);
    if (parts->rest.contains("BAD")) return "bad rest";
    std::set<std::string_view> names;
    for (const HostPart& host : parts->hosts) {
      if (host.shell.contains("BAD")) return "bad host " + std::string(host.name);
      if (!names.insert(host.name).second) return "two hosts " + std::string(host.name);
      for (const RoutePart& one : host.routes) {
        if (one.bytes.contains("(fairway"))
          return knows_marks ? "missing ): (fairway-trial-mark" : "missing )";
        const std::size_t at = one.bytes.find("BAD");
        if (at != std::string_view::npos && !takes.contains(std::string(one.bytes.substr(at))))
          return "bad route " + std::string(one.bytes.substr(at));
      }
    }
    return "";
  }
  bool has(const std::string& bytes) const {
    for (const HostPart& host : served.hosts) {
      for (const RoutePart& one : host.routes) {
        if (one.bytes == bytes) return true;
      }
    }
    return false;
  }
  Acknowledgement said(const RouteIsolation::Resource& whole) const {
    return isolation.acknowledgement(*whole);
  }

  RouteIsolation isolation;
  RouteParts served;
  /// The bytes that `served` refers to.
  RouteIsolation::Resource kept;
  std::set<std::string> takes;
  Routes needed;
  bool knows_marks = true;
};

TEST(RouteIsolation, ServesTheWholeWhereNothingIsRefused) {
  Judge judge;
  const auto whole = configuration({{"a", {route("/", "x")}}});
  EXPECT_EQ(judge.serve(whole), 1);
  EXPECT_EQ(judge.kept, whole);
  EXPECT_EQ(judge.said(whole).state, State::acknowledged);
  EXPECT_TRUE(judge.said(whole).parts.empty());
}

TEST(RouteIsolation, AnswersARefusedRouteWith500AndLeavesOutWhatHasABadMatch) {
  Judge judge;
  const std::string bad = route("/", "BAD1"), good = route("/", "x");
  const auto whole = configuration({{"a", {route("BAD2", "x"), good}}, {"b", {bad}}, {"cBAD", {good}}});
  judge.serve(whole);
  ASSERT_EQ(judge.served.hosts.size(), 2U);
  ASSERT_EQ(judge.served.hosts[0].routes.size(), 1U);
  EXPECT_EQ(judge.served.hosts[0].routes[0].bytes, good);
  ASSERT_EQ(judge.served.hosts[1].routes.size(), 1U);
  EXPECT_EQ(judge.served.hosts[1].routes[0].bytes, failing_route(bad));
  const Acknowledgement said = judge.said(whole);
  EXPECT_EQ(said.state, State::acknowledged);
  const std::vector<RefusedPart> parts{{.host = "a", .route = 0, .message = "bad route BAD2\x12\x01x"},
                                       {.host = "b", .route = 0, .message = "bad route BAD1"},
                                       {.host = "cBAD", .route = {}, .message = "bad host cBAD"}};
  EXPECT_EQ(said.parts, parts);
}

TEST(RouteIsolation, OneOfManyTakesFewAnswers) {
  Judge judge;
  Hosts hosts;
  for (int i = 0; i < 1000; ++i) hosts[std::to_string(i)] = {route("/", std::to_string(i))};
  hosts["500"].push_back(route("/", "BAD"));
  EXPECT_LT(judge.serve(configuration(hosts)), 30);
  // Of what is new in what is known there is one.
  hosts["1"].push_back(route("/1", "BAD, too"));
  EXPECT_EQ(judge.serve(configuration(hosts)), 4) << "with it, nothing, its replacement, without it";
  hosts["2"].push_back(route("/", "good"));
  EXPECT_EQ(judge.serve(configuration(hosts)), 1);
  hosts.erase("1");
  hosts.erase("500");
  const auto whole = configuration(hosts);
  EXPECT_EQ(judge.serve(whole), 1);
  EXPECT_EQ(judge.kept, whole);
}

TEST(RouteIsolation, WhatIsRefusedAsAWholeBlamesNoRoute) {
  for (const bool knows_marks : {true, false}) {
    Judge judge;
    judge.knows_marks = knows_marks;
    const Hosts good{{"a", {route("/", "x")}}, {"b", {route("/", "y")}}};
    judge.serve(configuration(good));
    Hosts next = good;
    next["c"] = {route("/", "z")};
    if (!knows_marks) next["c"] = {route("/", "BAD")};
    const auto whole = configuration(next, knows_marks ? "BAD" : "l");
    EXPECT_LT(judge.serve(whole), 5);
    EXPECT_EQ(judge.said(whole).state, State::refused);
    EXPECT_EQ(judge.said(whole).message, knows_marks ? "bad rest" : "missing )");
    EXPECT_EQ(judge.served.hosts.size(), 2U) << "what was served stays";
    next["c"] = {route("/", "z")};
    const auto fixed = configuration(next);
    judge.serve(fixed);
    EXPECT_EQ(judge.said(fixed).state, State::acknowledged);
    EXPECT_TRUE(judge.said(fixed).parts.empty());
  }
}

TEST(RouteIsolation, AClientThatComesBackKeepsWhatItHas) {
  Judge first;
  const std::string good = route("/", "x");
  const auto whole = configuration({{"a", {route("/", "BAD"), good}}});
  first.serve(whole);
  // To a server that knows nothing.
  Judge second;
  second.isolation.has(first.kept->version);
  second.needed = {good};
  second.serve(whole);
  EXPECT_EQ(second.kept, nullptr) << "nothing but trials was sent";
  EXPECT_EQ(second.said(whole).parts, first.said(whole).parts);
  // And what it takes now.
  Judge third;
  third.takes = {"BAD"};
  third.isolation.has(first.kept->version);
  third.serve(whole);
  EXPECT_EQ(third.kept, whole);
  EXPECT_TRUE(third.said(whole).parts.empty());
}

TEST(RouteIsolation, AnotherClientBeginsWithoutWhatWasRefusedAndTriesEachOnce) {
  const auto remembered = std::make_shared<RefusedParts>();
  Hosts hosts{{"a", {route("/", "x")}}};
  for (int i = 10; i < 30; ++i) hosts["b"].push_back(route("/", "BAD" + std::to_string(i)));
  const auto whole = configuration(hosts);
  Judge first(remembered);
  first.serve(whole);
  EXPECT_EQ(first.said(whole).parts.size(), 20U);
  Judge same(remembered);
  EXPECT_EQ(same.serve(whole), 1 + 39) << "all, and each group down to one";
  EXPECT_EQ(same.said(whole).parts, first.said(whole).parts);
  hosts["a"].push_back(route("/", "y"));
  EXPECT_EQ(same.serve(configuration(hosts)), 1);
  // One that takes them all.
  Judge other(remembered);
  for (int i = 10; i < 30; ++i) other.takes.insert("BAD" + std::to_string(i));
  EXPECT_EQ(other.serve(whole), 3);
  EXPECT_EQ(other.kept, whole);
  EXPECT_TRUE(other.said(whole).parts.empty());
}

TEST(RouteIsolation, OneThatIsRefusedAgainKeepsNoOtherOut) {
  const auto remembered = std::make_shared<RefusedParts>();
  Hosts hosts{{"a", {route("/", "x")}}};
  for (int i = 10; i < 30; ++i) hosts["b"].push_back(route("/", "BAD" + std::to_string(i)));
  const auto whole = configuration(hosts);
  Judge first(remembered);
  first.serve(whole);
  // It takes them all but one.
  Judge other(remembered);
  for (int i = 11; i < 30; ++i) other.takes.insert("BAD" + std::to_string(i));
  EXPECT_LT(other.serve(whole), 15);
  ASSERT_EQ(other.said(whole).parts.size(), 1U);
  EXPECT_EQ(other.said(whole).parts[0].message, "bad route BAD10");
  EXPECT_TRUE(other.has(route("/", "BAD11")));
  // And goes on to serve what it has taken.
  other.needed = {route("/", "BAD11")};
  hosts["a"].push_back(route("/", "y"));
  EXPECT_EQ(other.serve(configuration(hosts)), 1);
}

TEST(RouteIsolation, WhatComesGoesBeforeWhatMayBeRefused) {
  const auto remembered = std::make_shared<RefusedParts>();
  Hosts hosts{{"a", {route("/", "x")}}};
  for (int i = 10; i < 30; ++i) hosts["b"].push_back(route("/", "BAD" + std::to_string(i)));
  Judge first(remembered);
  first.serve(configuration(hosts));
  Judge other(remembered);
  RouteIsolation::Resource whole;
  // Each change is there after the answer that was awaited, and that of its own.
  for (int i = 0; i < 100; ++i) {
    hosts["a"] = {route("/", "x" + std::to_string(i))};
    whole = configuration(hosts);
    other.isolation.follow(whole);
    if (i == 0) continue;
    for (int answers = 0; answers < 2; ++answers) other.answer();
    ASSERT_TRUE(other.has(hosts["a"].front())) << i;
  }
  EXPECT_EQ(other.said(whole).state, State::acknowledged)
      << "all of them have been tried between the changes";
  EXPECT_EQ(other.said(whole).parts.size(), 20U);
}

TEST(RouteIsolation, WhatOneResourceHasShownIsNotSearchedForInOthers) {
  const auto parts = std::make_shared<ClientParts>(std::make_shared<RefusedParts>());
  std::vector<std::unique_ptr<Judge>> judges;
  std::vector<Hosts> hosts;
  for (int i = 0; i < 65; ++i) {
    judges.push_back(std::make_unique<Judge>(parts));
    hosts.push_back({{"h" + std::to_string(i), {route("/", "x")}}});
    judges.back()->serve(configuration(hosts.back()));
  }
  int asked = 0;
  for (std::size_t i = 0; i < judges.size(); ++i) {
    hosts[i].begin()->second.push_back(route("/bad", "BAD"));
    judges[i]->isolation.follow(configuration(hosts[i]));
    judges[i]->isolation.sent();
    judges[i]->isolation.not_answered();
  }
  for (std::size_t i = 0; i < judges.size(); ++i) {
    judges[i]->isolation.look_again();
    asked += judges[i]->settle();
    const auto said = judges[i]->said(configuration(hosts[i]));
    ASSERT_EQ(said.parts.size(), 1U) << i;
    EXPECT_EQ(said.parts[0].message, "bad route BAD");
  }
  EXPECT_EQ(asked, 4 + 64);
  // One that has been refused before it is known refuses nothing else.
  Judge late(parts);
  late.serve(configuration({{"l", {route("/", "x")}}}));
  EXPECT_EQ(late.serve(configuration({{"l", {route("/", "x"), route("/bad", "BAD")}}})), 1);
}

TEST(RouteIsolation, ARouteHasWhateverHostname) {
  Judge judge;
  judge.serve(configuration({{"a", {route("/", "x")}}}));
  const auto whole = configuration(
      {{"a", {route("/", "x"), route("/", "BAD")}}, {"fairway-trial.invalid", {route("/", "y")}}});
  judge.serve(whole);
  ASSERT_EQ(judge.said(whole).parts.size(), 1U);
  EXPECT_EQ(judge.said(whole).parts[0].host, "a");
  EXPECT_TRUE(judge.has(route("/", "y")));
}

TEST(RouteIsolation, IsNotStarvedByWhatChangesWithEachAnswer) {
  Judge judge;
  Hosts hosts;
  for (int i = 0; i < 16; ++i) hosts["h" + std::to_string(i)] = {route("/", std::to_string(i))};
  judge.serve(configuration(hosts));
  hosts["h3"].push_back(route("/", "BAD"));
  int behind = 0, most_behind = 0;
  for (int i = 0; i < 100; ++i) {
    // Each third is bad, too.
    hosts["h5"] = {route("/", "good" + std::to_string(i)),
                   route("/", (i % 3 == 0 ? "BAD" : "as good") + std::to_string(i))};
    judge.isolation.follow(configuration(hosts));
    ASSERT_NE(judge.isolation.to_send(), nullptr);
    const auto sent = judge.isolation.to_send();
    judge.isolation.sent();
    hosts["h6"] = {route("/", "on its way " + std::to_string(i))};
    judge.isolation.follow(configuration(hosts));
    judge.answered(sent);
    behind = judge.kept == sent ? 0 : behind + 1;
    most_behind = std::max(behind, most_behind);
  }
  EXPECT_LT(most_behind, 12) << "answers without anything new that is served";
  const auto whole = configuration(hosts);
  judge.serve(whole);
  EXPECT_EQ(judge.said(whole).state, State::acknowledged);
  EXPECT_TRUE(judge.has(hosts["h6"].front()));
}

TEST(RouteIsolation, FollowsWhatChangesWhileItSearches) {
  Judge judge;
  Hosts hosts;
  for (int i = 0; i < 16; ++i) hosts[std::to_string(i)] = {route("/", i == 5 ? "BAD" : std::to_string(i))};
  judge.isolation.follow(configuration(hosts));
  RouteIsolation::Resource whole;
  for (int i = 0; judge.isolation.to_send() != nullptr; ++i) {
    const auto sent = judge.isolation.to_send();
    judge.isolation.sent();
    if (i < 8) {
      hosts["n" + std::to_string(i)] = {route("/", i == 3 ? "BAD, too" : std::to_string(i))};
      whole = configuration(hosts);
      judge.isolation.follow(whole);
      EXPECT_EQ(judge.said(whole).state, State::pending);
    }
    const std::string words = judge.refusal_of(sent->bytes);
    words.empty() ? judge.isolation.acknowledged() : judge.isolation.refused(words);
    ASSERT_LT(i, 100);
  }
  EXPECT_EQ(judge.said(whole).state, State::acknowledged);
  EXPECT_EQ(judge.said(whole).parts.size(), 2U);
}

/// Checks on random configurations that refused parts are reported, all others are served, and nothing that
/// was served and stays is ever missing.
TEST(RouteIsolation, OfAllThatIsAtRandomTheGoodIsServed) {
  const char* text = std::getenv("FAIRWAY_SEED");
  std::mt19937 random(text == nullptr ? 1U : static_cast<unsigned>(std::strtoul(text, nullptr, 10)));
  const auto below = [&](unsigned end) { return static_cast<unsigned>(random() % end); };
  for (int round = 0; round < 100; ++round) {
    Judge judge;
    Hosts hosts;
    for (int change = 0; change < 10; ++change) {
      for (unsigned i = below(6); i > 0; --i) {
        const bool is_bad = below(4) == 0;
        Routes& routes = hosts[std::to_string(below(5))];
        if (below(5) == 0 && !routes.empty()) routes.pop_back();
        routes.push_back(route(below(3) == 0 && is_bad ? "BAD" : std::to_string(below(4)),
                               (is_bad ? "BAD" : "") + std::to_string(below(20))));
      }
      judge.needed.clear();
      std::size_t bad = 0;
      for (const auto& [name, routes] : hosts) {
        for (const std::string& one : routes) {
          if (one.contains("BAD")) ++bad;
          if (!one.contains("BAD") && judge.has(one)) judge.needed.push_back(one);
        }
      }
      const auto whole = configuration(hosts);
      judge.serve(whole);
      ASSERT_EQ(judge.said(whole).state, State::acknowledged);
      ASSERT_EQ(judge.said(whole).parts.size(), bad);
      for (const auto& [name, routes] : hosts) {
        for (const std::string& one : routes) ASSERT_TRUE(one.contains("BAD") || judge.has(one));
      }
    }
  }
}

}  // namespace
}  // namespace fairway::xds
