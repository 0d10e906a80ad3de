// SPDX-License-Identifier: Apache-2.0

#include "http/message.h"

#include <gtest/gtest.h>

#include <array>

namespace fairway::http {
namespace {

TEST(Headers, CompareNamesWithoutCase) {
  Headers headers{{"Content-Type", "a"}, {"X", "1"}, {"x", "2"}};
  EXPECT_EQ(headers.find("content-type"), "a");
  EXPECT_FALSE(headers.find("other"));
  EXPECT_EQ(headers.find_all("X").size(), 2U);
  headers.set("X", "3");
  EXPECT_EQ(headers.find_all("x").size(), 1U);
  EXPECT_EQ(headers.find("x"), "3");
  headers.remove("CONTENT-TYPE");
  EXPECT_FALSE(headers.find("Content-Type"));
}

TEST(Request, JoinsRepeatedHeadersAndFindsTheFirst) {
  const std::array fields{Field{"Accept", "a"}, Field{"Host", "h"}, Field{"accept", "b"}};
  Request request;
  request.fields = fields;
  EXPECT_EQ(request.header("ACCEPT"), "a");
  EXPECT_EQ(request.headers_joined("accept"), "a, b");
  EXPECT_EQ(request.headers_joined("none"), "");
}

TEST(Prepared, WritesTheHeadOnceWithContentLength) {
  const auto prepared = Prepared::make(200, {{"Content-Type", "text/plain"}}, make_bytes("hello"));
  EXPECT_EQ(prepared->head(), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n");
  EXPECT_EQ(*prepared->body(), "hello");
}

TEST(Prepared, HasNoContentLengthForStatusesWithoutABody) {
  const auto prepared = Prepared::make(304, {{"ETag", "\"x\""}}, make_bytes("ignored"));
  EXPECT_EQ(prepared->head(), "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n");
  EXPECT_FALSE(prepared->body());
}

TEST(Prepared, LetsNoValueAddALine) {
  const auto prepared = Prepared::make(200, {{"X", "a\r\nEvil: 1"}}, nullptr);
  EXPECT_EQ(prepared->head(), "HTTP/1.1 200 OK\r\nX: a  Evil: 1\r\nContent-Length: 0\r\n");
}

}  // namespace
}  // namespace fairway::http
