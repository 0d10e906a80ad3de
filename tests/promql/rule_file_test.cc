// SPDX-License-Identifier: Apache-2.0

// Files of rules: what is read of them, and what is wrong with them.
#include "promql/rules/rule_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway::promql {
namespace {

std::vector<std::string> problems_of(std::string_view text, Dialect dialect = Dialect::prometheus3) {
  std::vector<std::string> shown;
  for (const RuleProblem& problem : read_rule_file(text, dialect).problems) {
    shown.push_back(std::to_string(problem.mark.line) + ": " + problem.message);
  }
  return shown;
}

constexpr std::string_view rules = R"(groups:
- name: service
  interval: 1m
  labels: {team: web}
  rules:
  - record: job:up:sum
    expr: sum by (job) (up)
  - alert: Down
    expr: |
      up == 0
    for: 5m
    keep_firing_for: 0
    labels: {severity: 1}
    annotations: {summary: "{{ $labels.job }} is down"}
)";

TEST(RuleFile, HasRulesWithTheirPlaces) {
  const RuleFile file = read_rule_file(rules);
  EXPECT_TRUE(file.problems.empty()) << file.problems.front().message;
  ASSERT_EQ(file.rules.size(), 2U);
  EXPECT_EQ(file.rules[0].name, "job:up:sum");
  EXPECT_FALSE(file.rules[0].is_alert);
  EXPECT_EQ(file.rules[0].mark.line, 7);
  EXPECT_EQ(file.rules[1].name, "Down");
  EXPECT_TRUE(file.rules[1].is_alert);
  EXPECT_EQ(file.rules[1].query, "up == 0\n");
}

TEST(RuleFile, MayBeEmpty) {
  for (const char* text : {"", "groups:\n", "groups: []\n", "{}\n", "# nothing\n"}) {
    const RuleFile file = read_rule_file(text);
    EXPECT_TRUE(file.problems.empty()) << text;
    EXPECT_TRUE(file.rules.empty());
  }
}

TEST(RuleFile, MayBeObjectsOfTheOperatorOfPrometheus) {
  const RuleFile file = read_rule_file(R"(apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: a}
spec: {groups: [{name: g, rules: [{alert: A, expr: up}]}]}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
spec: {groups: [{name: g, rules: [{alert: B, expr: up}]}]}
)");
  EXPECT_TRUE(file.problems.empty()) << file.problems.front().message;
  ASSERT_EQ(file.rules.size(), 2U);
  EXPECT_EQ(file.rules[1].name, "B");
  EXPECT_EQ(read_rule_file("kind: List\nitems: [{kind: PrometheusRule, spec: {groups: [{name: g, rules: "
                           "[{alert: C, expr: up}]}]}}]\n")
                .rules.size(),
            1U);
  EXPECT_EQ(problems_of("kind: PrometheusRule\n"),
            std::vector<std::string>{"1: the PrometheusRule has no spec"});
}

TEST(RuleFile, SaysWhatIsWrong) {
  struct Case {
    const char* text;
    std::vector<std::string> problems;
  };
  const Case cases[] = {
      {"- a\n", {"1: a file of rules has to be a mapping"}},
      {"group: []\n", {"1: a file of rules has no field \"group\"; is groups meant?"}},
      {"groups: {}\n", {"1: groups has to be a list"}},
      {"groups: [a]\n", {"1: a group has to be a mapping"}},
      {"groups:\n- rules: []\n", {"2: the group has no name"}},
      {"groups:\n- name: a\n- name: a\n", {"3: the group \"a\" is there already"}},
      {"groups:\n- name: a\n  name: b\n", {"3: \"name\" is there already, in line 2"}},
      {"groups:\n- {name: a, interval: soon}\n",
       {"2: interval: \"soon\" is no duration, such as 5m or 1h30m"}},
      {"groups:\n- name: a\n  rules: {}\n", {"3: rules has to be a list"}},
      {"groups:\n- name: a\n  rules:\n  - {expr: up}\n", {"4: the rule has neither alert nor record"}},
      {"groups:\n- name: a\n  rules:\n  - {alert: A, record: b, expr: up}\n",
       {"4: the rule has both alert and record"}},
      {"groups:\n- name: a\n  rules:\n  - {alert: A}\n", {"4: the rule \"A\" has no expr"}},
      {"groups:\n- name: a\n  rules:\n  - {alert: A, expr: [up]}\n", {"4: expr has to be a text"}},
      {"groups:\n- name: a\n  rules:\n  - {alert: A, expr: up, fro: 5m}\n",
       {"4: a rule has no field \"fro\"; is for meant?"}},
      {"kind: Deployment\nspec: {}\n",
       {"1: an object of kind \"Deployment\" has no rules: those of PrometheusRule are read"}},
      {"kind: List\n", {"1: the List has no items"}},
      {"groups:\n- {name: a, limit: many}\n", {"2: limit has to be a whole number"}},
      {"groups:\n- {name: a, partial_response_strategy: warn}\n",
       {"2: a group has no field \"partial_response_strategy\""}},
      {"groups:\n- name: a\n  rules:\n  - {record: 'a{b}', expr: up}\n",
       {"4: record: \"a{b}\" has braces, which belong into expr"}},
      {"groups:\n- name: a\n  rules:\n  - {record: a, expr: up, for: 0s, keep_firing_for: 0, annotations: "
       "{}}\n",
       {}},
      {"groups:\n- name: a\n  rules:\n  - &r {alert: A, expr: up, for: 5m}\n  - {<<: *r, alert: B}\n", {}},
      {"groups:\n- name: a\n  rules:\n  - {record: a, expr: up, for: 5m}\n",
       {"4: the rule records \"a\": only an alert has for"}},
      {"groups:\n- name: a\n  rules:\n  - {alert: A, expr: up, labels: {__name__: x}}\n",
       {"4: labels: \"__name__\" cannot be the name of a label"}},
      {"groups:\n- name: a\n  rules:\n  - {alert: A, expr: up, labels: {a: [b]}}\n",
       {"4: labels.a has to be a text"}},
  };
  for (const Case& one : cases) EXPECT_EQ(problems_of(one.text), one.problems) << one.text;
  EXPECT_EQ(problems_of("groups: [\n").size(), 1U) << "no YAML";
}

TEST(RuleFile, HasNamesOfItsPrometheus) {
  const std::string text = "groups:\n- name: a\n  rules:\n  - {record: a.b, expr: up, labels: {c.d: e}}\n";
  EXPECT_TRUE(problems_of(text).empty());
  EXPECT_EQ(problems_of(text, Dialect::prometheus2),
            (std::vector<std::string>{"4: record: \"a.b\" cannot be the name of a metric",
                                      "4: labels: \"c.d\" cannot be the name of a label"}));
}

}  // namespace
}  // namespace fairway::promql
