// SPDX-License-Identifier: Apache-2.0

// tests/kube/data/reflector.json: what the server says to each request, what the reflector's mirror is told
// of it, and the pauses (in ms) before it asks again. Its clock passes over pauses at once.
#include "kube/internal/informer/reflector.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <thread>

#include "base/text.h"
#include "kube/data.h"
#include "support/fake_service.h"

namespace fairway::kube {
namespace {

using namespace std::chrono_literals;

/// A clock whose time passes only by waiting, and then at once.
class SkippingClock final : public Clock {
 public:
  WallTime now() const override { return WallTime{}; }
  SteadyTime steady() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  bool wait_until(SteadyTime until, std::stop_token stop) override {
    const std::lock_guard lock(mutex_);
    if (stop.stop_requested()) return false;
    pauses_.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(until - now_).count());
    now_ = until;
    return true;
  }
  void pass(std::chrono::seconds time) {
    const std::lock_guard lock(mutex_);
    now_ += time;
  }
  std::vector<std::int64_t> pauses() const {
    const std::lock_guard lock(mutex_);
    return pauses_;
  }

 private:
  mutable std::mutex mutex_;
  SteadyTime now_{1h};
  std::vector<std::int64_t> pauses_;
};

std::string object_text(std::string_view name_and_version, bool end = false) {
  const auto parts = split(name_and_version, ' ');
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{)" +
         (parts[0] == "-" ? "" : R"("name":")" + std::string(parts[0]) + "\",") + R"("resourceVersion":")" +
         std::string(parts[1]) + "\"" +
         (end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "") + "}}";
}

std::string status_text(std::int64_t code, std::string_view reason, std::string_view cause = "") {
  k8s::Status status = k8s::Status::failure(reason, "said the test");
  status.set("code", code);
  if (!cause.empty()) status.add_cause(cause, "too large");
  return status.to_text();
}

/// Plays one script. Differences from it are recorded as faults.
class Script {
 public:
  Script(json::Array steps, SkippingClock& clock) : steps_(std::move(steps)), clock_(clock) {}

  http::Response answer(const http::Request& request) {
    const std::lock_guard lock(mutex_);
    if (at_ == steps_.size()) {
      fault("nothing more was to come, but " + std::string(request.query));
      return http::Response::text(418, "");
    }
    const k8s::View step(steps_[at_].as_object());
    if (request.query != step.text("target") || request.path != "/api/v1/configmaps") {
      fault("request " + std::to_string(at_) + " is " + std::string(request.target));
    }
    if (++times_ >= step.integer("times", 1)) {
      ++at_;
      times_ = 0;
    }
    if (const auto status = step.find_integer("status")) {
      return http::Response::json(static_cast<int>(*status),
                                  status_text(*status, step.text("reason"), step.text("cause")));
    }
    http::Response response;
    response.stream = http::Stream::make();
    response.stream->try_push(http::make_bytes(body(step)));
    clock_.pass(std::chrono::seconds(step.integer("passes")));
    if (step.flag("stays")) {
      stays_ = response.stream;
      over_.notify_all();
    } else {
      response.stream->close(step.flag("cut"));
    }
    return response;
  }
  bool wait_for_end() {
    std::unique_lock lock(mutex_);
    return over_.wait_for(lock, 20s, [&] { return stays_ != nullptr || !fault_.empty(); });
  }
  std::string fault() const {
    const std::lock_guard lock(mutex_);
    return fault_;
  }

 private:
  static std::string body(const k8s::View& step) {
    std::string text;
    for (const std::string_view event : step.texts("events")) {
      const auto [type, what] = [&] {
        const std::size_t blank = std::min(event.find(' '), event.size());
        return std::pair(event.substr(0, blank), event.substr(std::min(blank + 1, event.size())));
      }();
      if (type == "GARBAGE") {
        text += "<html>";
      } else if (type == "ERROR") {
        text +=
            R"({"type":"ERROR","object":)" + status_text(std::stoi(std::string(what)), what.substr(4)) + "}";
      } else {
        text += R"({"type":")" + std::string(type == "END" ? "BOOKMARK" : type) + R"(","object":)" +
                object_text(what, type == "END") + "}\n";
      }
    }
    if (!step.has("list")) return text;
    text = R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":")" +
           std::string(step.text("version")) + R"(","continue":")" + std::string(step.text("continue")) +
           R"("},"items":[)";
    for (const std::string_view item : step.texts("list")) {
      text += (text.ends_with('[') ? "" : ",") + object_text(item);
    }
    return text + "]}";
  }
  void fault(const std::string& what) {
    if (fault_.empty()) fault_ = what;
    over_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable over_;
  const json::Array steps_;
  SkippingClock& clock_;
  std::size_t at_ = 0;
  std::int64_t times_ = 0;
  std::string fault_;
  std::shared_ptr<http::Stream> stays_;
};

