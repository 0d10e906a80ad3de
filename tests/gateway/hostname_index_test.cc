// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/objects/hostname_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "gateway/internal/objects/hostname.h"

namespace fairway::gateway {
namespace {

const std::vector<std::string> hostnames = {
    "",    "example.com",    "*.example.com", "a.example.com", "*.a.example.com", "b.a.example.com", "*.com",
    "com", "badexample.com", "10.0.0.1",      "*.0.0.1",       "example.org",     "*.example.org"};

/// Returns the expected result of `first`, by comparing each hostname with each.
std::optional<std::size_t> compared(const std::vector<std::string>& all, const std::string& asked,
                                    std::size_t except) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != except && intersection(asked, all[i])) return i;
  }
  return std::nullopt;
}

TEST(HostnameIndex, FindsWhatComparingEachWithEachFinds) {
  std::vector<std::string> all = hostnames;
  for (std::size_t turn = 0; turn < all.size(); ++turn) {
    std::ranges::rotate(all, all.begin() + 1);
    HostnameIndex index;
    for (const std::string& name : hostnames) index.expect(name);
    // Without the last ones, so that not everything meets "".
    const std::vector<std::string> some(all.begin(), all.begin() + 6);
    for (std::size_t i = 0; i < some.size(); ++i) index.add(some[i], i);
    for (const std::string& asked : hostnames) {
      for (std::size_t except = 0; except <= some.size(); ++except)
        EXPECT_EQ(index.first(asked, except), compared(some, asked, except)) << asked << " but " << except;
    }
  }
}

TEST(HostnameIndex, TheLeastOwnerIsFoundWhateverTheOrder) {
  HostnameIndex index;
  for (const std::size_t owner : {5, 2, 9, 2, 1}) index.add("a.example", owner);
  EXPECT_EQ(index.first("a.example"), 1U);
  EXPECT_EQ(index.first("a.example", 1), 2U);
  EXPECT_EQ(index.first("a.example", 2), 1U);
  EXPECT_EQ(index.first("b.example"), std::nullopt);
}

}  // namespace
}  // namespace fairway::gateway
