// SPDX-License-Identifier: Apache-2.0

// x-kubernetes-validations: their check, and what they say of values.
#include "validation_rules/rule_set.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "k8s/status.h"
#include "schema/structural.h"
#include "validation_rules/check_rules.h"
#include "validation_rules/recorded_rules.h"

namespace fairway::validation_rules {
namespace {

constexpr std::string_view version_path = "spec.validation.openAPIV3Schema";

json::Object parsed(std::string_view text) {
  return json::parse(text).value().get_object();
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

// The definitions of Gateway API v1.7 do so (kube-apiserver takes them since 1.31).
TEST(Rules, SelectAMemberThatIsAReservedWordAsItIs) {
  const json::Object schema = parsed(R"json({"type":"object","properties":{"namespace":{"type":"string"}},
      "x-kubernetes-validations":[{"rule":"has(self.namespace) && self.namespace == self.__namespace__ && self.namespace == 'a'"}]})json");
  EXPECT_EQ(texts_of(check_rules(schema, "x")), std::vector<std::string>{});
  const auto rules = RuleSet::compile(schema);
  ASSERT_NE(rules, nullptr);
  EXPECT_TRUE(rules->validate(json::parse(R"({"namespace":"a"})").value(), nullptr).empty());
  EXPECT_EQ(rules->validate(json::parse(R"({"namespace":"b"})").value(), nullptr).size(), 1U);
  EXPECT_EQ(rules->validate(json::parse("{}").value(), nullptr).size(), 1U);
  // Only as a reserved word is it another name of the member.
  const auto problems = check_rules(parsed(R"json({"type":"object","properties":{"__a__":{"type":"string"}},
      "x-kubernetes-validations":[{"rule":"has(self.a)"}]})json"),
                                    "x");
  EXPECT_EQ(problems.size(), 1U);
}

TEST(Rules, ThatCannotBeReadSayThatTheirSyntaxIsWrong) {
  const auto problems =
      check_rules(parsed(R"({"type":"integer","x-kubernetes-validations":[{"rule":"self = 42"}]})"), "x");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems.front().message.contains("compilation failed: ERROR: <input>:1:6: Syntax error: "))
      << problems.front().message;
}

TEST(Rules, ThatCanBeReadAndMayNotBeHaveARightSyntax) {
  for (const char* rule : {"has(self)", "9999999999999999999 == 1", "99999999999999999999u == 1u",
                           "package == 1", "[1].all(1, true)", "[1].exists(x.y, true)"}) {
    const auto problems = check_rules(
        parsed(R"({"type":"integer","x-kubernetes-validations":[{"rule":")" + std::string(rule) + R"("}]})"),
        "x");
    ASSERT_EQ(problems.size(), 1U) << rule;
    EXPECT_TRUE(problems.front().message.contains("compilation failed: ERROR: <input>:1:"))
        << problems.front().message;
    EXPECT_FALSE(problems.front().message.contains("Syntax error")) << problems.front().message;
  }
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

TEST(Rules, AreNotEvaluatedForWhatMayNotFitTheirTypes) {
  const schema::Violation wrong{.path = "b", .cause = k8s::cause::field_value_invalid};
  const schema::Violation no_number{.path = "a", .cause = k8s::cause::field_value_type_invalid};
  EXPECT_FALSE(blocks_rules({}));
  EXPECT_FALSE(blocks_rules({wrong}));
  EXPECT_TRUE(blocks_rules({wrong, no_number}));
}

}  // namespace
}  // namespace fairway::validation_rules
