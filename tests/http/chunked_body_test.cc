// SPDX-License-Identifier: Apache-2.0

#include "http/internal/chunked_body.h"

#include <gtest/gtest.h>

#include <string>

namespace fairway::http {
namespace {

struct Outcome {
  std::string data, why;
  bool complete = false;
  std::size_t consumed = 0;
};

Outcome read(std::string_view bytes, std::size_t step) {
  ChunkedBody body;
  Outcome outcome;
  while (outcome.consumed < bytes.size()) {
    std::size_t consumed = 0;
    std::string_view piece;
    switch (body.next(bytes.substr(outcome.consumed, step), consumed, piece)) {
      case ChunkedBody::Step::failed:
        outcome.why = body.why();
        outcome.consumed = 0;
        return outcome;
      case ChunkedBody::Step::complete:
        outcome.complete = true;
        outcome.consumed += consumed;
        return outcome;
      case ChunkedBody::Step::piece:
        outcome.data += piece;
        break;
      case ChunkedBody::Step::more:
        break;
    }
    outcome.consumed += consumed;
  }
  return outcome;
}

struct Case {
  std::string bytes, data;
  bool complete = false;
  std::string why = {};
};

TEST(ChunkedBody, SaysTheSameOfTheSameBytesHoweverTheyAreCut) {
  const Case cases[] = {
      {"5\r\nhello\r\n0\r\n\r\n", "hello", true},
      {"5\r\nhello\r\n00000A\r\n, my world\r\n000\r\n\r\n", "hello, my world", true},
      {"5;x=\"a;b\" ;y\r\nhello\r\n0;z\r\nTrailer: 1\r\nOther: 2\r\n\r\n", "hello", true},
      {"0\r\n\r\n", "", true},
      {"5\r\nhel", "hel", false},
      {"5\r\nhello\r\n0\r\n", "hello", false},
      {"\r\n", "", false, "a chunk does not begin with its size"},
      {";x\r\n", "", false, "a chunk does not begin with its size"},
      {"-5\r\nhello\r\n", "", false, "a chunk does not begin with its size"},
      {"0x5\r\nhello\r\n", "", false, "a chunk's size is no hexadecimal number"},
      {"1000000000000000\r\n", "", false, "a chunk's size has too many digits"},
      {"5\nhello\n0\n\n", "", false, "a chunk's size is no hexadecimal number"},
      {"5\rhello", "", false, "the line of a chunk's size does not end with CR LF"},
      {"5\r\nhelloo\r\n", "hello", false, "a chunk is longer than its size"},
      {"5\r\nhello\rx", "hello", false, "a chunk does not end with CR LF"},
      // What a sender could once stop the server with: a line that ends within a quoted extension.
      {"5;x= \"1.0\r\nH\x01", "H\x01", false},
      {"5;x=\"a\nb\"\r\n", "", false, "a control character stands in a chunk's extension"},
      {"5;" + std::string(1025, 'x') + "\r\n", "", false, "a chunk's extension is too long"},
      {"0\r\nA: \x01\r\n\r\n", "", false, "a control character stands in a trailer"},
      {"0\r\nA: 1\rB", "", false, "a trailer does not end with CR LF"},
      {"0\r\n\rx", "", false, "the body does not end with CR LF"},
      {"0\r\n" + std::string(16 * 1024 + 1, 'x') + "\r\n\r\n", "", false, "the trailers are too long"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.bytes.substr(0, 60));
    for (const std::size_t step :
         {one.bytes.size(), std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}}) {
      const Outcome outcome = read(one.bytes, step);
      EXPECT_EQ(outcome.data, one.data);
      EXPECT_EQ(outcome.complete, one.complete);
      EXPECT_EQ(outcome.why, one.why);
    }
  }
}

TEST(ChunkedBody, AnnouncesAChunkWhenItsSizeIsWhole) {
  ChunkedBody body;
  std::size_t consumed = 0;
  std::string_view piece;
  EXPECT_EQ(body.next("ff", consumed, piece), ChunkedBody::Step::more);
  EXPECT_EQ(body.announced(), 0U);
  EXPECT_EQ(body.next(";x\r\n", consumed, piece), ChunkedBody::Step::more);
  EXPECT_EQ(body.announced(), 255U);
}

TEST(ChunkedBody, LeavesWhatFollows) {
  const std::string bytes = "1\r\na\r\n0\r\n\r\nGET / HTTP/1.1\r\n";
  EXPECT_EQ(read(bytes, bytes.size()).consumed, 11U);
}

}  // namespace
}  // namespace fairway::http
