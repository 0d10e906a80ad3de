// SPDX-License-Identifier: Apache-2.0

#include "kube/wait/wait_until.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "k8s/kinds/workloads.h"
#include "kube/churning_api.h"
#include "kube/controller_kinds.h"
#include "kube/fake_discovery.h"
#include "kube/memory_api.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;
using k8s::Readiness;
using testing::ChurningApi;
using testing::MemoryApi;
using testing::Widget;
using testing::widget;

const k8s::GroupVersionResource widgets = Widget::resource.group_version_resource();

/// Returns a typed predicate for the color.
auto is_color(std::string color) {
  return [color = std::move(color)](const Widget* widget) {
    if (widget == nullptr) return Readiness::waiting("there is no widget");
    if (widget->color() == "broken") return Readiness::failed("the widget is broken");
    return widget->color() == color ? Readiness::ready()
                                    : Readiness::waiting("the widget is " + std::string(widget->color()));
  };
}

/// A wait on a thread of its own.
class Waiting {
 public:
  template <class TypedPredicate>
  Waiting(const std::shared_ptr<Client>& client, TypedPredicate predicate, Limits limits = {}) {
    if (!limits.stop.stop_possible()) limits.stop = stop_.get_token();
    result_ = std::async(std::launch::async, [this, client, predicate, limits] {
      const auto counted = [&](const Widget* object) {
        auto verdict = predicate(object);
        ++seen_;
        return verdict;
      };
      return wait_until<Widget>(client, {"a", "w"}, counted, limits);
    });
  }
  ~Waiting() { stop_.request_stop(); }
  int seen() const { return seen_; }
  bool sees(int count) const {
    return fairway::testing::eventually([this, count] { return seen_ >= count; });
  }
  Result<std::optional<Widget>> end() { return result_.get(); }

 private:
  std::stop_source stop_;
  std::atomic<int> seen_ = 0;
  std::future<Result<std::optional<Widget>>> result_;
};

class WaitUntilTest : public ::testing::Test {
 protected:
  MemoryApi server_;
  FakeClock clock_;
  std::shared_ptr<Client> client_ = server_.client(&clock_);
  Api<Widget> widgets_{client_, "a"};
};

TEST_F(WaitUntilTest, ReturnsAtOnceWhatIsThere) {
  ASSERT_TRUE(widgets_.create(widget("w", "blue")));
  const auto found = Waiting(client_, is_color("blue")).end();
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(*found);
  EXPECT_EQ((*found)->color(), "blue");
}

TEST_F(WaitUntilTest, SeesTheObjectAppearChangeAndGo) {
  ASSERT_TRUE(widgets_.create(widget("another", "blue")));
  Waiting waiting(client_, is_color("blue"));
  ASSERT_TRUE(waiting.sees(1));
  ASSERT_TRUE(widgets_.create(widget("w")));
  ASSERT_TRUE(waiting.sees(2));
  ASSERT_TRUE(widgets_.remove("w"));
  ASSERT_TRUE(waiting.sees(3));
  ASSERT_TRUE(widgets_.create(widget("w")));
  ASSERT_TRUE(widgets_.merge_patch("w", {{"spec", {{"color", "blue"}}}}));
  const auto found = waiting.end();
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ((*found)->color(), "blue");
}

TEST_F(WaitUntilTest, CanWaitForAnAbsentObject) {
  const auto absent = [](const Widget* object) {
    return object == nullptr ? Readiness::ready() : Readiness::waiting("there is one");
  };
  ASSERT_TRUE(widgets_.create(widget("w")));
  Waiting waiting(client_, absent);
  ASSERT_TRUE(waiting.sees(1));
  ASSERT_TRUE(widgets_.remove("w"));
  const auto gone = waiting.end();
  ASSERT_TRUE(gone) << gone.error().message;
  EXPECT_FALSE(*gone);
}

TEST_F(WaitUntilTest, SaysAtTheDeadlineWhatWasSeenLast) {
  ASSERT_TRUE(widgets_.create(widget("w", "green")));
  Waiting waiting(client_, is_color("blue"), Limits::within(clock_, 60s));
  ASSERT_TRUE(waiting.sees(1));
  clock_.wait_for_waiters(1);
  clock_.advance(61s);
  const auto late = waiting.end();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::deadline_exceeded);
  EXPECT_EQ(
      late.error().message,
      "waiting for widgets.example.com/v1, Resource=widgets a/w: the deadline has passed; last seen: the "
      "widget is green");
}

