// What clients of the API server may hold is a setting, and counts before anybody has said who they are.
#include <string>
#include <vector>

#include "apiserver/server_case.h"
#include "http/raw_client.h"
#include "support/eventually.h"

namespace fairway::apiserver::testing {
namespace {

std::uint16_t port_of(const Server& server) {
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
  for (int i = 0; i < 20; ++i) EXPECT_OK(client_of(*server)->get(namespaces, {"", "default"}));
  // These have been ended, and nothing was said to them.
  for (int i = 0; i < 4; ++i) EXPECT_EQ(held[static_cast<std::size_t>(i)].read_to_end(), "");
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
