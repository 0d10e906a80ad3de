// SPDX-License-Identifier: Apache-2.0

// Field paths in text form.
#include "schema/field_path.h"

#include <gtest/gtest.h>

#include <string>

namespace fairway::schema {
namespace {

TEST(FieldPath, IsReadAndWritten) {
  for (const std::string text :
       {"spec", "spec.mode", "spec.ports[0]", "spec.ports[name=\"a\"].protocol", "spec[\"a.b\"].c", "[\"\"]",
        "spec.l[port=80,protocol=\"TCP\"]", "spec.l[on=true][2].x", "a[n=\"]\\\"=,\"].b", "a[n=-1.5]"}) {
    const auto path = FieldPath::parse(text);
    ASSERT_TRUE(path) << text << ": " << path.error().message;
    EXPECT_EQ(path->to_string(), text);
  }
  for (const std::string text : {"", ".", "a.", "a..b", "a[", "a[]", "a[0", "a[x]", "a[x=]", "a[x={}]",
                                 "a[x=null]", "a[\"b]", "a[0]b", "a[x=\"", "a[x=\"\\", "a b", "a.[0]"}) {
    const auto path = FieldPath::parse(text);
    ASSERT_FALSE(path) << text;
    EXPECT_NE(path.error().message.find("column"), std::string::npos) << path.error().message;
  }
}

}  // namespace
}  // namespace fairway::schema
