// SPDX-License-Identifier: Apache-2.0

// An honest client behind the address of one that holds requests which have only begun to come: the oldest of
// these give way, and the client is served.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/certificates.h"
#include "http/client.h"
#include "http/hello_server.h"
#include "http/raw_client.h"
#include "http/server.h"
#include "support/eventually.h"
#include "support/generous.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using testing::eventually;

const std::string half_handshake("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);
constexpr std::size_t share = 24;

/// Waits until so many connections were accepted: later connections are younger than those under test.
bool accepted(const Server& server, std::size_t connections) {
  return eventually([&] { return server.counts().connections_total >= connections; });
}

/// Options with which nothing is closed for its slowness while a test runs.
ServerOptions patient(int io_threads) {
  ServerOptions options;
  options.io_threads = io_threads;
  options.max_unfinished_per_address = share;
  options.header_timeout = options.body_timeout = options.rate_window = options.idle_timeout = 300s;
  return options;
}

/// Clients that send a whole request each, on a connection of its own.
class Honest {
 public:
  explicit Honest(const testing::TestCa& ca) {
    options_.system_cas = options_.proxy_environment = false;
    options_.ca_texts = {{ca.certificate(), "the test's CA"}};
  }
  bool served(const Server& server, std::function<void()> on_reached = {}) const {
    const auto client = Client::create(options_);
    if (!client) return false;
    Call call;
    call.url = Url::parse("https://localhost:" + std::to_string(server.port()) + "/hello").value();
    call.limits.deadline = std::chrono::steady_clock::now() + testing::generous(5s);
    call.on_reached = std::move(on_reached);
    const auto reply = (*client)->send(call);
    return reply && reply->body == "hello";
  }

 private:
  ClientOptions options_;
};

/// The connections that one client of the address holds: their input, their number, and the I/O threads of
/// the server.
struct Case {
  const char* name;
  bool tls;
  std::string begun;  ///< sent on each connection
  std::size_t held;
  int io_threads;
  std::string drip;  ///< sent on each of them afterwards, byte by byte, between ordinary requests
};

class CrowdedAddress : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Server> start(ServerOptions options) {
    if (GetParam().tls) {
      const auto made = ca.server();
      options.tls = TlsServerOptions{.certificate = made.certificate, .key = made.key};
    }
    return start_hello_server(options);
  }
  /// Sends a whole request with TLS, and without it one whose head comes in two parts, so that it counts as
  /// incomplete for a while.
  bool served(const Server& server) const {
    if (GetParam().tls) return Honest(ca).served(server);
    // Threads that close connections at the same time may close more than they have to, so that the share is
    // not full again with this one.
    std::size_t fewest = server.counts().unfinished;
    RawClient client(server.port());
    client.send("GET /hello HT");
    if (!eventually([&] {
          const std::size_t now = server.counts().unfinished;
          fewest = std::min(fewest, now);
          return now >= share || now > fewest;
        }))
      return false;
    client.send("TP/1.1\r\nHost: a\r\n\r\n");
    return body_of(client.read_reply()) == "hello";
  }
  std::vector<RawClient> hold(const Server& server) const {
    std::vector<RawClient> held;
    for (std::size_t i = 0; i < GetParam().held; ++i) {
      held.emplace_back(server.port());
      held.back().send(GetParam().begun);
    }
    return held;
  }

  testing::TestCa ca;
};

TEST_P(CrowdedAddress, ServesWhoeverComesNext) {
  const auto server = start(patient(GetParam().io_threads));
  auto held = hold(*server);
  ASSERT_TRUE(accepted(*server, held.size()));
  ASSERT_TRUE(eventually([&] { return server->counts().unfinished >= share; }));
  for (std::size_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(served(*server)) << i;
    if (i < GetParam().drip.size()) {
      for (RawClient& each : held) each.send(GetParam().drip.substr(i, 1));  // some are closed
    }
  }
  EXPECT_TRUE(eventually([&] { return server->counts().unfinished <= share; }));
}

const std::string half_body_request = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nab";

INSTANTIATE_TEST_SUITE_P(
    Of, CrowdedAddress,
    ::testing::Values(Case{"HalfHandshakes", true, half_handshake, 60, 1, ""},
                      Case{"HalfHandshakesOnThreads", true, half_handshake, 60, 4, ""},
                      Case{"SilentHandshakes", true, "", 60, 2, ""},
                      Case{"DrippingHandshakes", true, half_handshake, 60, 2, "abcdefghij"},
                      Case{"HalfHeads", false, "GET /hello HT", 60, 1, ""},
                      Case{"HalfHeadsOnThreads", false, "GET /hello HT", 60, 4, ""},
                      Case{"DrippingHeads", false, "GET /hello HT", 60, 2, "TP/1.1\r\nX:"},
                      Case{"HalfBodies", false, half_body_request, 60, 2, ""},
                      Case{"DrippingBodies", false, half_body_request, 60, 2, "cdefghijkl"}),
    [](const auto& info) { return std::string(info.param.name); });