TEST_F(WaitUntilTest, SaysAtTheDeadlineThatTheServerFails) {
  server_.intercept([](const http::Request&) { return 500; });
  Waiting waiting(client_, is_color("blue"), Limits::within(clock_, 60s));
  clock_.wait_for_waiters(2);  // the deadline, and the backoff
  clock_.advance(61s);
  const auto late = waiting.end();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::deadline_exceeded);
  EXPECT_NE(late.error().message.find("nothing was seen of it; current problem: "), std::string::npos)
      << late.error().message;
  EXPECT_EQ(waiting.seen(), 0);
}

TEST_F(WaitUntilTest, EndsWhenTheCallerHasHadEnoughOfAProblem) {
  ASSERT_TRUE(widgets_.create(widget("w", "green")));
  std::atomic<bool> refuses = false;
  server_.intercept([&](const http::Request&) { return refuses ? 401 : 0; });
  std::atomic<int> problems = 0;
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] {
    return wait_until<Widget>(
        client_, {"a", "w"},
        [&](const Widget* object) {
          if (object != nullptr) refuses = true;  // from the watch on
          return is_color("blue")(object);
        },
        {.stop = stop.get_token()},
        [&](const ApiError& problem) -> std::optional<Error> {
          EXPECT_EQ(problem.status.code(), 401);
          if (++problems < 3) return std::nullopt;
          return Error{ErrorCode::unauthenticated, "refused three times"};
        });
  });
  // Two problems are only told of: after each the server is asked again.
  for (int number = 1; number < 3; ++number) {
    EXPECT_TRUE(fairway::testing::eventually([&] { return problems >= number; }));
    clock_.wait_for_waiters(1);
    clock_.advance(60s);
  }
  const bool ended = result.wait_for(fairway::testing::generous(10s)) == std::future_status::ready;
  stop.request_stop();
  EXPECT_TRUE(ended);
  const auto given_up = result.get();
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, ErrorCode::unauthenticated);
  EXPECT_TRUE(given_up.error().message.ends_with("a/w: refused three times")) << given_up.error().message;
  EXPECT_EQ(problems, 3);
}

TEST_F(WaitUntilTest, AsksTheCallerAboutCredentialsThatAreRefusedFromTheBeginning) {
  ASSERT_TRUE(widgets_.create(widget("w", "blue")));
  std::atomic<int> asked = 0, problems = 0;
  server_.intercept([&](const http::Request&) { return asked++ < 2 ? 401 : 0; });
  std::stop_source stop;
  auto result = std::async(std::launch::async, [&] {
    return wait_until<Widget>(client_, {"a", "w"}, is_color("blue"), {.stop = stop.get_token()},
                              [&](const ApiError&) -> std::optional<Error> {
                                ++problems;
                                return std::nullopt;
                              });
  });
  const bool ended = fairway::testing::eventually([&] {
    clock_.advance(60s);
    return result.wait_for(0s) == std::future_status::ready;
  });
  stop.request_stop();
  EXPECT_TRUE(ended);
  const auto found = result.get();
  EXPECT_TRUE(found) << found.error().message;
  EXPECT_EQ(problems, 2);
}

TEST_F(WaitUntilTest, EndsWhenStopped) {
  std::stop_source stop;
  Waiting waiting(client_, is_color("blue"), {.stop = stop.get_token()});
  ASSERT_TRUE(waiting.sees(1));
  stop.request_stop();
  const auto stopped = waiting.end();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_NE(stopped.error().message.find("there is no widget"), std::string::npos) << stopped.error().message;
}

TEST_F(WaitUntilTest, FailsAtOnceWhereWaitingCannotHelp) {
  ASSERT_TRUE(widgets_.create(widget("w")));
  Waiting waiting(client_, is_color("blue"));
  ASSERT_TRUE(waiting.sees(1));
  ASSERT_TRUE(widgets_.merge_patch("w", {{"spec", {{"color", "broken"}}}}));
  const auto failed = waiting.end();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::conflict);
  EXPECT_NE(failed.error().message.find("failed: the widget is broken"), std::string::npos)
      << failed.error().message;
}

