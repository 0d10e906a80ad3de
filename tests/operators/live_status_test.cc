// SPDX-License-Identifier: Apache-2.0

// A status and its streams, as a server on loopback serves them.
#include "operators/live_status.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "base/text.h"
#include "http/raw_client.h"
#include "http/server.h"
#include "support/eventually.h"

namespace fairway::operators {
namespace {

using fairway::testing::eventually;

class LiveStatusTest : public ::testing::Test {
 protected:
  void start(const StatusLimits& limits = {.pause = std::chrono::milliseconds(1)},
             Clock& clock = Clock::system()) {
    live_ = std::make_unique<LiveStatus>(
        std::vector<LiveStatus::Part>{{"number",
                                       [this] {
                                         ++renders_;
                                         if (!is_restless_) return std::to_string(number_.load());
                                         live_->changed("number");
                                         return '"' + std::string(size_, 'n') + '"';
                                       }},
                                      {"text", [this] { return '"' + std::string(size_, 'x') + '"'; }}},
        limits, clock);
    http::Router router;
    live_->publish();
    router.immediate("/status", "GET",
                     [this](const http::Request& request) { return live_->document(request); });
    router.immediate("/stream", "GET",
                     [this](const http::Request& request) { return live_->stream(request); });
    auto server = http::Server::start({.listen = "127.0.0.1:0"}, std::move(router));
    ASSERT_TRUE(server) << server.error().message;
    server_ = *std::move(server);
    feeder_ = std::jthread([this](const std::stop_token& stop) { ASSERT_TRUE(live_->run(stop)); });
  }
  void TearDown() override {
    feeder_ = {};
    server_.reset();
  }

  std::unique_ptr<http::RawClient> ask(const std::string& path, int receive_buffer = 0,
                                       const char* from = nullptr) const {
    auto client = std::make_unique<http::RawClient>(server_->port(), receive_buffer, from);
    client->send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return client;
  }
  void set(int number) {
    number_ = number;
    live_->changed("number");
  }

