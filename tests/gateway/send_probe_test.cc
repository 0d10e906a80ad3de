// SPDX-License-Identifier: Apache-2.0

// Probes on the wire. Those of TLS are in controller_test.cc, with Envoy.
#include "gateway/internal/probes/send_probe.h"
#include "gateway/internal/model/reserved_names.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>

#include "base/file_descriptor.h"
#include "support/eventually.h"
#include "support/loopback_server.h"
#include "support/process.h"

namespace fairway::gateway {
namespace {

Limits soon() {
  return Limits::within(Clock::system(), testing::generous(std::chrono::seconds(5)));
}

Probe at(Probe::Kind kind, int port) {
  return {
      .kind = kind, .address = "127.0.0.1", .port = static_cast<std::uint16_t>(port), .configuration = "17"};
}

TEST(SendProbe, AConnectionShowsThatTcpFlows) {
  const auto server = testing::serve_on_loopback(
      "GET", [](const http::Request&) { return http::Response::text(200, ""); }, {});
  EXPECT_TRUE(send_probe(at(Probe::Kind::tcp, server->port()), soon()));
  const auto refused = send_probe(at(Probe::Kind::tcp, testing::free_loopback_port()), soon());
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("probing 127.0.0.1 port ")) << refused.error().message;
}

TEST(SendProbe, AnHttpListenerAnswersWithItsConfiguration) {
  std::string configuration = "17", host;
  const auto server =
      testing::serve_on_loopback("GET",
                                 [&](const http::Request& request) {
                                   host = request.header("host").value_or("");
                                   auto response = http::Response::text(200, "");
                                   if (!configuration.empty())
                                     response.headers.set("X-Fairway-Configuration", configuration);
                                   return response;
                                 },
                                 {});
  const Probe probe = at(Probe::Kind::http, server->port());
  const auto answered = send_probe(probe, soon());
  EXPECT_TRUE(answered) << answered.error().message;
  EXPECT_EQ(host, probe_host);
  configuration = "16";
  const auto earlier = send_probe(probe, soon());
  ASSERT_FALSE(earlier);
  EXPECT_NE(earlier.error().message.find("earlier configuration"), std::string::npos);
  configuration = "";
  const auto other = send_probe(probe, soon());
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("HTTP/1.1 200"), std::string::npos) << other.error().message;
}

TEST(SendProbe, AServerWithoutTlsShakesNoHands) {
  const auto server = testing::serve_on_loopback(
      "GET", [](const http::Request&) { return http::Response::text(200, ""); }, {});
  const auto refused = send_probe(at(Probe::Kind::tls, server->port()), soon());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("TLS handshake"), std::string::npos) << refused.error().message;
}

TEST(SendProbe, ASocketIsBoundOrNot) {
  FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ASSERT_GE(socket.get(), 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const Probe probe = at(Probe::Kind::socket, ntohs(address.sin_port));
  const auto bound = send_probe(probe, soon());
  EXPECT_TRUE(bound) << bound.error().message;
  FileDescriptor client(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ASSERT_GE(client.get(), 0);
  ASSERT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  socket.reset();
  EXPECT_FALSE(send_probe(probe, soon()));
}

}  // namespace
}  // namespace fairway::gateway
