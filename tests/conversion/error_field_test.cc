// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/error_field.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway::conversion {
namespace {

TEST(ErrorField, IsFoundInWhateverTheErrorIsWithin) {
  struct Row {
    const char *message, *field;
  };
  for (const Row& row : std::vector<Row>{{"spec.size: too large", "spec.size"},
                                         {"request.objects[0]: Widget a: converting from v1 to v2, in the "
                                          "step from v1 to v2: spec.a[1].b: no",
                                          "spec.a[1].b"},
                                         {"Widget a: it is no object", ""},
                                         {"", ""}}) {
    EXPECT_EQ(field_in_error(row.message), row.field) << row.message;
  }
}

TEST(ErrorField, HasAValue) {
  const json::Value object = json::parse(R"({"spec":{"size":"huge","a":[{"b":1.5},[7]],"c":null}})").value();
  struct Row {
    const char *field, *value;
  };
  for (const Row& row : std::vector<Row>{{"spec.size", "\"huge\""},
                                         {"spec.a[0].b", "1.5"},
                                         {"spec.a[1][0]", "7"},
                                         {"spec.c", "null"},
                                         {"spec.d", "absent"},
                                         {"spec.d.e", "absent"},
                                         {"spec.size.e", "absent"},
                                         {"spec.a[9].b", "absent"},
                                         {"spec.size[0]", "absent"}}) {
    EXPECT_EQ(describe_value(object.get_object(), row.field), row.value) << row.field;
  }
  for (const char* path :
       {"", "spec.", ".spec", "spec.a[", "spec.a[x]", "spec.a[\"b\"]", "spec.a[0", "spec.a[0]b"})
    EXPECT_EQ(describe_value(object.get_object(), path), std::nullopt) << path;
}

}  // namespace
}  // namespace fairway::conversion