  FakeClock fake_clock_;
  std::atomic<int> number_ = 1, renders_ = 0;
  std::size_t size_ = 3;
  bool is_restless_ = false;  ///< "number" is large, and changes whenever it is made
  std::unique_ptr<LiveStatus> live_;
  std::unique_ptr<http::Server> server_;
  std::jthread feeder_;
};

TEST_F(LiveStatusTest, TheDocumentHasAllPartsAndMakesThemOnce) {
  start();
  for (int i = 0; i < 3; ++i) {
    const std::string reply = ask("/status")->read_reply();
    EXPECT_TRUE(reply.ends_with("\r\n\r\n{\"number\":1,\"text\":\"xxx\"}\n")) << reply;
    EXPECT_TRUE(reply.contains("Cache-Control: no-store")) << reply;
  }
  EXPECT_EQ(renders_, 1);
  set(2);
  EXPECT_TRUE(eventually([&] { return ask("/status")->read_reply().contains("{\"number\":2,"); }));
  EXPECT_EQ(renders_, 2);
}

TEST_F(LiveStatusTest, AStreamBeginsWithAllPartsAndGoesOnWithChanges) {
  start();
  const auto client = ask("/stream");
  const std::string first = client->read_until("\"xxx\"\n\n");
  EXPECT_TRUE(first.contains("Content-Type: text/event-stream")) << first;
  EXPECT_TRUE(first.contains("event: number\ndata: 1\n\n")) << first;
  EXPECT_TRUE(first.contains("event: text\ndata: \"xxx\"\n\n")) << first;
  set(2);
  const std::string next = client->read_until("data: 2\n\n");
  EXPECT_TRUE(next.contains("event: number\ndata: 2\n\n")) << next;
  EXPECT_FALSE(next.contains("text")) << next;
  // Who comes later gets the present state.
  EXPECT_TRUE(ask("/stream")->read_until("\"xxx\"\n\n").contains("event: number\ndata: 2\n\n"));
}

TEST_F(LiveStatusTest, AQuietStreamShowsThatItIsAlive) {
  start({.pause = std::chrono::milliseconds(0)}, fake_clock_);
  const auto client = ask("/stream");
  EXPECT_TRUE(client->read_until("\"xxx\"\n\n").contains("event: number"));
  for (int i = 0; i < 2; ++i) {
    fake_clock_.wait_for_waiters(1);
    fake_clock_.advance(StatusLimits().heartbeat);
    EXPECT_TRUE(client->read_until(":\n\n").ends_with(":\n\n"));
  }
}

TEST_F(LiveStatusTest, ThereAreOnlySoManyStreams) {
  start({.streams = 2, .pause = std::chrono::milliseconds(1)});
  auto first = ask("/stream"), second = ask("/stream");
  EXPECT_TRUE(first->read_until("\"xxx\"\n\n").contains("200 OK"));
  EXPECT_TRUE(second->read_until("\"xxx\"\n\n").contains("200 OK"));
  const std::string refused = ask("/stream")->read_reply();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_TRUE(refused.contains("Retry-After: 5\r\n")) << refused;
  EXPECT_TRUE(refused.contains("there are 2 streams of the status already")) << refused;
  // The document is there all the same, and so is a stream when another has gone.
  EXPECT_TRUE(ask("/status")->read_reply().contains("200 OK"));
  first.reset();
  EXPECT_TRUE(eventually([&] { return ask("/stream")->read_until("\n\n").contains("200 OK"); }));
}

TEST_F(LiveStatusTest, ASlowReaderGetsTheNewestStateAndNoMoreThanThat) {
  size_ = std::size_t{8} << 20;
  start();
  const auto slow = ask("/stream", 4096);
  EXPECT_TRUE(slow->read_until("data: 1\n\n").contains("event: number\n"));
  for (int i = 2; i <= 1000; ++i) set(i);
  const std::string all = slow->read_until("data: 1000\n\n");
  EXPECT_TRUE(all.contains("event: number\ndata: 1000\n\n"));
  std::size_t events = 0;
  for (std::size_t at = all.find("event: number"); at != std::string::npos;
       at = all.find("event: number", at + 1))
    ++events;
  EXPECT_LT(events, 500U);
  // A part of any size came whole.
  EXPECT_GT(all.size(), size_);
}

TEST_F(LiveStatusTest, APartThatChangesAllTheTimeLeavesASlowReaderTheOthers) {
  size_ = std::size_t{8} << 20;
  is_restless_ = true;
  // Longer than it takes to make a part, as this happens again and again.
  start({.pause = std::chrono::milliseconds(100)});
  const auto slow = ask("/stream", 4096);
  std::string all;
  for (int i = 0; i < 4; ++i) all += slow->read_until("event: number\n");
  EXPECT_TRUE(all.ends_with("event: number\n"));
  EXPECT_TRUE(all.contains("event: text\n"));
}

TEST_F(LiveStatusTest, OneAddressCannotHoldAllStreams) {
  start();
  std::vector<std::unique_ptr<http::RawClient>> streams;
  std::size_t accepted = 0;
  std::string refused;
  for (std::size_t i = 0; i < StatusLimits().streams; ++i) {
    streams.push_back(ask("/stream"));
    const std::string head = streams.back()->read_until("\r\n\r\n");
    if (head.contains(" 200 "))
      ++accepted;
    else
      refused = head + streams.back()->read_until("\n");
  }
  EXPECT_EQ(accepted, 12U);
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_TRUE(refused.contains("your address has 12 streams of the status already")) << refused;
  for (const char* other : {"127.0.0.2", "127.0.0.3"})
    EXPECT_TRUE(ask("/stream", 0, other)->read_until("\r\n\r\n").contains(" 200 ")) << other;
}

TEST_F(LiveStatusTest, OnlySoManyDocumentsAreOnTheirWay) {
  size_ = std::size_t{8} << 20;
  start({.documents = 3, .documents_per_address = 2, .pause = std::chrono::milliseconds(1)});
  // They ask, and read nothing but the beginning.
  std::vector<std::unique_ptr<http::RawClient>> slow;
  for (int i = 0; i < 2; ++i) {
    slow.push_back(ask("/status", 4096));
    EXPECT_TRUE(slow.back()->read_until("\r\n\r\n").contains(" 200 "));
  }
  const std::string refused = ask("/status")->read_reply();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused;
  EXPECT_TRUE(refused.contains("Retry-After: 1\r\n")) << refused;
  EXPECT_TRUE(refused.contains("your address reads 2 answers of /status already")) << refused;
  const char* other = "127.0.0.2";
  slow.push_back(ask("/status", 4096, other));
  EXPECT_TRUE(slow.back()->read_until("\r\n\r\n").contains(" 200 "));
  EXPECT_TRUE(ask("/status", 0, "127.0.0.3")->read_reply().contains("3 answers of /status are being read"));
  // A stream is there all the same, and so is a document when another has come or is given up.
  EXPECT_TRUE(ask("/stream")->read_until("\r\n\r\n").contains(" 200 "));
  slow.front().reset();
  EXPECT_TRUE(eventually([&] { return ask("/status")->read_until("\r\n\r\n").contains(" 200 "); }));
}

TEST_F(LiveStatusTest, EndsItsStreamsWhenItStops) {
  start();
  const auto client = ask("/stream");
  EXPECT_TRUE(client->read_until("\"xxx\"\n\n").contains("event: text"));
  feeder_ = {};
  EXPECT_TRUE(client->read_until("0\r\n\r\n").ends_with("0\r\n\r\n"));
}

}  // namespace
}  // namespace fairway::operators
