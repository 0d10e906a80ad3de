// SPDX-License-Identifier: Apache-2.0

#include "http/url.h"

#include <gtest/gtest.h>

#include "http/table.h"

namespace fairway::http {
namespace {

TEST(Url, ParsesAsTheTableSays) {
  for (const TableRow& row : read_table("url.tsv")) {
    const auto url = Url::parse(row.at(0));
    if (row.at(1) == "error") {
      ASSERT_FALSE(url) << "url.tsv:" << row.line << ": " << url->to_string();
      EXPECT_EQ(url.error().code, ErrorCode::invalid) << "url.tsv:" << row.line;
      continue;
    }
    ASSERT_TRUE(url) << "url.tsv:" << row.line << ": " << url.error().message;
    EXPECT_EQ(url->scheme, row.at(1)) << "url.tsv:" << row.line;
    EXPECT_EQ(url->host, row.at(2)) << "url.tsv:" << row.line;
    EXPECT_EQ(std::to_string(url->port), row.at(3)) << "url.tsv:" << row.line;
    EXPECT_EQ(url->target(), row.at(4)) << "url.tsv:" << row.line;
    EXPECT_EQ(url->to_string(), row.at(5)) << "url.tsv:" << row.line;
  }
}

TEST(Url, DecodesUserinfoAndKeepsThePasswordOutOfItsText) {
  const auto url = Url::parse("https://u%40x:p%3Aq@a/p");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->userinfo, "u@x:p:q");
  EXPECT_EQ(url->to_string().find("p%3Aq"), std::string::npos);
}

TEST(Url, WritesTheHostHeaderWithBracketsAndPort) {
  EXPECT_EQ(Url::parse("http://[::1]:8080/")->authority(), "[::1]:8080");
  EXPECT_EQ(Url::parse("https://a:443/")->authority(), "a");
}

TEST(Url, ResolvesReferencesAsTheTableSays) {
  for (const TableRow& row : read_table("resolve.tsv")) {
    const auto base = Url::parse(row.at(0));
    ASSERT_TRUE(base);
    const auto url = resolve(*base, row.at(1));
    EXPECT_EQ(url ? url->to_string() : "error", row.at(2)) << "resolve.tsv:" << row.line;
  }
}

TEST(Url, CleansPathsAsTheTableSays) {
  for (const TableRow& row : read_table("clean_path.tsv")) {
    EXPECT_EQ(clean_path(row.at(0)), row.at(1)) << "clean_path.tsv:" << row.line;
  }
  EXPECT_EQ(clean_path(""), "/");
}

TEST(Query, SplitsAndDecodesAsTheTableSays) {
  for (const TableRow& row : read_table("query.tsv")) {
    const auto pairs = parse_query(row.at(0));
    ASSERT_EQ(pairs.size(), row.columns.size() - 1) << "query.tsv:" << row.line;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      EXPECT_EQ(pairs[i].first + "=" + pairs[i].second, row.at(i + 1)) << "query.tsv:" << row.line;
    }
  }
}

TEST(Percent, EncodesAllButUnreservedBytesAndDecodesThemAgain) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  const std::string encoded = percent_encode(all);
  EXPECT_EQ(percent_decode(encoded), all);
  EXPECT_EQ(percent_encode("aZ0-._~ /"), "aZ0-._~%20%2F");
  EXPECT_FALSE(percent_decode("%"));
  EXPECT_FALSE(percent_decode("%4"));
  EXPECT_FALSE(percent_decode("%4g"));
  EXPECT_EQ(percent_decode("a+b"), "a+b");
}

}  // namespace
}  // namespace fairway::http