TEST_F(WaitUntilTest, FailsAtOnceWithoutTheRightToRead) {
  server_.intercept([](const http::Request&) { return 403; });
  const auto refused = Waiting(client_, is_color("blue")).end();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::forbidden) << refused.error().message;
}

TEST_F(WaitUntilTest, RetriesWhenTheRightIsTakenAwayForAWhile) {
  ASSERT_TRUE(widgets_.create(widget("w")));
  std::atomic<int> refused = 0;
  server_.intercept([&](const http::Request& request) {
    const bool watches = request.query.find("watch=true") != std::string::npos;
    return watches && refused++ < 2 ? 403 : 0;
  });
  Waiting waiting(client_, is_color("blue"));
  ASSERT_TRUE(fairway::testing::eventually([&] {
    clock_.advance(60s);
    return refused >= 3;
  }));
  ASSERT_TRUE(widgets_.merge_patch("w", {{"spec", {{"color", "blue"}}}}));
  const auto found = waiting.end();
  EXPECT_TRUE(found) << found.error().message;
}

TEST_F(WaitUntilTest, WaitsForAKindThatIsNotServedYet) {
  ASSERT_TRUE(widgets_.create(widget("w", "blue")));
  std::atomic<bool> served = false;
  server_.intercept([&](const http::Request&) { return served ? 0 : 404; });
  Waiting waiting(client_, is_color("blue"));
  ASSERT_TRUE(waiting.sees(1));
  clock_.wait_for_waiters(1);
  served = true;
  clock_.advance(5s);
  const auto found = waiting.end();
  EXPECT_TRUE(found) << found.error().message;
}

/// A clock with the machine's time, whose pauses are over at once.
class ImpatientClock final : public Clock {
 public:
  WallTime now() const override { return Clock::system().now(); }
  SteadyTime steady() const override { return Clock::system().steady(); }
  bool wait_until(SteadyTime /*until*/, std::stop_token stop) override {
    std::this_thread::yield();
    return !stop.stop_requested();
  }
};

/// A server that says 404 for a kind, with settable discovery.
class WaitUntilNotServedTest : public ::testing::Test {
 protected:
  WaitUntilNotServedTest() {
    server_.intercept([this](const http::Request& request) {
      if (request.path.ends_with("/widgets")) ++asked_;
      return 404;
    });
    discovery_.serve(k8s::ConfigMap::resource);
  }
  void discover() {
    server_.respond([this](const http::Request& request) { return discovery_.answer(request); });
  }
  /// Waits for the end of a widget of this version; stopped when the server was asked three times.
  Result<std::optional<k8s::Dynamic>> wait_for_end(const char* version = "v1") {
    std::stop_source stop;
    auto result = std::async(std::launch::async, [&] {
      k8s::GroupVersionResource resource = widgets;
      resource.version = version;
      return wait_until(client_, resource, {"a", "w"}, is_deleted(), {.stop = stop.get_token()});
    });
    EXPECT_TRUE(fairway::testing::eventually(
        [&] { return asked_ >= 3 || result.wait_for(0s) == std::future_status::ready; }));
    stop.request_stop();
    return result.get();
  }

  testing::FakeDiscovery discovery_;
  std::atomic<int> asked_ = 0;
  MemoryApi server_;  ///< its threads use the members above
  ImpatientClock clock_;
  std::shared_ptr<Client> client_ = server_.client(&clock_);
};

TEST_F(WaitUntilNotServedTest, IsAbsentIfDiscoveryDoesNotKnowTheKind) {
  discover();
  const auto gone = wait_for_end();
  ASSERT_TRUE(gone) << gone.error().message;
  EXPECT_FALSE(*gone);
  EXPECT_EQ(asked_, 1);
}

TEST_F(WaitUntilNotServedTest, IsNotKnownToBeAbsentWithoutDiscovery) {
  const auto stopped = wait_for_end();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_NE(stopped.error().message.find("whether the server serves the kind is not known: "),
            std::string::npos)
      << stopped.error().message;
}

TEST_F(WaitUntilNotServedTest, IsNotAbsentWhereAnotherVersionIsServed) {
  discovery_.serve(Widget::resource);
  discover();
  const auto stopped = wait_for_end("v2");
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_NE(stopped.error().message.find("it serves widgets.example.com/v1, Resource=widgets"),
            std::string::npos)
      << stopped.error().message;
}

