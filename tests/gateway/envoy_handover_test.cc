// SPDX-License-Identifier: Apache-2.0

// Envoy ends, or is replaced, under requests: none of them fails.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "gateway/internal/envoy/envoy_admin.h"
#include "support/gateway_rig.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

class EnvoyHandover : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    rig_.apply_gateway(port_);
    rig_.apply(R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: cart, namespace: shop},
 spec: {parentRefs: [{name: web}], rules: [{backendRefs: [{name: cart, port: 80}]}]}}
)");
    rig_.apply_backend("cart", backend_->port());
  }
  void TearDown() override { let_go(); }

  /// Replaces the program that is started as Envoy from now on.
  void write_program(const std::string& command) const {
    const auto path = programs_.write("envoy.new", "#!/bin/sh\n" + command + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    std::filesystem::rename(path, programs_ / "envoy");
  }
  void start() {
    write_program("exec " + testing::envoy_program() + " \"$@\"");
    rig_.start_controller({"--drain", "2s"});
    ASSERT_TRUE(eventually([&] { return rig_.programmed("web") == "True Programmed"; })) << rig_.log();
    ASSERT_TRUE(eventually([&] { return testing::ask(port_, "any").status == 200; })) << rig_.log();
  }
  /// Sends a request that the backend answers once it is released. Returns when the backend has received it.
  std::future<int> ask_slowly() {
    auto asked =
        std::async(std::launch::async, [this] { return testing::ask(port_, "any", "/slow").status; });
    EXPECT_TRUE(eventually([&] { return is_waiting_.load(); }));
    return asked;
  }
  void let_go() {
    {
      const std::scoped_lock lock(mutex_);
      is_let_go_ = true;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_let_go_ = false;
  std::atomic<bool> is_waiting_ = false;
  const std::unique_ptr<http::Server> backend_ =
      testing::serve_on_loopback("GET",
                                 [this](const http::Request& request) {
                                   if (request.path == "/slow") {
                                     is_waiting_ = true;
                                     std::unique_lock lock(mutex_);
                                     changed_.wait(lock, [&] { return is_let_go_; });
                                   }
                                   return http::Response::text(200, "cart");
                                 },
                                 {});
  const int port_ = testing::free_loopback_port();
  const testing::TempDirectory programs_;
  testing::GatewayRig rig_{(std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string(),
                           (programs_ / "envoy").string()};
};

TEST_F(EnvoyHandover, ARequestInFlightIsAnsweredBeforeEnvoyEnds) {
  start();
  auto slow = ask_slowly();
  const int envoy = rig_.envoy_pid();
  ASSERT_GT(envoy, 0);
  ::kill(rig_.controller_pid(), SIGTERM);
  EXPECT_TRUE(eventually([&] { return rig_.log().contains("Envoy ends once its connections have"); }))
      << rig_.log();
  let_go();
  EXPECT_EQ(slow.get(), 200) << rig_.log();
  EXPECT_TRUE(eventually([&] { return ::kill(envoy, 0) != 0; }));
}

TEST_F(EnvoyHandover, AHotRestartLosesNoRequest) {
  start();
  auto slow = ask_slowly();
  const int before = rig_.envoy_pid();
  ASSERT_GT(before, 0);
  std::atomic<int> answered = 0, failed = 0;
  std::string untrue;
  {
    const std::jthread asking([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) ++(testing::ask(port_, "any").status == 200 ? answered : failed);
    });
    ::kill(rig_.controller_pid(), SIGHUP);
    EXPECT_TRUE(eventually([&] { return rig_.log().contains("replacing Envoy"); })) << rig_.log();
    let_go();
    EXPECT_TRUE(eventually([&] {
      const std::string now = rig_.programmed("web");
      if (now != "True Programmed") untrue = now;
      return ::kill(before, 0) != 0;
    })) << rig_.log();
  }
  EXPECT_EQ(slow.get(), 200);
  EXPECT_GT(answered, 0);
  EXPECT_EQ(failed, 0) << "of " << answered;
  EXPECT_EQ(untrue, "") << "both Envoys serve what the status says";
  EXPECT_NE(rig_.envoy_pid(), before);
  EXPECT_EQ(testing::ask(port_, "any").status, 200);
  EXPECT_FALSE(rig_.log().contains("is started again")) << rig_.log();
  // Once more: the second Envoy is replaced as the first was.
  const int second = rig_.envoy_pid();
  ::kill(rig_.controller_pid(), SIGHUP);
  EXPECT_TRUE(eventually([&] { return ::kill(second, 0) != 0; })) << rig_.log();
  EXPECT_EQ(testing::ask(port_, "any").status, 200);
}

TEST_F(EnvoyHandover, AReplacementThatDoesNotStartChangesNothing) {
  start();
  const int before = rig_.envoy_pid();
  ASSERT_GT(before, 0);
  write_program("exit 3");
  ::kill(rig_.controller_pid(), SIGHUP);
  EXPECT_TRUE(eventually([&] { return rig_.log().contains("the one before goes on"); })) << rig_.log();
  EXPECT_EQ(testing::ask(port_, "any").status, 200);
  EXPECT_EQ(rig_.envoy_pid(), before);
  EXPECT_EQ(rig_.programmed("web"), "True Programmed");
  // The next one is as it should be.
  write_program("exec " + testing::envoy_program() + " \"$@\"");
  ::kill(rig_.controller_pid(), SIGHUP);
  EXPECT_TRUE(eventually([&] { return ::kill(before, 0) != 0; })) << rig_.log();
  EXPECT_EQ(testing::ask(port_, "any").status, 200);
}

TEST_F(EnvoyHandover, AReplacementThatEndsOnceItHasTakenOverIsReplaced) {
  start();
  const int before = rig_.envoy_pid();
  ::kill(rig_.controller_pid(), SIGHUP);
  ASSERT_TRUE(eventually([&] {
    const auto info = ask_envoy(rig_.folder() / "data" / "envoy-admin.sock", "GET", "/server_info",
                                std::chrono::seconds(1));
    return info && info->contains("\"restart_epoch\": 1") && info->contains("\"LIVE\"");
  })) << rig_.log();
  for (const int pid : rig_.envoy_pids()) {
    if (pid != before) ::kill(pid, SIGKILL);
  }
  EXPECT_TRUE(eventually([&] { return rig_.log().contains("while it took over"); })) << rig_.log();
  EXPECT_TRUE(eventually([&] { return testing::ask(port_, "any").status == 200; })) << rig_.log();
  EXPECT_TRUE(eventually([&] { return rig_.programmed("web") == "True Programmed"; })) << rig_.log();
}

}  // namespace
}  // namespace fairway::gateway
