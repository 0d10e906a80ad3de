// SPDX-License-Identifier: Apache-2.0

// Custom resources under x-kubernetes-validations, beside the answers of a real kube-apiserver
// (scripts/k8s/record-rules.py).
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/definitions/custom_schema.h"
#include "base/json.h"
#include "validation_rules/recorded_rules.h"

namespace fairway::apiserver::definitions {
namespace {

using validation_rules::expected_of;
using validation_rules::recorded;
using validation_rules::texts_of;

json::Object parsed(std::string_view text) {
  return json::parse(text).value().get_object();
}

TEST(Rules, JudgeObjectsAsInTheRealServer) {
  int compared = 0;
  for (const json::Value& one : recorded()) {
    SCOPED_TRACE(json::find_string(one, "case").value_or(""));
    const CustomSchema schema(one.at("schema").get_object());
    const auto completed = [&](const json::Value& of) {
      json::Object object = of.get_object();
      schema.prune(object);
      EXPECT_TRUE(schema.fill_in_defaults(object));
      return object;
    };
    for (const json::Value& creation : one.at("creations").get_array()) {
      EXPECT_EQ(texts_of(schema.validate(completed(creation.at("object")))),
                expected_of(creation.at("answer")))
          << json::to_text(creation.at("object"));
      ++compared;
    }
    for (const json::Value& update : one.at("updates").get_array()) {
      EXPECT_EQ(
          texts_of(schema.validate_update(completed(update.at("object")), completed(update.at("from")))),
          expected_of(update.at("answer")))
          << json::to_text(update.at("object"));
      ++compared;
    }
  }
  EXPECT_GE(compared, 60);
}

TEST(Rules, OfAllTogetherEndAtTheirBudget) {
  // Each item costs some hundred thousand: a budget for ten million lasts for some of them.
  const CustomSchema schema(parsed(R"json({"type":"object","properties":{"l":{"type":"array","items":{
      "type":"array","items":{"type":"integer"},
      "x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, x + y >= 0))"}]}}}})json"));
  json::Array numbers;
  for (int i = 0; i < 250; ++i) numbers.emplace_back(i);
  json::Array lists;
  for (int i = 0; i < 100; ++i) lists.emplace_back(numbers);
  const auto problems = schema.validate(json::Object{{"l", lists}});
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems.front().message.find("validation failed due to running out of cost budget"),
            std::string::npos)
      << problems.front().to_string();
}

TEST(Rules, OfTheStatusAreAskedWhenItIsWritten) {
  const CustomSchema schema(parsed(R"({"type":"object","properties":{
      "spec":{"type":"object","properties":{"size":{"type":"integer"}}},
      "status":{"type":"object","properties":{"size":{"type":"integer"}},
        "x-kubernetes-validations":[{"rule":"self.size < 5"}]}},
      "x-kubernetes-validations":[{"rule":"!has(self.status) || self.status.size <= self.spec.size"}]})"));
  const json::Object before = parsed(R"({"spec":{"size":3},"status":{"size":1}})");
  EXPECT_TRUE(
      schema.validate_status_update(parsed(R"({"spec":{"size":3},"status":{"size":3}})"), before).empty());
  EXPECT_EQ(
      texts_of(schema.validate_status_update(parsed(R"({"spec":{"size":3},"status":{"size":6}})"), before)),
      (std::vector<std::string>{
          "FieldValueInvalid <nil>: Invalid value: failed rule: !has(self.status) || self.status.size <= "
          "self.spec.size",
          "FieldValueInvalid status: Invalid value: failed rule: self.size < 5"}));
}

}  // namespace
}  // namespace fairway::apiserver::definitions