TEST_F(WaitUntilNotServedTest, IsNotAbsentWhereDiscoveryKnowsTheKind) {
  discovery_.serve(Widget::resource);
  discover();
  const auto stopped = wait_for_end();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled) << stopped.error().message;
}

TEST_F(WaitUntilNotServedTest, IsNotKnownToBeAbsentWhileItsGroupIsStale) {
  discovery_.set_stale(widgets.group_version(), true);
  discover();
  const auto stopped = wait_for_end();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled) << stopped.error().message;
}

TEST_F(WaitUntilNotServedTest, RefusesANamespaceForAClusterScopedKind) {
  discovery_.serve({{"", "v1", "Node"}, "nodes", k8s::Scope::cluster});
  discover();
  const auto refused = wait_until(client_, {"", "v1", "nodes"}, {"default", "n1"}, is_deleted(), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid) << refused.error().message;
  EXPECT_NE(refused.error().message.find("is cluster-scoped"), std::string::npos) << refused.error().message;
}

TEST_F(WaitUntilNotServedTest, IsAbsentIfTheKindWasServedAMomentAgo) {
  std::atomic<bool> watched = false;
  server_.intercept([&](const http::Request& request) {
    if (request.query.find("watch=true") != std::string::npos) return watched = true, 410;
    return request.method == "GET" && watched ? 404 : 0;
  });
  ASSERT_TRUE(Api<Widget>(client_, "a").create(widget("w")));
  const auto gone = wait_until(client_, widgets, {"a", "w"}, is_deleted(), {});
  ASSERT_TRUE(gone) << gone.error().message;
  EXPECT_FALSE(*gone);
}

TEST_F(WaitUntilTest, RefusesAnObjectWithoutAName) {
  EXPECT_EQ(wait_until(client_, widgets, {"a", ""}, is_ready(), {}).error().code, ErrorCode::invalid);
}

TEST_F(WaitUntilTest, RefusesAKeyThatDoesNotFitTheKindWithoutARequest) {
  std::atomic<int> asked = 0;
  server_.intercept([&](const http::Request&) { return ++asked, 0; });
  const k8s::ApiResource nodes({"", "v1", "Node"}, "nodes", k8s::Scope::cluster);
  for (const auto& result : {wait_until(client_, nodes, {"default", "n1"}, is_deleted(), {}),
                             wait_until(client_, Widget::resource, {"", "w"}, is_deleted(), {})}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::invalid) << result.error().message;
    EXPECT_TRUE(result.error().message.starts_with("waiting for ")) << result.error().message;
  }
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(wait_until(client_, nodes, {"", "n1"}, is_deleted(), {}));
}

TEST_F(WaitUntilTest, DoesNotTakeAnObjectForAbsentWhoseNamespaceWasLeftOut) {
  ASSERT_TRUE(widgets_.create(widget("w")));
  const auto untyped = wait_until(client_, widgets, {"", "w"}, is_deleted(), {});
  ASSERT_FALSE(untyped);
  EXPECT_EQ(untyped.error().code, ErrorCode::invalid) << untyped.error().message;
  const auto absent = [](const Widget* object) {
    return object == nullptr ? Readiness::ready() : Readiness::waiting("there is one");
  };
  const auto typed = wait_until<Widget>(client_, {"", "w"}, absent, {});
  ASSERT_FALSE(typed);
  EXPECT_EQ(typed.error().code, ErrorCode::invalid) << typed.error().message;
}

TEST_F(WaitUntilTest, RefusesAnObjectThatAppearsInANamespaceThatWasLeftOut) {
  std::promise<void> seen;
  auto result = std::async(std::launch::async, [&] {
    return wait_until(client_, widgets, {"", "w"},
                      [&, first = true](const k8s::Dynamic* object) mutable {
                        if (std::exchange(first, false)) seen.set_value();
                        return is_ready()(object);
                      },
                      {});
  });
  seen.get_future().wait();
  ASSERT_TRUE(widgets_.create(widget("w")));
  const auto refused = result.get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid) << refused.error().message;
}

