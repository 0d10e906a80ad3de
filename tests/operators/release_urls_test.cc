// SPDX-License-Identifier: Apache-2.0

// URLs of releases: one that is none costs the release its URL, and nothing else.
#include <gtest/gtest.h>

#include <string>

#include "operators/retrieval.h"

namespace fairway::operators {
namespace {

AvailableUpdates answered(const std::string& current, const std::string& target) {
  const auto node = [](const char* version, const std::string& url) {
    return json::Object{{"version", version}, {"payload", version}, {"metadata", json::Object{{"url", url}}}};
  };
  Query query;
  query.channel = "stable-4.6";
  query.version = "4.6.23";
  const std::string body =
      json::to_text(json::Object{{"nodes", json::Array{node("4.6.23", current), node("4.6.24", target)}},
                                 {"edges", json::parse("[[0,1]]").value()}});
  return read_available_updates(body, query, "https://example.com").value();
}

TEST(ReleaseUrlsTest, AreThoseThatTodaysOperatorReads) {
  struct Row {
    const char* url;
    bool is_kept;
  };
  const Row rows[] = {{"https://example.com/a", true},
                      {"https://example.com/%20", true},
                      {"errata/1", true},
                      {"urn:example:a", true},
                      {"", true},
                      {"https://example.com/%zz", false},
                      {"https://exa mple.com/", false},
                      {"http://[::1", false},
                      {"ab:c\x01", false},
                      {":a", false},
                      {"https://example.com:port/", false}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.url);
    const AvailableUpdates both = answered(row.url, row.url);
    EXPECT_EQ(both.current.url, row.is_kept ? row.url : "");
    ASSERT_EQ(both.unconditional.size(), 1U);
    EXPECT_EQ(both.unconditional.front().url, row.is_kept ? row.url : "");
    EXPECT_EQ(both.problems.size(), row.is_kept ? 0U : 2U);
    if (row.is_kept) continue;
    EXPECT_TRUE(both.problems.back().contains("release 4.6.24: its URL is left out: parse "));
  }
}

}  // namespace
}  // namespace fairway::operators
