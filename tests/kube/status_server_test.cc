// SPDX-License-Identifier: Apache-2.0

// The port that tells how a program fares.
#include "kube/controller/status_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <latch>
#include <string>
#include <vector>

#include "base/file_descriptor.h"
#include "http/raw_client.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

/// Returns a connection to "127.0.0.1:PORT" that sends nothing.
FileDescriptor silent_connection(const std::string& address) {
  FileDescriptor made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(made.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  return made;
}

TEST(StatusServer, LeavesTheDescriptorsOfTheProcessToOthers) {
  const auto none = [] { return std::optional<std::string>(); };
  const auto server = start_status_server(
      "127.0.0.1:0",
      {.not_alive = none, .not_ready = none, .metrics = [] { return std::string(); }, .pages = {}});
  ASSERT_TRUE(server) << server.error().message;
  constexpr std::uint64_t silent = 200;
  std::vector<FileDescriptor> connections;
  for (std::uint64_t i = 0; i < silent; ++i) connections.push_back(silent_connection((*server)->address()));
  ASSERT_TRUE(fairway::testing::eventually([&] { return (*server)->counts().connections_total >= silent; }));
  EXPECT_LE((*server)->counts().connections_open, 128U);
}

TEST(StatusServer, SaysThatItIsAliveWhileAllItsThreadsAreBusy) {
  const auto none = [] { return std::optional<std::string>(); };
  std::latch may_end(1);
  std::atomic<int> begun = 0;
  const auto slow = [&] {
    ++begun;
    may_end.wait();
    return std::string("slow");
  };
  const auto server = start_status_server("127.0.0.1:0", {.not_alive = none,
                                                          .not_ready = none,
                                                          .metrics = [] { return std::string(); },
                                                          .pages = {{"/slow", "text/plain", slow}}});
  ASSERT_TRUE(server) << server.error().message;
  const auto ask = [&](const std::string& path) {
    auto client = std::make_unique<http::RawClient>((*server)->port());
    client->send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client;
  };
  std::vector<std::unique_ptr<http::RawClient>> busy;
  for (int i = 0; i < 5; ++i) busy.push_back(ask("/slow"));
  EXPECT_TRUE(fairway::testing::eventually([&] { return begun == 2; }));
  for (const char* path : {"/livez", "/healthz"}) EXPECT_EQ(http::status_of(ask(path)->read_reply()), 200);
  may_end.count_down();
  for (const auto& client : busy) EXPECT_EQ(http::status_of(client->read_reply()), 200);
}

}  // namespace
}  // namespace fairway::kube
