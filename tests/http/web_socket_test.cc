// SPDX-License-Identifier: Apache-2.0

// Streams over WebSocket, byte by byte.
#include "http/web_socket.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <string_view>

#include "http/internal/server/socket_frames.h"
#include "http/raw_client.h"
#include "http/server.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

/// The handshake of RFC 6455, section 1.3.
const std::string handshake =
    "GET /watch HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: http://a\r\n";

/// Returns a frame as a client sends it: masked, with this mask.
std::string from_client(unsigned first, std::string_view payload, std::string_view mask = "abcd") {
  std::string frame{static_cast<char>(first), static_cast<char>(0x80 | payload.size())};
  frame += mask;
  for (std::size_t i = 0; i < payload.size(); ++i) frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  return frame;
}

TEST(LineMessages, AreOneALineAndInFragmentsWhereAPieceEndsWithinOne) {
  LineMessages messages;
  EXPECT_EQ(messages.frames("a\nbc\nd"), "\x81\x02"s + "a\n" + "\x81\x03" + "bc\n" + "\x01\x01"s + "d");
  EXPECT_EQ(messages.frames("e"), "\x00\x01"s + "e");
  EXPECT_EQ(messages.frames("\nf\n"), "\x80\x01"s + "\n" + "\x81\x02" + "f\n");
  EXPECT_EQ(messages.frames(""), "");
}

