// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/key_search.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway::conversion {
namespace {

TEST(KeySearch, FindsTheKeyThatListsCannotGetPast) {
  struct Row {
    const char* key;
    bool with_namespace;
  };
  const std::vector<Row> rows{{"default/bad", true},
                              {"a/b", true},
                              {"a-b/a.b-c", true},
                              {"a/-", true},
                              {"a/0", true},
                              {"z9/z", true},
                              {"zz/zzzzzzzz", true},
                              {"a/a.", true},
                              {"default/w-0000000000000000000000000000000000000000000000000000000001", true},
                              {"bad", false},
                              {"a", false},
                              {"z", false},
                              {"0", false},
                              {"widgets.example.com", false}};
  for (const Row& row : rows) {
    int calls = 0;
    const std::string key = row.key;
    const auto found =
        find_last_unread_key(row.with_namespace, [&](const std::string& after) -> Result<bool> {
          ++calls;
          // Kubernetes cleans the path that a token names, and refuses it if that changes it.
          EXPECT_EQ(after.find("//"), std::string::npos) << after;
          return after < key;
        });
    ASSERT_TRUE(found) << key << ": " << found.error().message;
    EXPECT_EQ(*found, key);
    EXPECT_LE(calls, 7 * static_cast<int>(key.size())) << key;
  }
}

TEST(KeySearch, EndsWhereTheListHasNoEnd) {
  const auto found = find_last_unread_key(true, [](const std::string&) -> Result<bool> { return true; });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::not_found);
  const auto failed = find_last_unread_key(
      true, [](const std::string&) -> Result<bool> { return fail(ErrorCode::unavailable, "no answer"); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no answer");
}

}  // namespace
}  // namespace fairway::conversion
