// SPDX-License-Identifier: Apache-2.0

// Connections that go in circles through something that the controller knows nothing of: they end at
// --max-connections, and leave Envoy whole.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "support/gateway_rig.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using testing::eventually;

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

FileDescriptor connect_to(int port) {
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return fd;
}

/// Forwards each connection to another port, as an address of a Service does, and closes both ends when
/// either is closed.
class Forwarder {
 public:
  explicit Forwarder(int to) : to_(to), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (!listener_ || ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::listen(listener_.get(), 128) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("cannot listen");
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  int port() const { return port_; }
  /// Returns the number of connections that it has accepted.
  int taken() const { return taken_; }

 private:
  /// Number of connections at which an endless circle is broken.
  static constexpr int most = 400;

  void run(const std::stop_token& stop) {
    std::vector<std::pair<FileDescriptor, FileDescriptor>> pairs;
    while (!stop.stop_requested()) {
      std::vector<pollfd> polled{{.fd = listener_.get(), .events = POLLIN, .revents = 0}};
      for (const auto& [from, to] : pairs) {
        polled.push_back({.fd = from.get(), .events = POLLIN, .revents = 0});
        polled.push_back({.fd = to.get(), .events = POLLIN, .revents = 0});
      }
      // The limit looks for the end of the test.
      ::poll(polled.data(), polled.size(), 20);
      // Nobody sends anything: what can be read is an end.
      for (std::size_t i = pairs.size(); i-- > 0;) {
        if (polled[1 + 2 * i].revents != 0 || polled[2 + 2 * i].revents != 0)
          pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(i));
      }
      if (polled[0].revents == 0) continue;
      FileDescriptor from(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!from || ++taken_ > most) continue;
      FileDescriptor to = connect_to(to_);
      if (to) pairs.emplace_back(std::move(from), std::move(to));
    }
  }

  const int to_;
  FileDescriptor listener_;
  int port_ = 0;
  std::atomic<int> taken_ = 0;
  std::jthread thread_;
};

class EnvoyCaps : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto api = xds::EnvoyApi::embedded(); !api) GTEST_SKIP() << api.error().message;
    if (testing::envoy_program().empty()) GTEST_SKIP() << testing::no_envoy;
    rig_.apply(R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway},
 spec: {controllerName: fairway.dev/gateway}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop}
spec:
  gatewayClassName: fairway
  addresses: [{value: 127.0.0.1}]
  listeners: [{name: tcp, port: )" +
               std::to_string(port_) + R"(, protocol: TCP}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: TCPRoute
metadata: {name: cart, namespace: shop}
spec: {parentRefs: [{name: web}], rules: [{backendRefs: [{name: cart, port: 80}]}]}
)");
  }
  void start(const std::vector<std::string>& flags) {
    rig_.start_controller(flags);
    ASSERT_TRUE(eventually([&] { return rig_.programmed("web") == "True Programmed"; })) << rig_.log();
  }

  const int port_ = testing::free_loopback_port();
  testing::GatewayRig rig_{(std::filesystem::path(FAIRWAY_BINARY).parent_path() / "fairway-gateway").string(),
                           testing::envoy_program()};
};

TEST_F(EnvoyCaps, EndACircleThatNobodyCanSee) {
  const Forwarder forwarder(port_);
  rig_.apply_backend("cart", forwarder.port());
  start({"--drain", "1s", "--max-connections", "50"});
  const FileDescriptor client = connect_to(port_);
  ASSERT_TRUE(client);
  // The connection beyond the limit is closed, and so are all before it.
  pollfd end{.fd = client.get(), .events = POLLIN, .revents = 0};
  EXPECT_TRUE(eventually([&] { return ::poll(&end, 1, 0) == 1; })) << forwarder.taken();
  EXPECT_GE(forwarder.taken(), 10) << "it went in circles";
  EXPECT_LE(forwarder.taken(), 51);
  // And there is room again.
  const FileDescriptor next = connect_to(port_);
  const int before = forwarder.taken();
  EXPECT_TRUE(eventually([&] { return forwarder.taken() > before; }));
}

TEST_F(EnvoyCaps, AreNotMetByACircleOfGateways) {
  // The Gateway's own listener: no connection goes further.
  rig_.apply_backend("cart", port_);
  start({"--drain", "1s"});
  const FileDescriptor client = connect_to(port_);
  ASSERT_TRUE(client);
  pollfd end{.fd = client.get(), .events = POLLIN, .revents = 0};
  EXPECT_TRUE(eventually([&] { return ::poll(&end, 1, 0) == 1; }));
  EXPECT_TRUE(eventually([&] {
    const auto route = rig_.get("TCPRoute", "cart");
    if (!route) return false;
    const auto parents = route->items("status.parents");
    const auto said =
        parents.empty() ? std::nullopt
                        : k8s::find_condition(parents.front(), "fairway.dev/EndpointsLeftOut", "conditions");
    return said && said->message().find("requests would go in circles") != std::string::npos;
  }));
}

}  // namespace
}  // namespace fairway::gateway
