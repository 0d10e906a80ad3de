// SPDX-License-Identifier: Apache-2.0

// Prepared bodies that are large enough to go out as a file: the client must not notice.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <string>
#include <vector>

#include "http/internal/memory_file.h"
#include "http/raw_client.h"
#include "http/server.h"

namespace fairway::http {
namespace {

const std::string request = "GET /large HTTP/1.1\r\nHost: a\r\n\r\n";

/// Text in which no two parts are alike.
std::string numbered(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i) + " ";
  text.resize(size);
  return text;
}

std::unique_ptr<Server> start(const std::string& body) {
  Router router;
  const auto large = Prepared::make(200, {}, make_bytes(body));
  router.immediate("/large", "GET HEAD", [large](const Request&) { return Response::of(large); });
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  options.io_threads = 1;
  return Server::start(options, router).value();
}

TEST(LargeBody, ComesWholeWhateverItsSize) {
  const std::size_t least = MemoryFile::least_bytes;
  for (const std::size_t size : {least - 1, least, least + 1, std::size_t{357'565}, std::size_t{9'000'001}}) {
    const std::string body = numbered(size);
    const auto server = start(body);
    RawClient client(server->port());
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(client.send(request));
      ASSERT_EQ(body_of(client.read_reply()), body) << size;
    }
  }
}

TEST(LargeBody, ComesWholeToAClientWithSmallBuffersAndPipelinedRequests) {
  const std::string body = numbered(1'000'003);
  const auto server = start(body);
  RawClient client(server->port(), 4096);
  ASSERT_TRUE(client.send(request + "HEAD /large HTTP/1.1\r\nHost: a\r\n\r\n" + request));
  EXPECT_EQ(body_of(client.read_reply()), body);
  const std::string head = client.read_reply(true);
  EXPECT_TRUE(has_line(head, "Content-Length: 1000003"));
  EXPECT_EQ(body_of(client.read_reply()), body);
}

TEST(LargeBody, APeerThatGoesAwayInItsMiddleIsNoSignal) {
  const auto server = start(numbered(9'000'001));
  std::vector<RawClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(server->port(), 4096);
    ASSERT_TRUE(clients.back().send(request));
    ASSERT_TRUE(clients.back().read_some());
  }
  for (RawClient& client : clients) client.reset();
  RawClient other(server->port());
  ASSERT_TRUE(other.send(request));
  EXPECT_EQ(body_of(other.read_reply()).size(), 9'000'001U);
}

TEST(LargeBody, IsCopiedWhereNoFileCanBeMade) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const std::string body = numbered(100'000);
  const auto server = start(body);
  RawClient client(server->port());
  // A file of more than this many bytes cannot be written (the signal for it is held back, as in a service).
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit none = before;
  none.rlim_cur = 1000;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  const bool sent = client.send(request);
  const std::string reply = client.read_reply();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_TRUE(sent);
  EXPECT_EQ(body_of(reply), body);
}

}  // namespace
}  // namespace fairway::http
