// SPDX-License-Identifier: Apache-2.0

// The states of an update that is followed, as tests/adm/data/follow.json has them. A condition is "STATUS
// TIME REASON MESSAGE", an entry of the history "STATE VERSION IMAGE STARTED [COMPLETED]".
#include "adm/follow/follower.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "adm/cluster_states.h"
#include "adm/follow/server_troubles.h"
#include "support/cases.h"

namespace fairway::adm {
namespace {

using namespace std::chrono_literals;
using fairway::testing::field;
using openshift::ClusterVersion;
using testing::cluster;

TEST(Follow, says_of_each_state_what_it_means) {
  std::set<std::string> seen;
  for (const json::Value& one :
       fairway::testing::read_cases(FAIRWAY_SOURCE_DIR "/tests/adm/data/follow.json")) {
    SCOPED_TRACE(std::string(field(one, "name").as_string()));
    const json::Value& asked = field(one, "asked");
    const bool changed = json::find(one, "unchanged") == nullptr && asked.is_object();
    const json::Value* asked_before = json::find(one, "asked_before");
    const ClusterVersion before = cluster(field(one, "before"), changed ? asked_before : &asked, 1);
    const ClusterVersion now = cluster(field(one, "before"), &asked, changed ? 2 : 1);
    std::optional<FollowTarget> target;
    if (const json::Value* given = json::find(one, "target"))
      target = FollowTarget{std::string(field(*given, "version").as_string()),
                            std::string(field(*given, "image").as_string())};
    auto follower = Follower::begin(before, now, std::move(target));
    ASSERT_EQ(!follower, json::find(one, "nothing") != nullptr);
    for (const json::Value& state : field(one, "states").as_array()) {
      const json::Value* spec = json::find(state, "spec");
      const FollowStep step =
          follower->see(cluster(state, spec == nullptr ? &asked : spec, static_cast<int>(now.generation())));
      EXPECT_EQ(to_string(step.state), std::string_view(field(state, "is").as_string()));
      EXPECT_EQ(line_of(step), std::string_view(field(state, "line").as_string()));
      seen.emplace(to_string(step.state));
    }
  }
  EXPECT_EQ(seen.size(), 6u) << "each state has a case";
}

TEST(Follow, has_a_document_of_each_state) {
  EXPECT_EQ(
      json::to_text(document_of({.version = "4.7.4", .image = "b"},
                                {.state = FollowState::updating, .message = "m", .failing = "f"},
                                *parse_time("2026-11-30T10:00:00Z"))),
      R"({"time":"2026-11-30T10:00:00Z","version":"4.7.4","image":"b","state":"updating","message":"m",)"
      R"("failing":"f"})");
  EXPECT_FALSE(document_of({}, {}, {}).contains("failing"));
}

TEST(Follow, advises_what_the_program_that_was_called_has) {
  const Caller caller{.upgrade = "kubectl fairway", .client = "kubectl"};
  const std::string refused = advice_after({.state = FollowState::refused}, caller);
  EXPECT_TRUE(refused.contains("`kubectl fairway why`") && refused.contains("`kubectl fairway --clear`"))
      << refused;
  EXPECT_TRUE(advice_after({.state = FollowState::replaced}, caller).contains("`kubectl fairway --wait`"));
  EXPECT_TRUE(advice_after({.state = FollowState::unknown}, caller).contains("`kubectl get clusterversion"));
  EXPECT_EQ(advice_after({.state = FollowState::completed}, caller), "");
}

TEST(FollowServerTroubles, tells_an_outage_once_and_waits_for_it_without_end) {
  ServerTroubles troubles;
  SteadyTime now{};
  EXPECT_EQ(troubles.take(0, "refused", now).warning,
            "the API server does not answer, and is asked again: refused");
  for (int hour = 0; hour < 100; ++hour) {
    const auto verdict = troubles.take(hour % 2 == 0 ? 503 : 0, "refused", now += 1h);
    EXPECT_EQ(verdict.warning, "");
    EXPECT_FALSE(verdict.end);
  }
  troubles.answered();
  EXPECT_NE(troubles.take(0, "refused", now).warning, "") << "another outage";
}

TEST(FollowServerTroubles, gives_up_after_a_time_of_refused_credentials) {
  ServerTroubles troubles;
  SteadyTime now{};
  EXPECT_NE(troubles.take(0, "refused", now).warning, "");
  EXPECT_EQ(troubles.take(401, "Unauthorized", now += 1h).warning,
            "the API server refuses the credentials, and is asked again for 5 minutes: Unauthorized");
  EXPECT_FALSE(troubles.take(401, "Unauthorized", now += 4min).end);
  troubles.answered();
  EXPECT_FALSE(troubles.take(401, "Unauthorized", now += 4min).end) << "it has answered meanwhile";
  EXPECT_FALSE(troubles.take(403, "Forbidden", now += 299s).end);
  EXPECT_FALSE(troubles.take(503, "down", now += 1h).end);
  const auto verdict = troubles.take(401, "Unauthorized", now += 1s);
  ASSERT_TRUE(verdict.end);
  EXPECT_EQ(verdict.end->code, ErrorCode::unauthenticated);
  EXPECT_EQ(verdict.end->message, "the API server has refused the credentials for 5 minutes: Unauthorized");
}

TEST(FollowServerTroubles, tells_each_trouble_once_although_they_take_turns) {
  ServerTroubles troubles;
  SteadyTime now{};
  EXPECT_NE(troubles.take(401, "Unauthorized", now).warning, "");
  EXPECT_NE(troubles.take(503, "down", now += 1s).warning, "");
  EXPECT_EQ(troubles.take(401, "Unauthorized", now += 1s).warning, "");
  EXPECT_EQ(troubles.take(503, "down", now += 1s).warning, "");
}

TEST(FollowServerTroubles, are_told_without_the_query_of_the_request) {
  ServerTroubles troubles;
  EXPECT_TRUE(
      troubles.take(0, "GET http://h/apis/c?fieldSelector=REDACTED&watch=REDACTED: connecting: refused", {})
          .warning.ends_with("again: GET http://h/apis/c: connecting: refused"));
}

TEST(Follow, shows_on_a_narrow_line_first_what_fails) {
  const FollowStep step{
      .state = FollowState::updating, .message = "Working towards 4.7.4", .failing = "R: m"};
  EXPECT_EQ(short_line_of(step), "failing: R: m; Working towards 4.7.4");
  EXPECT_EQ(short_line_of({.message = "m"}), "m");
}

}  // namespace
}  // namespace fairway::adm
