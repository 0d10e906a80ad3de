// SPDX-License-Identifier: Apache-2.0

// When the update service has the console: on loopback, and not where there are private channels.
#include "console/console.h"

#include <gtest/gtest.h>

#include "support/temp_directory.h"
#include "updateservice/internal/console_switch.h"
#include "updateservice/running_service.h"

namespace fairway::updateservice {
namespace {

using testing::RunningService;
using testing::TestReply;

TestReply page_of(const RunningService& service, const std::string& method = "GET",
                  const testing::TestHeaders& headers = {}) {
  return testing::send_request(service.service->address(), method, "/console/", headers);
}

/// Returns options by which the service answers to the host of the tests.
ServiceOptions options_with(ConsoleSetting console, const std::string& rules = "") {
  ServiceOptions options;
  options.console = console;
  options.console_hosts = {"test"};
  options.reloadable.private_channels_file = rules;
  return options;
}

TEST(ConsoleSwitch, IsOffByItselfOnOtherAddresses) {
  const ServingState serving(Clock::system());
  for (const auto& [setting, listen, on] :
       {std::tuple(ConsoleSetting::automatic, "127.0.0.1:8080", true),
        std::tuple(ConsoleSetting::automatic, ":8080", false), std::tuple(ConsoleSetting::on, ":8080", true),
        std::tuple(ConsoleSetting::off, "127.0.0.1:8080", false)}) {
    ServiceOptions options = options_with(setting);
    options.server.listen = listen;
    EXPECT_EQ(console_switch(options, serving)(), on) << listen;
    options.reloadable.private_channels_file = "rules.yaml";
    EXPECT_EQ(console_switch(options, serving)(), setting == ConsoleSetting::on) << listen;
  }
}

TEST(ConsoleSwitch, IsOffByItselfBehindAProxy) {
  const ServingState serving(Clock::system());
  for (const auto& [host, on] : {std::pair("updates.example.com", false), std::pair("192.0.2.1", false),
                                 std::pair("[2001:db8::1]", false), std::pair("localhost", true),
                                 std::pair("127.0.0.1", true), std::pair("[::1]", true)}) {
    ServiceOptions options = options_with(ConsoleSetting::automatic);
    options.server.listen = "127.0.0.1:8080";
    options.public_host = host;
    EXPECT_EQ(console_switch(options, serving)(), on) << host;
    options.console = ConsoleSetting::on;
    EXPECT_TRUE(console_switch(options, serving)()) << host;
  }
}

class ServedConsole : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!console::is_built_in()) GTEST_SKIP() << "this build has no console: Node.js was missing";
  }
  fairway::testing::TempDirectory directory;
};

TEST_F(ServedConsole, IsThereByItselfAndLeavesTheApiAsItIs) {
  RunningService service(options_with(ConsoleSetting::automatic));
  service.after_refreshes(1);
  EXPECT_EQ(page_of(service).status, 200);
  EXPECT_EQ(service.get("/channels").status, 200);
  // Pages of others may ask the API, and not this.
  const TestReply options = page_of(service, "OPTIONS", {{"Origin", "https://evil.example"}});
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("Allow"), "GET, HEAD, OPTIONS");
  for (const TestReply& reply : {options, page_of(service, "GET", {{"Origin", "https://evil.example"}})})
    EXPECT_EQ(reply.header("Access-Control-Allow-Origin"), "");
}

TEST_F(ServedConsole, GoesWithRulesForPrivateChannelsThatComeByAReload) {
  RunningService service(options_with(ConsoleSetting::automatic));
  service.after_refreshes(1);
  ASSERT_EQ(page_of(service).status, 200);
  directory.write("rules.yaml", testing::small_rules());
  service.service->reload(ReloadableOptions{.private_channels_file = (directory / "rules.yaml").string()});
  // A reload publishes what there is under the new rules before it returns.
  const TestReply gone = page_of(service);
  EXPECT_EQ(gone.status, 404);
  EXPECT_NE(gone.body.find("--console"), std::string::npos) << gone.body;
}

TEST_F(ServedConsole, HasToBeAskedForWherePrivateChannelsAre) {
  directory.write("rules.yaml", testing::small_rules());
  const std::string rules = (directory / "rules.yaml").string();
  for (const auto& [setting, status] :
       {std::pair(ConsoleSetting::automatic, 404), std::pair(ConsoleSetting::on, 200)}) {
    RunningService service(options_with(setting, rules));
    // Before the first graph as well as after it.
    EXPECT_EQ(page_of(service).status, status);
    service.after_refreshes(1);
    EXPECT_EQ(page_of(service).status, status);
  }
}

}  // namespace
}  // namespace fairway::updateservice
