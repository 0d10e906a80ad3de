// SPDX-License-Identifier: Apache-2.0

// What clients of the API server may hold is a setting, and counts before anybody has said who they are.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "apiserver/server_case.h"
#include "http/raw_client.h"
#include "support/eventually.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

std::uint16_t port_of(const EmbeddedServer& server) {
  const std::string url = server.url();
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

/// The beginning of a TLS handshake of 512 bytes.
constexpr std::string_view half_handshake("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);

TEST(Limits, OfHalfHandshakesEndTheOldestAndLeaveTheAdministrator) {
  ServerOptions options{.namespace_defaults = false};
  options.limits.max_unfinished_per_address = 4;
  const auto server = start_server(std::move(options));
  std::vector<http::RawClient> held;
  held.reserve(8);
  for (int i = 0; i < 8; ++i) {
    held.emplace_back(port_of(*server));
    ASSERT_TRUE(held.back().send(half_handshake));
  }
  // Several I/O threads take them, in any order. Once four have been ended all are there, so that each is
  // older than the administrator's.
  const auto ended = [&] {
    return std::ranges::count_if(held, [](http::RawClient& one) { return one.closes_within(1ms); });
  };
  ASSERT_TRUE(fairway::testing::eventually([&] { return ended() == 4; }));
  for (int i = 0; i < 20; ++i) EXPECT_OK(client_of(*server)->get(namespaces, {"", "default"}));
  for (const http::RawClient& one : held) EXPECT_EQ(one.pending(), "") << "nothing was said to them";
}

TEST(Limits, OfRequestsOfAnAddressAreAnsweredAsStatus) {
  ServerOptions options{.namespace_defaults = false};
  options.limits.max_requests_per_second = 1;
  const auto server = start_server(std::move(options));
  const auto client = client_of(*server, {.max_retries = 0});
  bool refused = false;
  for (int i = 0; i < 20 && !refused; ++i) {
    const auto got = client->get(namespaces, {"", "default"});
    refused = !got && got.error().status.text("reason") == "TooManyRequests";
  }
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace fairway::apiserver::testing
