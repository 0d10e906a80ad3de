// SPDX-License-Identifier: Apache-2.0

#include "command_line/own_health.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/fake_service.h"

namespace fairway::command_line {
namespace {

/// An answer of /livez or /readyz, and the reason that is read from it.
struct Case {
  int status;
  std::string body;
  std::optional<std::string> reason;
};

TEST(OwnHealth, ReadsWhatTheProcessAnswers) {
  std::atomic<const Case*> now = nullptr;
  fairway::testing::FakeService service([&](const http::Request&) {
    const Case& one = *now;
    return http::Response::text(one.status, one.body);
  });
  const auto health = health_at("http://" + service.address());
  ASSERT_TRUE(health) << health.error().message;
  for (const Case& one : {Case{200, "ok\n", std::nullopt}, Case{429, "busy\n", std::nullopt},
                          Case{503, "not ready: no graph yet: 404\n", "no graph yet: 404"},
                          Case{503, "not alive: the test says so\n", "the test says so"},
                          Case{500, "", "status 500"}, Case{404, "no such page", "no such page"}}) {
    now = &one;
    EXPECT_EQ(health->not_alive(), one.reason) << one.body;
    EXPECT_EQ(health->not_ready(), one.reason) << one.body;
  }
  const auto seen = service.seen();
  ASSERT_GE(seen.size(), 2U);
  EXPECT_EQ(seen[0].target, "/livez");
  EXPECT_EQ(seen[1].target, "/readyz");
}

TEST(OwnHealth, HasAReasonWhereNobodyAnswers) {
  std::optional<ServiceHealth> health;
  {
    fairway::testing::FakeService service(
        [](const http::Request&) { return http::Response::text(200, "ok"); });
    health = health_at("http://" + service.address()).value();
    EXPECT_EQ(health->not_alive(), std::nullopt);
  }
  EXPECT_NE(health->not_alive(), std::nullopt);
}

TEST(OwnHealth, RefusesAUrlThatIsNone) {
  const auto health = health_at("127.0.0.1");
  ASSERT_FALSE(health);
  EXPECT_TRUE(health.error().message.starts_with("preparing to ask this process how it is: "))
      << health.error().message;
}

}  // namespace
}  // namespace fairway::command_line
