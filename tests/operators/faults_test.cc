// SPDX-License-Identifier: Apache-2.0

// What goes wrong around the operator while it looks for updates and takes them: whatever it is, no history
// is lost or false, and the update ends at its target when it is over.
#include <atomic>
#include <csignal>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "operators/updating_case.h"

namespace fairway::operators::testing {
namespace {

using fairway::testing::FakeService;

class Faults : public Updating {
 protected:
  /// Returns options with storage on disk, so that the server can be restarted.
  apiserver::ServerOptions server_options() const override {
    return {.data = folder_ / "apiserver", .requests = {.in_flight = 8}};
  }
  void restart_server() {
    const std::string url = server_->url();
    server_.reset();
    apiserver::ServerOptions options = server_options();
    options.listen = url.substr(url.find("//") + 2);
    start_server(options);
    ASSERT_TRUE(server_);
  }
  /// Begins with 4.6.23; 4.6.24 has a step that takes until `roll_out`, and one after it.
  void begin_with_two() {
    add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
    add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "24")},
                           {"0000_20_b_1.yaml", deployment},
                           {"0000_30_c_1.yaml", map_yaml("after", "24")}});
    begin();
  }
  bool waits() const { return said("Progressing").contains("waiting on deployment"); }
  void expect_end() {
    EXPECT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
    EXPECT_EQ(value("after"), "24");
  }
};

TEST_F(Faults, TheApiServerIsStartedAgain) {
  begin_with_two();
  restart_server();
  ask_for({{"version", "4.6.24"}});
  ASSERT_TRUE(eventually([&] { return waits(); })) << why();
  restart_server();
  roll_out();
  expect_end();
  EXPECT_TRUE(process_->running()) << log();
}

TEST_F(Faults, TheApiServerComesAfterTheOperator) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  offer();
  write_cluster(spec());
  apiserver::ServerOptions options = server_options();
  const std::string url = server_->url();
  options.listen = url.substr(url.find("//") + 2);
  server_.reset();
  start_operator();
  ASSERT_TRUE(eventually([&] { return log().contains("trying again"); })) << log();
  start_server(options);
  EXPECT_TRUE(eventually([&] { return history() == "Completed 4.6.23"; })) << why();
}

TEST_F(Faults, TheRegistryIsGoneOrLies) {
  begin_with_two();
  releases_.registry().set_fault([](const http::Request&) -> std::optional<http::Response> {
    return http::Response::text(503, "Service Unavailable");
  });
  ask_for({{"version", "4.6.24"}});
  ASSERT_TRUE(eventually([&] { return said("ReleaseAccepted").starts_with("False RetrievePayload"); }))
      << why();
  // Other bytes than those of the digest.
  releases_.registry().set_fault([](const http::Request& request) -> std::optional<http::Response> {
    if (!request.path.contains("/manifests/")) return std::nullopt;
    return http::Response::text(200, "{}");
  });
  set_clock(400);
  EXPECT_TRUE(eventually([&] { return said("ReleaseAccepted").contains("digest"); })) << why();
  EXPECT_EQ(history(), "Completed 4.6.23");
  EXPECT_EQ(value("a"), "1");
  releases_.registry().set_fault({});
  set_clock(800);
  ASSERT_TRUE(eventually([&] { return waits(); })) << why();
  roll_out();
  expect_end();
}

TEST_F(Faults, AReleaseIsTakenBackWhileItIsPulled) {
  begin_with_two();
  // The registry's handlers may end after this body.
  struct Pull {
    std::promise<void> is_asked, let_go;
    std::once_flag once;
    const std::shared_future<void> gone = let_go.get_future().share();
  };
  const auto pull = std::make_shared<Pull>();
  releases_.registry().set_fault([pull](const http::Request& request) -> std::optional<http::Response> {
    if (!request.path.contains("/manifests/")) return std::nullopt;
    std::call_once(pull->once, [&] { pull->is_asked.set_value(); });
    pull->gone.wait();
    return std::nullopt;
  });
  ask_for({{"version", "4.6.24"}});
  pull->is_asked.get_future().wait();
  EXPECT_TRUE(eventually([&] { return said("ReleaseAccepted").starts_with("Unknown RetrievePayload"); }))
      << why();
  write_spec(spec());
  // Not only when the cluster is put right the next time.
  EXPECT_TRUE(eventually([&] { return said("ReleaseAccepted").starts_with("True PayloadLoaded"); })) << why();
  pull->let_go.set_value();
  EXPECT_EQ(history(), "Completed 4.6.23");
}

