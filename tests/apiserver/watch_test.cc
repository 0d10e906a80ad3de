// SPDX-License-Identifier: Apache-2.0

// Watches, as clients see them.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "apiserver/seen_watch.h"
#include "apiserver/server_case.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

using Texts = std::vector<std::string>;

class Watches : public OnServer {
 protected:
  void set(const std::string& name, const std::string& patch) {
    ASSERT_OK(client->patch(config_maps, key(name), kube::PatchType::merge, parsed(patch)));
  }
};

TEST_F(Watches, ShowWhatIsThereAndWhatChanges) {
  ASSERT_OK(client->create(config_maps, config_map("a")));
  Seen seen(client, config_maps, {});
  EXPECT_EQ(seen.events(1), (Texts{"ADDED a1"}));
  ASSERT_OK(client->create(config_maps, config_map("b")));
  set("a", R"({"data":{"a":"2"}})");
  ASSERT_OK(client->remove(config_maps, key("a")));
  EXPECT_EQ(seen.events(4), (Texts{"ADDED a1", "ADDED b1", "MODIFIED a2", "DELETED a2"}));
  const auto versions = seen.versions();
  EXPECT_TRUE(std::ranges::is_sorted(versions));
  EXPECT_LT(versions[2], versions[3]);
}

TEST_F(Watches, BeginAfterAVersion) {
  ASSERT_OK(client->create(config_maps, config_map("a")));
  const auto list = client->list(config_maps, "default");
  ASSERT_OK(list);
  ASSERT_OK(client->create(config_maps, config_map("b")));
  Seen seen(client, config_maps, {.resource_version = list->resource_version});
  EXPECT_EQ(seen.events(1), (Texts{"ADDED b1"}));
}

TEST_F(Watches, EndTheirInitialObjectsWithABookmark) {
  ASSERT_OK(client->create(config_maps, config_map("a")));
  Seen seen(client, config_maps, {.bookmarks = true, .initial_events = true});
  EXPECT_EQ(seen.events(2), (Texts{"ADDED a1", "END"}));
  ASSERT_OK(client->create(config_maps, config_map("b")));
  EXPECT_EQ(seen.events(3), (Texts{"ADDED a1", "END", "ADDED b1"}));
}

TEST_F(Watches, TurnChangesIntoWhatASelectorSees) {
  ASSERT_OK(client->create(config_maps, config_map("a")));
  Seen seen(
      client, config_maps,
      {.labels = k8s::LabelSelector::parse("on=yes").value(), .bookmarks = true, .initial_events = true});
  EXPECT_EQ(seen.events(1), (Texts{"END"}));
  set("a", R"({"metadata":{"labels":{"on":"yes"}}})");
  set("a", R"({"data":{"a":"2"}})");
  set("a", R"({"metadata":{"labels":null},"data":{"a":"3"}})");
  set("a", R"({"data":{"a":"4"}})");
  set("a", R"({"metadata":{"labels":{"on":"yes"}}})");
  ASSERT_OK(client->remove(config_maps, key("a")));
  // DELETED carries what was selected last, with the version of the change.
  EXPECT_EQ(seen.events(6),
            (Texts{"END", "ADDED a1", "MODIFIED a2", "DELETED a2", "ADDED a4", "DELETED a4"}));
  EXPECT_TRUE(std::ranges::is_sorted(seen.versions()));
}

TEST_F(Watches, OfANamespaceSeeNoOther) {
  Seen seen(client, config_maps, {}, "kube-public");
  ASSERT_OK(client->create(config_maps, config_map("a")));
  auto other = config_map("b");
  other.set_namespace_name("kube-public");
  ASSERT_OK(client->create(config_maps, other));
  EXPECT_EQ(seen.events(1), (Texts{"ADDED b1"}));
}

TEST_F(Watches, AheadOfTheServerAreRefused) {
  Seen seen(client, config_maps, {.resource_version = "99999"});
  EXPECT_EQ(seen.end(), "Timeout");
}

TEST_F(Watches, EndAfterTheirTime) {
  Seen seen(client, config_maps, {.timeout = 1s});
  EXPECT_EQ(seen.end(), "ended");
}

TEST_F(Watches, MayBeAskedForLongerThanClocksCount) {
  Seen seen(client, config_maps,
            {.bookmarks = true, .initial_events = true, .timeout = std::chrono::seconds::max()});
  EXPECT_EQ(seen.events(1), (Texts{"END"}));
  ASSERT_OK(client->create(config_maps, config_map("a")));
  EXPECT_EQ(seen.events(2), (Texts{"END", "ADDED a1"}));
}

TEST_F(Watches, EndWithTheServer) {
  Seen seen(client, config_maps, {.bookmarks = true, .initial_events = true});
  EXPECT_EQ(seen.events(1), (Texts{"END"}));
  server.reset();
  EXPECT_EQ(seen.end(), "broken");
}

/// Many objects come in several pieces; a watch that begins with them misses nothing.
TEST_F(Watches, SendManyInitialObjects) {
  const std::string text(20'000, 'x');
  constexpr int count = 100;
  for (int i = 0; i < count; ++i) {
    ASSERT_OK(client->create(config_maps, config_map("m" + std::to_string(i), text)));
  }
  Seen seen(client, config_maps, {.bookmarks = true, .initial_events = true});
  EXPECT_EQ(seen.events(count + 1).size(), count + 1U);
  EXPECT_EQ(seen.events(count + 1).back(), "END");
}

TEST(WatchesByTheClock, GetABookmarkEachMinute) {
  FakeClock clock(parse_time("2026-01-01T00:00:00Z").value());
  const auto server = start_server({.clock = &clock, .namespace_defaults = false});
  const auto client = client_of(*server);
  Seen seen(client, config_maps, {.bookmarks = true, .initial_events = true});
  EXPECT_EQ(seen.events(1), (Texts{"END"}));
  const auto made = client->create(
      namespaces, object_of(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"}})"));
  ASSERT_OK(made);
  clock.wait_for_waiters(1);
  clock.advance(61s);
  EXPECT_EQ(seen.events(2), (Texts{"END", "BOOKMARK"}));
  // It says that nothing was missed, whatever else has changed.
  EXPECT_GE(seen.versions()[1], std::stoll(std::string(made->resource_version())));
}

}  // namespace
}  // namespace fairway::apiserver::testing