class Recorder final : public Mirror {
 public:
  void begin_list() override { record("begin"); }
  void list_object(k8s::Dynamic object) override { record("list", object); }
  void unlist_object(const k8s::Dynamic& object) override { record("unlist", object); }
  void end_list() override { record("end"); }
  void apply(WatchEvent event) override { record(std::string(to_string(event.type)), event.object); }

  std::string lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  /// Waits for these lines: events that are pushed before a watch that stays open may still be in flight.
  bool wait_for(const std::string& lines) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 5s, [&] { return lines_ == lines; });
  }

 private:
  void record(const std::string& what) {
    const std::lock_guard lock(mutex_);
    lines_ += what + "\n";
    changed_.notify_all();
  }
  void record(const std::string& what, const k8s::Dynamic& object) {
    record(what + " " + std::string(object.name()) + " " + std::string(object.resource_version()));
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string lines_;
};

TEST(ReflectorTest, DoesAsTheScriptSays) {
  for (const json::Value& one : testing::read_cases("reflector.json")) {
    const k8s::View view(one.as_object());
    SCOPED_TRACE(view.text("case"));
    SkippingClock clock;
    Script script(one.at("script").as_array(), clock);
    fairway::testing::FakeService server(
        [&](const http::Request& request) { return script.answer(request); });
    ClientConfig config;
    config.server = server.url("");
    auto client = Client::create(config, {.clock = &clock});
    ASSERT_TRUE(client);
    Recorder mirror;
    Reflector reflector(*client,
                        {.resource = {"", "v1", "configmaps"},
                         .streaming_list = view.flag("streaming"),
                         .if_served = view.flag("if_served"),
                         .if_permitted = view.flag("if_permitted"),
                         .random = [] { return 0.0; }},
                        mirror);
    std::jthread thread([&](const std::stop_token& stop) { reflector.run(stop); });
    EXPECT_TRUE(script.wait_for_end());
    std::string expected;
    for (const json::Value& line : one.at("mirror").as_array())
      expected += std::string(line.as_string()) + "\n";
    EXPECT_TRUE(mirror.wait_for(expected)) << mirror.lines();
    thread.request_stop();
    thread.join();
    EXPECT_EQ(script.fault(), "");
    EXPECT_EQ(mirror.lines(), expected);
    std::vector<std::int64_t> pauses;
    for (const json::Value& pause : one.at("pauses").as_array()) pauses.push_back(pause.as_int64());
    EXPECT_EQ(clock.pauses(), pauses);
  }
}

TEST(ReflectorTest, SaysWhatKeepsItFromTheServerUntilThatIsOver) {
  SkippingClock clock;
  std::atomic<bool> allowed = false;
  std::mutex mutex;
  std::condition_variable asked;
  int refused = 0;
  bool watched = false;
  const auto quiet = http::Stream::make();
  fairway::testing::FakeService server([&](const http::Request& request) {
    if (!allowed) {
      const std::lock_guard lock(mutex);
      ++refused;
      asked.notify_all();
      return http::Response::json(403, status_text(403, "Forbidden"));
    }
    http::Response response;
    response.stream = quiet;
    if (request.query.find("watch") != std::string_view::npos) {
      const std::lock_guard lock(mutex);
      watched = true;
      asked.notify_all();
    } else {
      response = http::Response::json(
          200, R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]})");
    }
    return response;
  });
  ClientConfig config;
  config.server = server.url("");
  auto client = Client::create(config, {.clock = &clock});
  ASSERT_TRUE(client);
  Recorder mirror;
  Reflector reflector(*client, {.resource = {"", "v1", "configmaps"}}, mirror);
  std::jthread thread([&](const std::stop_token& stop) { reflector.run(stop); });
  {
    // The second request comes after the first one's failure was noted.
    std::unique_lock lock(mutex);
    ASSERT_TRUE(asked.wait_for(lock, 20s, [&] { return refused >= 2; }));
  }
  const auto problem = reflector.problem();
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->message.find("listing v1, Resource=configmaps"), std::string::npos) << problem->message;
  allowed = true;
  // A watch comes after a list that went well.
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(asked.wait_for(lock, 20s, [&] { return watched; }));
  }
  EXPECT_FALSE(reflector.problem());
  EXPECT_EQ(reflector.resource_version(), "5");
}

}  // namespace
}  // namespace fairway::kube