TEST(LineMessages, SayTheirLengthInThreeWays) {
  for (const auto& [size, head] : {std::pair{125, "\x81\x7D"s},
                                   {126, "\x81\x7E\x00\x7E"s},
                                   {65'535, "\x81\x7E\xFF\xFF"s},
                                   {65'536, "\x81\x7F\x00\x00\x00\x00\x00\x01\x00\x00"s}}) {
    const std::string line = std::string(static_cast<std::size_t>(size) - 1, 'x') + "\n";
    EXPECT_EQ(LineMessages().frames(line), head + line) << size;
  }
}

TEST(ClientFrames, AreAnsweredHoweverTheyAreCut) {
  const std::string sent = from_client(0x89, "hello") + from_client(0x81, "skipped") + from_client(0x8A, "") +
                           from_client(0x89, "") + from_client(0x88, "\x03\xE8");
  for (std::size_t cut = 1; cut < sent.size(); ++cut) {
    ClientFrames frames;
    std::string answers;
    EXPECT_TRUE(frames.feed(sent.substr(0, cut), answers)) << cut;
    EXPECT_FALSE(frames.feed(sent.substr(cut), answers)) << cut;
    EXPECT_EQ(answers, "\x8A\x05hello"s + "\x8A\x00"s + "\x88\x02\x03\xE8"s) << cut;
  }
}

TEST(ClientFrames, EndWhereTheyBreakTheProtocol) {
  std::string answers;
  const std::string too_long = "\x89\xFE\x00\x7E"s + "abcd";
  for (const std::string& sent : {"\x89\x00"s, "\xC1\x80"s, too_long, from_client(0x09, "part")}) {
    EXPECT_FALSE(ClientFrames().feed(sent, answers));
  }
  EXPECT_EQ(answers, "");
}

TEST(ClientFrames, SkipMessagesOfAnyLength) {
  ClientFrames frames;
  std::string answers;
  EXPECT_TRUE(frames.feed("\x82\xFF\x00\x00\x00\x00\x00\x01\x00\x00"s + "abcd", answers));
  EXPECT_TRUE(frames.feed(std::string(65'536, 'x'), answers));
  EXPECT_TRUE(frames.feed(from_client(0x89, "!"), answers));
  EXPECT_EQ(answers, "\x8A\x01!");
}

/// A server whose "/watch" is a WebSocket.
class WebSockets : public ::testing::Test {
 protected:
  WebSockets() {
    Router router;
    router.immediate("/watch", "GET", [this](const Request& request) {
      if (!asks_for_web_socket(request)) return Response::text(200, "no socket");
      auto stream = Stream::make(1 << 20);
      Response response = web_socket_reply(request, stream);
      if (response.stream) opened.set_value(std::move(stream));
      return response;
    });
    server = Server::start({.listen = "127.0.0.1:0", .io_threads = 1}, router).value();
  }
  static bool read_until(RawClient& client, const std::string& text) {
    while (!client.pending().ends_with(text)) {
      if (!client.read_some()) return false;
    }
    return true;
  }

  std::promise<std::shared_ptr<Stream>> opened;
  std::unique_ptr<Server> server;
};

TEST_F(WebSockets, SendLinesAndAnswerPings) {
  RawClient client(server->port());
  client.send(handshake + "Sec-WebSocket-Protocol: v1\r\n\r\n" + from_client(0x89, "early"));
  const auto stream = opened.get_future().get();
  ASSERT_TRUE(read_until(client, "\r\n\r\n\x8A\x05"s + "early")) << client.pending();
  const std::string head = client.pending();
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 Switching Protocols\r\n")) << head;
  for (const char* line : {"Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Protocol: v1",
                           "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="}) {
    EXPECT_TRUE(has_line(head, line)) << line << "\n" << head;
  }
  EXPECT_FALSE(has_line(head, "Transfer-Encoding: chunked"));
  ASSERT_TRUE(stream->try_push(make_bytes("one\ntw")));
  EXPECT_TRUE(read_until(client, "\x81\x04one\n\x01\x02tw"));
  client.send(from_client(0x89, "now"));
  EXPECT_TRUE(read_until(client, "\x8A\x03now"));
  ASSERT_TRUE(stream->try_push(make_bytes("o\n")));
  EXPECT_TRUE(read_until(client, "\x80\x02o\n"));
  stream->close();
  EXPECT_TRUE(client.read_to_end().ends_with("\x88\x02\x03\xE8"));
}

TEST_F(WebSockets, EndWhenTheClientCloses) {
  RawClient client(server->port());
  client.send(handshake + "\r\n");
  const auto stream = opened.get_future().get();
  ASSERT_TRUE(read_until(client, "\r\n\r\n"));
  client.send(from_client(0x88, "\x03\xE9"));
  EXPECT_TRUE(client.read_to_end().ends_with("\x88\x02\x03\xE9"));
  EXPECT_TRUE(stream->cancelled().stop_requested());
  EXPECT_FALSE(stream->try_push(make_bytes("late\n")));
}

TEST_F(WebSockets, CloseOnAClientThatPingsAndReadsNothing) {
  RawClient client(server->port(), 4096);
  client.send(handshake + "\r\n");
  const auto stream = opened.get_future().get();
  std::string flood;
  for (int i = 0; i < 1000; ++i) flood += from_client(0x89, std::string(125, 'x'));
  // Far more than the kernel holds for both sides.
  bool refused = false;
  for (int i = 0; i < 2000 && !refused; ++i) refused = !client.send(flood);
  EXPECT_TRUE(refused);
  EXPECT_TRUE(stream->cancelled().stop_requested());
}

TEST_F(WebSockets, AreRefusedWithoutAWholeHandshake) {
  const std::string begin = "GET /watch HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
  const std::string version = "Sec-WebSocket-Version: 13\r\n", key = "Sec-WebSocket-Key: AA==\r\n",
                    origin = "Origin: http://a\r\n";
  for (const auto& [fields, status] : {std::pair{version + origin, 400},
                                       {key + origin, 400},
                                       {key + origin + "Sec-WebSocket-Version: 8\r\n", 400},
                                       {key + version, 403},
                                       {key + version + origin + "Sec-WebSocket-Protocol: a, b\r\n", 400}}) {
    RawClient client(server->port());
    client.send(begin + fields + "\r\n");
    EXPECT_EQ(status_of(client.read_reply()), status) << fields;
  }
}

}  // namespace
}  // namespace fairway::http