// Beside one I/O thread, what holds the memory may be on others, which give it up a moment later: by default
// the share of one address is half of the memory, so that nobody is refused meanwhile.
TEST(CrowdedAddresses, TheMemoryOfAllIsSharedInTheSameWay) {
  testing::TestCa ca;
  const auto made = ca.server();
  ServerOptions options = patient(1);
  options.max_unfinished_per_address = 1000;
  options.max_unfinished_bytes = share * 73'728;
  options.tls = TlsServerOptions{.certificate = made.certificate, .key = made.key};
  const auto server = start_hello_server(options);
  std::vector<RawClient> held;
  for (int i = 0; i < 60; ++i) {
    held.emplace_back(server->port());
    held.back().send(half_handshake);
  }
  ASSERT_TRUE(accepted(*server, held.size()));
  const Honest honest(ca);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(honest.served(*server)) << i;
}

TEST(CrowdedAddresses, ManyAddressesWithOneEachGiveWayToo) {
  testing::TestCa ca;
  const auto made = ca.server();
  ServerOptions options = patient(1);
  options.max_unfinished_bytes = share * 73'728;
  options.tls = TlsServerOptions{.certificate = made.certificate, .key = made.key};
  const auto server = start_hello_server(options);
  std::vector<RawClient> held;
  for (int i = 0; i < 60; ++i) {
    held.emplace_back(server->port(), 0, ("127.0.1." + std::to_string(i + 1)).c_str());
    held.back().send(half_handshake);
  }
  ASSERT_TRUE(accepted(*server, held.size()));
  const Honest honest(ca);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(honest.served(*server)) << i;
}

// Of connections those of the same I/O thread give way.
TEST(CrowdedAddresses, TheConnectionsOfAnAddressAreSharedInTheSameWay) {
  for (const char* begun : {"GET /hello HT", ""}) {
    ServerOptions options = patient(1);
    options.max_unfinished_per_address = 1000;
    options.max_connections_per_address = share;
    const auto server = start_hello_server(options);
    std::vector<RawClient> held;
    for (int i = 0; i < 60; ++i) {
      held.emplace_back(server->port());
      held.back().send(begun);
    }
    ASSERT_TRUE(accepted(*server, held.size()));
    for (int i = 0; i < 10; ++i) {
      RawClient client(server->port());
      client.send(hello_request);
      ASSERT_EQ(body_of(client.read_reply()), "hello") << i;
    }
  }
}

TEST(CrowdedAddresses, AFloodDoesNotCutHandshakesThatAreUnderWay) {
  testing::TestCa ca;
  const auto made = ca.server();
  ServerOptions options = patient(1);
  options.tls = TlsServerOptions{.certificate = made.certificate, .key = made.key};
  const auto server = start_hello_server(options);
  std::vector<RawClient> held;
  const auto flood = [&](std::size_t count) {
    const std::uint64_t before = server->counts().connections_total;
    for (std::size_t i = 0; i < count; ++i) {
      held.emplace_back(server->port());
      held.back().send(half_handshake);
    }
    ASSERT_TRUE(eventually([&] { return server->counts().connections_total >= before + count; }));
  };
  flood(2 * share);
  const Honest honest(ca);
  for (int i = 0; i < 10; ++i) {
    // More come between its connection and its handshake, and take the place of those before it.
    EXPECT_TRUE(honest.served(*server, [&] { flood(share / 2); })) << i;
  }
}

TEST(CrowdedAddresses, RequestsThatMakeProgressOutliveHalfHandshakes) {
  testing::TestCa ca;
  const auto made = ca.server();
  ServerOptions options = patient(2);
  options.tls = TlsServerOptions{.certificate = made.certificate, .key = made.key};
  const auto server = start_hello_server(options);
  // A handshake that is complete, and waits for its request, is none that has only begun.
  const auto client = [&] {
    ClientOptions trusting;
    trusting.system_cas = trusting.proxy_environment = false;
    trusting.ca_texts = {{ca.certificate(), "the test's CA"}};
    return Client::create(trusting).value();
  }();
  Call call;
  call.url = Url::parse("https://localhost:" + std::to_string(server->port()) + "/hello").value();
  call.limits.deadline = std::chrono::steady_clock::now() + testing::generous(5s);
  ASSERT_EQ(client->send(call).value().body, "hello");
  std::vector<RawClient> held;
  for (int i = 0; i < 200; ++i) {
    held.emplace_back(server->port());
    held.back().send(half_handshake);
  }
  EXPECT_TRUE(eventually([&] { return server->counts().shed_address >= 200 - share; }));
  const auto connections = server->counts().connections_total;
  call.limits.deadline = std::chrono::steady_clock::now() + testing::generous(5s);
  EXPECT_EQ(client->send(call).value().body, "hello");
  EXPECT_EQ(server->counts().connections_total, connections) << "on the same connection";
}

}  // namespace
}  // namespace fairway::http
