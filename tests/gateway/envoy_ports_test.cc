// SPDX-License-Identifier: Apache-2.0

// Envoy's TCP ports are its alone, and an Envoy whose listeners shared theirs takes up those that do not.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/file_descriptor.h"
#include "support/gateway_rig.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

/// Returns whether a socket of this user may share a port of 127.0.0.1. It takes no connection.
bool may_share(int port) {
  const FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) throw std::runtime_error("there is no socket to be had");
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

class EnvoyPorts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    rig_.apply_gateway(port_);
    rig_.start_controller({"--drain", "1s"});
    ASSERT_TRUE(eventually([&] { return rig_.programmed("web") == "True Programmed"; })) << rig_.log();
    ASSERT_TRUE(eventually([&] { return testing::ask(port_, "any").status == 404; })) << rig_.log();
  }

  const int port_ = testing::free_loopback_port();
  testing::GatewayRig rig_{(std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string(),
                           testing::envoy_program()};
};

TEST_F(EnvoyPorts, AreSharedWithNobody) {
  EXPECT_FALSE(may_share(port_));
  // Nor while one Envoy takes over from another.
  const int before = rig_.envoy_pid();
  ASSERT_GT(before, 0);
  std::atomic<int> shared = 0;
  {
    const std::jthread trying([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) shared += may_share(port_) ? 1 : 0;
    });
    ::kill(rig_.controller_pid(), SIGHUP);
    EXPECT_TRUE(eventually([&] { return ::kill(before, 0) != 0; })) << rig_.log();
    EXPECT_EQ(testing::ask(port_, "any").status, 404) << rig_.log();
  }
  EXPECT_EQ(shared, 0);
}

TEST_F(EnvoyPorts, OfAnotherProcessAreLeftToIt) {
  const auto other = testing::named_backend("other");
  rig_.apply_gateway(other->port());
  EXPECT_TRUE(eventually([&] { return rig_.programmed("web") == "False Invalid"; }))
      << rig_.programmed("web") << rig_.log();
  for (int i = 0; i < 40; ++i) EXPECT_EQ(testing::ask(other->port(), "any").body, "other");
}

}  // namespace
}  // namespace fairway::gateway
