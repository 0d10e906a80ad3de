// SPDX-License-Identifier: Apache-2.0

#include "gateway/envoy_process.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <thread>

#include "base/file.h"
#include "k8s/view.h"
#include "support/eventually.h"
#include "support/temp_directory.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

/// Writes a script in place of Envoy, and returns its path.
std::string script(const testing::TempDirectory& folder, const std::string& body) {
  const std::string path = folder.write("envoy", "#!/bin/sh\n" + body).string();
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(EnvoyProcess, ItsBootstrapIsAMessageOfEnvoy) {
  const auto api = xds::EnvoyApi::embedded();
  if (!api) GTEST_SKIP() << api.error().message;
  const auto bootstrap = envoy_bootstrap({.xds_socket = "/tmp/xds/envoys.sock", .data = "/tmp"});
  ASSERT_TRUE(bootstrap) << bootstrap.error().message;
  const auto bytes = (*api)->encode("envoy.config.bootstrap.v3.Bootstrap", *bootstrap);
  EXPECT_TRUE(bytes) << bytes.error().message;
}

TEST(EnvoyProcess, ItTakesExpressionsAsLargeAsRoutesMayHave) {
  const auto bootstrap = envoy_bootstrap({.xds_socket = "/tmp/xds/envoys.sock", .data = "/tmp"});
  ASSERT_TRUE(bootstrap) << bootstrap.error().message;
  const k8s::View layer = k8s::View(*bootstrap).items("layered_runtime.layers").at(0);
  EXPECT_EQ(layer.at("static_layer").json().at("re2.max_program_size.error_level"), json::Value(1000));
}

TEST(EnvoyProcess, ItTakesNoMoreConnectionsThanItHasDescriptorsFor) {
  const auto bootstrap = envoy_bootstrap({.xds_socket = "/tmp/xds/envoys.sock", .data = "/tmp"});
  ASSERT_TRUE(bootstrap) << bootstrap.error().message;
  const auto monitors = k8s::View(*bootstrap).items("overload_manager.resource_monitors");
  ASSERT_FALSE(monitors.empty()) << json::to_text(*bootstrap);
  EXPECT_EQ(monitors[0].text("name"), "envoy.resource_monitors.global_downstream_max_connections");
  rlimit descriptors{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &descriptors), 0);
  const auto most = monitors[0].integer("typed_config.max_active_downstream_connections", 0);
  EXPECT_GT(most, 0);
  // Each may need another one to its backend.
  EXPECT_LE(2 * static_cast<rlim_t>(most), descriptors.rlim_max);
}

TEST(EnvoyProcess, ItsMemoryIsBoundedUnlessThatIsNotWanted) {
  const auto api = xds::EnvoyApi::embedded();
  if (!api) GTEST_SKIP() << api.error().message;
  EnvoyOptions options{.xds_socket = "/tmp/xds/envoys.sock", .data = "/tmp", .max_memory = 1 << 30};
  const auto bounded = envoy_bootstrap(options);
  ASSERT_TRUE(bounded) << bounded.error().message;
  const auto monitors = k8s::View(*bounded).items("overload_manager.resource_monitors");
  ASSERT_EQ(monitors.size(), 2U) << json::to_text(*bounded);
  EXPECT_EQ(monitors[1].integer("typed_config.max_heap_size_bytes", 0), 1 << 30);
  EXPECT_FALSE(k8s::View(*bounded).items("overload_manager.actions").empty());
  EXPECT_TRUE((*api)->encode("envoy.config.bootstrap.v3.Bootstrap", *bounded));
  options.max_memory = 0;
  const auto unbounded = envoy_bootstrap(options);
  ASSERT_TRUE(unbounded) << unbounded.error().message;
  EXPECT_EQ(k8s::View(*unbounded).items("overload_manager.resource_monitors").size(), 1U);
  EXPECT_TRUE(k8s::View(*unbounded).items("overload_manager.actions").empty());
}

TEST(EnvoyProcess, ItAsksAtASocketInTheFileSystem) {
  const auto bootstrap = envoy_bootstrap({.xds_socket = "/tmp/xds/envoys.sock", .data = "/tmp"});
  ASSERT_TRUE(bootstrap) << bootstrap.error().message;
  const std::string text = json::to_text(*bootstrap);
  EXPECT_NE(text.find(R"("pipe":{"path":"/tmp/xds/envoys.sock"})"), std::string::npos) << text;
  EXPECT_EQ(text.find("socket_address"), std::string::npos) << "nothing is asked by TCP";
  // Envoy reads @ as a name outside of the file system, which everybody may take.
  for (const char* path : {"", "@fairway", "xds/envoys.sock", "127.0.0.1:18000"})
    EXPECT_FALSE(envoy_bootstrap({.xds_socket = path})) << path;
}

TEST(EnvoyProcess, IsNotStartedWhereItWouldCutThePathsOfItsSockets) {
  const testing::TempDirectory folder;
  const std::string program = script(folder, "exec sleep 1000\n");
  // One byte more than the longest that docs/gateway-operate.md allows for --data.
  constexpr std::size_t longest = 69;
  const std::string data = folder.text() + "/" + std::string(longest - folder.text().size(), 'd');
  const std::filesystem::path longer = std::filesystem::path(data) / "xds";
  const auto ended =
      run_envoy({.program = program, .xds_socket = longer / "envoys.sock", .data = folder.path()},
                Clock::system(), std::stop_token());
  ASSERT_FALSE(ended);
  EXPECT_NE(ended.error().message.find("use a --data with a shorter path"), std::string::npos)
      << ended.error().message;
}

TEST(EnvoyProcess, IsStartedAgainWhenItEndsAndEndsWithItsController) {
  const testing::TempDirectory folder;
  const std::string log = (folder / "starts").string();
  const std::string program = script(
      folder, "echo $$ >>'" + log + "'\n[ $(wc -l <'" + log + "') -gt 1 ] || exit 3\nexec sleep 1000\n");
  std::stop_source stop;
  std::optional<Result<void>> ended;
  std::thread runner([&] {
    ended = run_envoy({.program = program, .xds_socket = folder / "none.sock", .data = folder.path()},
                      Clock::system(), stop.get_token());
  });
  const auto starts = [&] {
    const std::string text = read_file(log).value_or("");
    return std::ranges::count(text, '\n');
  };
  EXPECT_TRUE(testing::eventually([&] { return starts() == 2; }));
  stop.request_stop();
  runner.join();
  EXPECT_TRUE(*ended);
  const std::string text = read_file(log).value_or("");
  const std::string last = text.substr(text.find('\n') + 1, text.rfind('\n') - text.find('\n') - 1);
  EXPECT_FALSE(std::filesystem::exists("/proc/" + last)) << last;
}

TEST(EnvoyProcess, AProgramThatIsNotThereIsAnError) {
  const testing::TempDirectory folder;
  const auto ended = run_envoy(
      {.program = (folder / "none").string(), .xds_socket = folder / "none.sock", .data = folder.path()},
      Clock::system(), {});
  ASSERT_FALSE(ended);
  EXPECT_NE(ended.error().message.find("none"), std::string::npos);
}

}  // namespace
}  // namespace fairway::gateway
