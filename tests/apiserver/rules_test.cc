// SPDX-License-Identifier: Apache-2.0

// x-kubernetes-validations, beside the answers of a real kube-apiserver (scripts/k8s/record-rules.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apiserver/internal/definitions/custom_schema.h"
#include "apiserver/internal/definitions/rule_check.h"
#include "apiserver/internal/definitions/rule_set.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "schema/structural.h"

namespace fairway::apiserver::definitions {
namespace {

constexpr std::string_view version_path = "spec.validation.openAPIV3Schema";

std::vector<json::Value> recorded() {
  std::vector<json::Value> cases;
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/rules.jsonl").value();
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) cases.push_back(json::parse(line).value());
  }
  return cases;
}

/// Returns an error without the parser's own words, which differ for faults of syntax and the place of an
/// operator's fault.
std::string without_parser_words(std::string text) {
  for (const char* own : {"Syntax error", "unexpected ", "found no matching overload"}) {
    if (text.find(own) != std::string::npos) text.resize(text.find("ERROR: <input>"));
  }
  return text;
}

/// Returns the expected causes, sorted: Kubernetes reports the members of an object in any order.
std::vector<std::string> expected_of(const json::Value& answer) {
  std::vector<std::string> texts;
  if (const json::Value* causes = json::find(answer, "causes")) {
    for (const json::Value& cause : causes->get_array()) {
      texts.push_back(std::string(json::find_string(cause, "reason").value_or("")) + " " +
                      std::string(json::find_string(cause, "field").value_or("")) + ": " +
                      without_parser_words(std::string(json::find_string(cause, "message").value_or(""))));
    }
  }
  std::ranges::sort(texts);
  return texts;
}

std::vector<std::string> texts_of(const schema::Violations& problems) {
  std::vector<std::string> texts;
  for (const schema::Violation& problem : problems) {
    texts.push_back(std::string(problem.cause) + " " + without_parser_words(problem.to_string()));
  }
  std::ranges::sort(texts);
  return texts;
}

TEST(Rules, OfDefinitionsAreCheckedAsByTheRealServer) {
  int compared = 0;
  for (const json::Value& one : recorded()) {
    SCOPED_TRACE(json::find_string(one, "case").value_or(""));
    const json::Object& schema = one.at("schema").get_object();
    schema::Violations problems = schema::check_definition_schema(schema, version_path);
    if (problems.empty()) problems = check_rules(schema, std::string(version_path));
    EXPECT_EQ(texts_of(problems), expected_of(one.at("definition")));
    ++compared;
  }
  EXPECT_GE(compared, 60);
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

json::Object parsed(std::string_view text) {
  return json::parse(text).value().get_object();
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

TEST(Rules, OfBranchesHoldForTheValueItself) {
  const auto rules = RuleSet::compile(parsed("{}"));
  EXPECT_EQ(rules, nullptr);
  const json::Object schema = parsed(R"({"type":"object","properties":{"a":{"type":"string"}},
                 "allOf":[{"x-kubernetes-validations":[{"rule":"self.a == 'x'"}]},
                          {"properties":{"a":{"x-kubernetes-validations":[{"rule":"self != 'y'"}]}}}]})");
  const auto branches = RuleSet::compile(schema);
  ASSERT_NE(branches, nullptr);
  EXPECT_EQ(
      texts_of(branches->validate(json::parse(R"({"a":"y"})").value(), nullptr)),
      (std::vector<std::string>{"FieldValueInvalid <nil>: Invalid value: failed rule: self.a == 'x'",
                                "FieldValueInvalid a: Invalid value: \"y\": failed rule: self != 'y'"}));
}

TEST(Rules, SayWhatTheirMessageExpressionMakes) {
  const json::Object schema = parsed(R"json({"type":"object","properties":{"a":{"type":"string"}},
      "x-kubernetes-validations":[
        {"rule":"self.a == 'x'","message":"m","messageExpression":"' it is ' + self.a"},
        {"rule":"self.a == 'x'","message":"m","messageExpression":"self.a == 'y' ? '' : 'two\\nlines'"},
        {"rule":"self.a == 'x'","message":"m","messageExpression":"string(1 / (size(self.a) - 1))"}]})json");
  const auto rules = RuleSet::compile(schema);
  ASSERT_NE(rules, nullptr);
  EXPECT_EQ(texts_of(rules->validate(json::parse(R"({"a":"y"})").value(), nullptr)),
            (std::vector<std::string>{"FieldValueInvalid <nil>: Invalid value: it is y",
                                      "FieldValueInvalid <nil>: Invalid value: m",
                                      "FieldValueInvalid <nil>: Invalid value: m"}));
}

TEST(Rules, OfOtherFormsThanTheirsAreNoCrash) {
  for (const char* text :
       {R"({"x-kubernetes-validations":1})", R"({"type":"object","x-kubernetes-validations":[1,null,{}]})",
        R"({"type":"array","items":[],"x-kubernetes-validations":[{"rule":"self == 1"}]})",
        R"({"type":"object","properties":{"a":1,"b":{"type":"array"}},
            "x-kubernetes-validations":[{"rule":"self.a"},{"rule":[],"fieldPath":"['"},{"fieldPath":".['a"}]})"}) {
    const json::Object schema = parsed(text);
    static_cast<void>(check_rules(schema, "x"));
    if (const auto rules = RuleSet::compile(schema)) {
      static_cast<void>(rules->validate(json::parse(R"({"a":1,"b":[1]})").value(), nullptr));
    }
  }
}

}  // namespace
}  // namespace fairway::apiserver::definitions
