// SPDX-License-Identifier: Apache-2.0

#include "k8s/equality.h"

#include <gtest/gtest.h>

namespace fairway::k8s {
namespace {

TEST(Equality, ComparesNumbersByValueAndObjectsByMembers) {
  const struct {
    const char *a, *b;
    bool equal, as_kept;
  } rows[] = {
      {"1", "1.0", true, true},
      {"9007199254740993", "9007199254740992.0", false, false},
      {"9007199254740993", "9007199254740993", true, true},
      {"18446744073709551615", "1.8446744073709552e19", false, false},
      {"18446744073709551615", "-1", false, false},
      {"9223372036854775808", "9.223372036854775808e18", true, true},
      {"-9223372036854775808", "-9.223372036854775808e18", true, true},
      {"1.5", "1", false, false},
      {"-1", "-1.0", true, true},
      {"1e300", "1", false, false},
      {"0", "-0.0", true, true},
      {"1", "\"1\"", false, false},
      {"0", "false", false, false},
      {"null", "0", false, false},
      {"null", "null", true, true},
      {R"({"a":1,"b":[2]})", R"({"b":[2.0],"a":1})", true, true},
      {R"({"a":1})", R"({"a":1,"b":null})", false, true},
      {R"({"a":{"b":null}})", R"({"a":{}})", false, true},
      {R"({"a":null})", R"({"b":null})", false, true},
      {R"({"a":{}})", R"({})", false, false},
      {R"([null])", R"([])", false, false},
      {R"([1,2])", R"([2,1])", false, false},
      {R"({"a":"x"})", R"({"a":"y"})", false, false},
  };
  for (const auto& row : rows) {
    const json::Value a = json::parse(row.a).value(), b = json::parse(row.b).value();
    EXPECT_EQ(equal(a, b), row.equal) << row.a << " " << row.b;
    EXPECT_EQ(equal(b, a), row.equal) << row.a << " " << row.b;
    EXPECT_EQ(equal_with_null_as_absent(a, b), row.as_kept) << row.a << " " << row.b;
    EXPECT_EQ(equal_with_null_as_absent(b, a), row.as_kept) << row.a << " " << row.b;
  }
}

}  // namespace
}  // namespace fairway::k8s