TEST_F(Faults, AnotherWriterIsAtClusterVersionAndAtWhatIsApplied) {
  begin_with_two();
  std::jthread writer([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      const std::string number = std::to_string(i);
      [[maybe_unused]] const auto patched = client_->patch(
          kind_, key_, kube::PatchType::merge,
          json::Object{{"metadata", json::Object{{"annotations", json::Object{{"example.com/n", number}}}}}});
      [[maybe_unused]] const auto changed =
          client_->patch(config_maps, {"default", "a"}, kube::PatchType::merge,
                         json::Object{{"data", json::Object{{"other", number}}}});
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  ask_for({{"version", "4.6.24"}});
  ASSERT_TRUE(eventually([&] { return waits(); })) << why();
  roll_out();
  expect_end();
  EXPECT_EQ(value("a"), "24");
}

TEST_F(Faults, TwoOperatorsAreAtWork) {
  begin_with_two();
  // Nobody is elected.
  const auto other = std::make_unique<fairway::testing::Process>(
      arguments(flags({"--data", (folder_ / "other").string()})), (folder_ / "log-of-other").string());
  ask_for({{"version", "4.6.24"}});
  ASSERT_TRUE(eventually([&] { return waits(); })) << why();
  process_->end(SIGKILL);
  roll_out();
  expect_end();
  start_operator();
  ask_for({{"version", "4.6.23"}, {"image", releases_.image("4.6.23")}});
  EXPECT_TRUE(eventually([&] { return history() == "Completed 4.6.23, Completed 4.6.24, Completed 4.6.23"; }))
      << why();
  EXPECT_EQ(value("a"), "1");
}

TEST_F(Faults, TheOperatorIsKilledInEachState) {
  const std::vector<std::string> states{"deciding", "loading",    "checking",    "starting",
                                        "applying", "completing", "reconciling", "resting"};
  const auto version = [](std::size_t i) { return "4.6." + std::to_string(24 + i); };
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  for (std::size_t i = 0; i < states.size(); ++i) {
    add_release(version(i), {{"0000_10_a_1.yaml", map_yaml("a", version(i))},
                             {"0000_20_b_1.yaml", map_yaml("last", version(i))}});
  }
  begin();
  std::string expected = "Completed 4.6.23";
  for (std::size_t i = 0; i < states.size(); ++i) {
    SCOPED_TRACE(states[i]);
    process_->end(SIGKILL);
    start_operator({"--log-level", "debug"});
    const std::size_t at = log().size();
    ask_for({{"version", version(i)}, {"image", releases_.image(version(i))}});
    const auto entered = [&] {
      const std::string said = log();
      // It may be in this state before it knows what is asked for, and is killed there, too.
      return said.size() > at && said.find("state=" + states[i], at) != std::string::npos;
    };
    EXPECT_TRUE(eventually(entered)) << why();
    process_->end(SIGKILL);
    const std::string before = history(), begun = "Partial " + version(i) + ", " + expected,
                      completed = "Completed " + version(i) + ", " + expected;
    EXPECT_TRUE(before == expected || before == begun || before == completed) << before;
    start_operator();
    expected = completed;
    ASSERT_TRUE(eventually([&] { return history() == expected; })) << why();
    EXPECT_EQ(value("a"), version(i));
    EXPECT_EQ(value("last"), version(i));
  }
}

TEST_F(Faults, NothingCanBeWrittenToDisk) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "24")}});
  offer();
  write_cluster(spec());
  std::vector<std::string> command{"sh", "-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\""};
  for (const std::string& argument : arguments(flags())) command.push_back(argument);
  process_ = std::make_unique<fairway::testing::Process>(command, log_path());
  ASSERT_TRUE(eventually([&] { return said("RetrievedUpdates").starts_with("True"); })) << why();
  ask_for({{"version", "4.6.24"}});
  // It says why it does not go on, or does without the disk.
  EXPECT_TRUE(eventually([&] {
    return history().starts_with("Completed 4.6.24") ||
           said("ReleaseAccepted").starts_with("False RetrievePayload");
  })) << why();
  EXPECT_TRUE(process_->running()) << log();
  process_->end(SIGKILL);
  start_operator();
  EXPECT_TRUE(eventually([&] { return history() == "Completed 4.6.24, Completed 4.6.23"; })) << why();
}

TEST_F(Faults, TheUpdateServiceLies) {
  add_release("4.6.23", {{"0000_10_a_1.yaml", map_yaml("a", "1")}});
  add_release("4.6.24", {{"0000_10_a_1.yaml", map_yaml("a", "24")}});
  const std::string good = R"({"nodes":[{"version":"4.6.23","payload":")" + releases_.image("4.6.23") +
                           R"("},{"version":"4.6.24","payload":")" + releases_.image("4.6.24") +
                           R"("}],"edges":[[0,1]]})";
  FakeService service([&](const http::Request&) { return http::Response::json(200, good); });
  write_cluster(spec());
  start_operator({"--upstream", service.url("/api/upgrades_info/graph")});
  const auto available = [&] {
    const json::Value now = status();
    const json::Value& list = member(now, "availableUpdates");
    return list.is_array() ? list.as_array().size() : 0;
  };
  ASSERT_TRUE(eventually([&] { return available() == 1; })) << why();
  struct Lie {
    const char* name;
    FakeService::Answer answer;
  };
  const Lie lies[] = {
      {"a page for people",
       [](const http::Request&) { return http::Response::text(200, "<html>Sign in</html>"); }},
      {"a body that is cut",
       [&](const http::Request&) { return fairway::testing::cut_off(good.substr(0, 40)); }},
      {"more than 64 MiB",
       [](const http::Request&) {
         return http::Response::json(200,
                                     R"({"nodes":[")" + std::string(std::size_t{65} << 20, 'x') + R"("]})");
       }},
      {"deep nesting",
       [](const http::Request&) { return http::Response::json(200, std::string(1'000'000, '[')); }},
      {"no gzip", [&](const http::Request&) {
         return fairway::testing::with_headers(http::Response::json(200, good),
                                               {{"Content-Encoding", "gzip"}});
       }}};
  int clock = 0;
  for (const Lie& lie : lies) {
    SCOPED_TRACE(lie.name);
    const std::size_t asked = service.seen().size();
    service.answer(lie.answer);
    set_clock(clock += 300);
    ASSERT_TRUE(eventually([&] { return said("RetrievedUpdates").starts_with("False"); })) << why();
    EXPECT_GT(service.seen().size(), asked);
    // What is known stays.
    EXPECT_EQ(available(), 1U) << why();
    EXPECT_TRUE(said("fairway.dev/StaleUpdates").starts_with("True")) << why();
    service.answer([&](const http::Request&) { return http::Response::json(200, good); });
    set_clock(clock += 300);
    ASSERT_TRUE(eventually([&] { return said("RetrievedUpdates").starts_with("True"); })) << why();
  }
  EXPECT_TRUE(process_->running());
}

}  // namespace
}  // namespace fairway::operators::testing