TEST_F(WaitUntilTest, KnowsWhenUsualKindsAreReady) {
  Api<k8s::Deployment> deployments(client_, "a");
  auto deployment = k8s::make<k8s::Deployment>("d", "a");
  deployment.set_replicas(2);
  ASSERT_TRUE(deployments.create(deployment));
  std::promise<void> seen;
  auto result = std::async(std::launch::async, [&] {
    return wait_until(client_, k8s::Deployment::resource.group_version_resource(), {"a", "d"},
                      [&, first = true](const k8s::Dynamic* object) mutable {
                        if (std::exchange(first, false)) seen.set_value();
                        return is_ready()(object);
                      },
                      {});
  });
  seen.get_future().wait();
  const json::Object status{
      {"observedGeneration", 1}, {"replicas", 2}, {"updatedReplicas", 2}, {"availableReplicas", 2}};
  ASSERT_TRUE(deployments.merge_patch_status("d", {{"status", status}}));
  const auto ready = result.get();
  EXPECT_TRUE(ready) << ready.error().message;
}

TEST(WaitConditionTest, TellsWhatKeepsAnObjectFromBeingGone) {
  auto object = widget("w");
  object.set("metadata.uid", "u1");
  EXPECT_TRUE(is_deleted()(nullptr).is_ready());
  EXPECT_EQ(is_deleted()(&object), Readiness::waiting("the object is not being deleted"));
  EXPECT_EQ(is_deleted("u1")(&object).state, Readiness::State::waiting);
  EXPECT_TRUE(is_deleted("u0")(&object).is_ready()) << "it is another one";
  object.set("metadata.deletionTimestamp", "2026-01-02T03:04:05Z");
  object.add_finalizer("example.com/a");
  object.add_finalizer("example.com/b");
  EXPECT_EQ(is_deleted()(&object).reason,
            "the object is being deleted; its finalizers: example.com/a, example.com/b");
  EXPECT_EQ(is_ready()(nullptr), Readiness::waiting("there is no such object"));
}

class WaitUntilChurningTest : public ::testing::Test {
 protected:
  static constexpr const char* name = "c";

  std::shared_ptr<Client> client(ChurningApi& server) {
    ClientConfig config;
    config.server = server.url();
    return Client::create(config, {.max_retries = 0, .clock = &clock_}).value();
  }
  Result<std::optional<k8s::Dynamic>> wait(ChurningApi& server, const WaitCondition& predicate) {
    return wait_until(client(server), {"", "v1", "configmaps"}, {"", name}, predicate, {});
  }

  ImpatientClock clock_;
};

TEST_F(WaitUntilChurningTest, DoesNotTakeTheServersCacheForThePresent) {
  ChurningApi server(1, {.stale = true});
  for (int i = 0; i < 50; ++i) server.put("", name, std::to_string(i));
  const auto found = wait(server, [&](const k8s::Dynamic* object) {
    return Readiness::failed(object == nullptr ? "absent" : std::string(object->text("data.text")));
  });
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("failed: 49"), std::string::npos) << found.error().message;
}

TEST_F(WaitUntilChurningTest, SeesADeletionThatWasMissed) {
  ChurningApi server(1);
  server.put("", name, "first");
  std::string uid;
  int calls = 0;
  const auto gone = wait(server, [&](const k8s::Dynamic* object) {
    if (++calls == 1) {
      uid = object->uid();
      // While nobody watches.
      server.remove("", name);
      server.put("", name, "second");
      server.compact();
      server.end_watches(true);
    }
    return is_deleted(uid)(object);
  });
  ASSERT_TRUE(gone) << gone.error().message;
  ASSERT_TRUE(*gone);
  EXPECT_EQ((*gone)->text("data.text"), "second");
}

TEST_F(WaitUntilChurningTest, EndsInSpiteOfEveryFault) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    ChurningApi server(seed, {.request = 0.2, .event = 0.2, .stale = true});
    auto changes = std::async(std::launch::async, [&] {
      for (int i = 0; i <= 200; ++i) {
        server.put("", name, std::to_string(i));
        if (i % 40 == 20) server.compact();
        if (i % 50 == 25) server.remove("", name);
        if (i % 80 == 40) server.restart();
      }
    });
    const auto found = wait(server, [](const k8s::Dynamic* object) {
      if (object == nullptr) return Readiness::waiting("absent");
      return object->text("data.text") == "200" ? Readiness::ready() : Readiness::waiting("earlier");
    });
    changes.get();
    ASSERT_TRUE(found) << "seed " << seed << ": " << found.error().message;
  }
}

}  // namespace
}  // namespace fairway::kube
