// SPDX-License-Identifier: Apache-2.0

// Answers that are no update graph: they say nothing of the cluster's release, unlike a graph without it.
#include <gtest/gtest.h>

#include <string>

#include "operators/retrieval.h"

namespace fairway::operators {
namespace {

const Query query{.upstream = "https://updates.example.com/graph",
                  .architecture = "amd64",
                  .channel = "stable-4.6",
                  .version = "4.6.23"};

TEST(NoGraph, IsInvalid) {
  for (const std::string body :
       {"", "null", "{}", "[]", "7", "\"\"", R"({"error": "not here", "kind": "no_such_channel"})",
        R"({"nodes": null, "edges": null})", R"({"nodes": {}, "edges": []})", R"({"edges": []})",
        "<!doctype html><title>Sign in</title>"}) {
    const auto read = read_available_updates(body, query, query.upstream);
    ASSERT_FALSE(read) << body;
    EXPECT_EQ(read.error().reason, "ResponseInvalid") << body << ": " << read.error().message;
    EXPECT_TRUE(read.error().may_pass()) << body;
  }
}

TEST(NoGraph, IsNotAGraphWithoutTheRelease) {
  for (const std::string body : {R"({"nodes": [], "edges": []})", R"({"nodes": []})",
                                 R"({"nodes": [{"version": "4.6.24", "payload": "a"}], "edges": []})"}) {
    const auto read = read_available_updates(body, query, query.upstream);
    ASSERT_FALSE(read) << body;
    EXPECT_EQ(read.error().reason, "VersionNotFound") << body;
    EXPECT_FALSE(read.error().may_pass()) << body;
  }
}

}  // namespace
}  // namespace fairway::operators
