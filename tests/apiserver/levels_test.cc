// SPDX-License-Identifier: Apache-2.0

// Which requests are more urgent than others.
#include <gtest/gtest.h>

#include <string>

#include "apiserver/internal/flow/levels.h"
#include "support/table.h"

namespace fairway::apiserver::flow {
namespace {

/// Returns "CN=NAME", or "O=GROUP,CN=NAME" for "NAME/GROUP".
std::string subject_of(const std::string& user) {
  const std::size_t slash = user.find('/');
  if (slash == std::string::npos) return "CN=" + user;
  return "CN=" + user.substr(0, slash) + ",O=" + user.substr(slash + 1);
}

TEST(Levels, AreThoseOfTheTable) {
  const std::vector<http::FlowLevel> levels = levels_of({});
  for (const auto& row : fairway::testing::read_table(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/flows.tsv")) {
    http::Peer peer{.address = "192.0.2.7:40000"};
    const std::string user = row.at(0), method = row.at(1), target = row.at(2);
    if (!user.empty()) peer.certificate_subject = subject_of(user);
    http::Request request;
    request.method = method;
    request.target = target;
    request.path = std::string_view(target).substr(0, target.find('?'));
    request.query = target.contains('?') ? std::string_view(target).substr(target.find('?') + 1) : "";
    request.peer = &peer;
    const http::Flow flow = flow_of(request, nullptr);
    EXPECT_EQ(levels.at(flow.level).name, row.at(3)) << "line " << row.line;
    EXPECT_EQ(flow.key.starts_with('\n') ? "stranger " + flow.key.substr(1) : flow.key, row.at(4))
        << "line " << row.line;
  }
}

TEST(Levels, HaveOneFlowForTheStrangersOfANetwork) {
  const auto flow_at = [](const std::string& address) {
    const http::Peer peer{.address = address};
    http::Request request;
    request.method = "GET";
    request.path = request.target = "/api/v1/pods";
    request.peer = &peer;
    return flow_of(request, nullptr).key;
  };
  EXPECT_EQ(flow_at("[2001:db8::1]:1"), flow_at("[2001:db8:0:0:ffff::2]:2"));
  EXPECT_NE(flow_at("[2001:db8::1]:1"), flow_at("[2001:db8:0:1::1]:1"));
  EXPECT_NE(flow_at("192.0.2.7:1"), flow_at("192.0.2.8:1"));
}

TEST(Levels, HoldNothingOfStrangersAndOfLongQueries) {
  const auto is_held = [](const char* user, std::string_view query) {
    http::Peer peer{.address = "192.0.2.7:40000"};
    if (*user != 0) peer.certificate_subject = subject_of(user);
    http::Request request;
    request.method = "GET";
    request.path = request.target = "/api/v1/pods";
    request.query = query;
    request.peer = &peer;
    return flow_of(request, nullptr).context != nullptr;
  };
  EXPECT_TRUE(is_held("ann", "labelSelector=a"));
  EXPECT_FALSE(is_held("", "labelSelector=a"));
  std::string all = "labelSelector=a";
  while (all.size() < 16'000) all += ",a";
  EXPECT_FALSE(is_held("ann", all));
}

TEST(Levels, LeaveThreadsToThoseBeforeThem) {
  for (const int threads : {1, 2, 8, 32}) {
    const std::vector<http::FlowLevel> levels = levels_of({.in_flight = threads});
    ASSERT_EQ(levels.size(), 4U);
    for (const http::FlowLevel& level : levels)
      EXPECT_GE(level.threads, 1) << level.name << " of " << threads;
    for (const std::size_t of_users : {1, 3}) {
      const http::FlowLevel& level = levels[of_users];
      EXPECT_GE(level.threads_of_flow, 1);
      const int left_to_others = level.threads - level.threads_of_flow;
      EXPECT_EQ(left_to_others, level.threads > 1 ? std::max(level.threads / 4, 1) : 0);
    }
    if (threads < 8) continue;
    EXPECT_LT(levels[3].threads, levels[2].threads);
    EXPECT_LT(levels[2].threads, levels[0].threads);
  }
}

}  // namespace
}  // namespace fairway::apiserver::flow
