// SPDX-License-Identifier: Apache-2.0

// Lint: matchingRules that are valid, but do not mean what they should.
// The enhancement of docs/risks.md, section Cluster-condition type registry.
#include "graphdata/internal/lint/context.h"

namespace fairway::graphdata {

namespace {

void check_spelling(LintContext& context, const std::string& file, const yaml::Node& mapping) {
  const yaml::Entry* entry = find_entry(mapping, "PromQL");
  if (entry == nullptr) return;
  context.add("promql-spelling", place_at(file, entry->key.mark), "PromQL",
              "Fairway reads this and writes promql, but older services and clusters know promql only",
              "write promql");
}

void check_promql(LintContext& context, const std::string& file, const yaml::Node& rule) {
  check_spelling(context, file, rule);
  const yaml::Node* outer = find_promql(rule);
  if (outer == nullptr) {
    context.add(
        "promql-missing", place_at(file, rule.find("type")->mark), "PromQL",
        "this rule has no query: it fails on every cluster, and the update is recommended to none by it",
        "write 'promql:' and below it, indented, 'promql: QUERY'");
    return;
  }
  check_spelling(context, file, *outer);
  const yaml::Node* query = find_promql(*outer);
  if (query != nullptr && query->scalar.find_first_not_of(" \t\r\n") == std::string::npos) {
    context.add("promql-missing", place_at(file, query->mark), "",
                "the query is empty: it fails on every cluster",
                "write a query that gives 1 where the risk matters and 0 where it does not");
  }
}

void check_rules(LintContext& context, const BlockedEdgeFile& file, const yaml::Node& rules) {
  const yaml::Node* decides = nullptr;
  for (const yaml::Node& rule : rules.items) {
    const yaml::Node* type = rule.find("type");
    if (type == nullptr || !type->is_scalar()) continue;
    if (decides != nullptr) {
      context.add("rule-unreachable", place_at(file.file, rule.mark), type->scalar,
                  "the rule on line " + std::to_string(decides->mark.line) +
                      " always decides: this one is never looked at",
                  "put the rule of type Always last, or remove one");
    }
    if (type->scalar == "PromQL") {
      check_promql(context, file.file, rule);
    } else if (type->scalar == "Always") {
      decides = &rule;
      for (const yaml::Entry& entry : rule.entries) {
        if (!entry.key.is_scalar() || entry.key.scalar == "type") continue;
        context.add("rule-properties", place_at(file.file, entry.key.mark), entry.key.scalar,
                    "a rule of type Always has no further properties", "remove it, or fix the type");
      }
    } else {
      context.add(
          "rule-type", place_at(file.file, type->mark), type->scalar,
          "no such type is known: consumers pass the rule over, and where no other decides, nobody is "
          "recommended the update",
          "write Always or PromQL");
    }
  }
}

}  // namespace

const yaml::Node* find_promql(const yaml::Node& mapping) {
  const yaml::Node* lower = mapping.find("promql");
  return lower != nullptr ? lower : mapping.find("PromQL");
}

void lint_matching_rules(LintContext& context) {
  for (const BlockedEdgeFile& file : context.blocked_edges) {
    const yaml::Node* mapping = file.mapping();
    if (mapping == nullptr) continue;
    const yaml::Entry* rules = find_entry(*mapping, "matchingRules");
    if (rules != nullptr) check_rules(context, file, rules->value);
    const bool has_rules = rules != nullptr && !rules->value.items.empty();
    if (!has_rules && file.faults.empty() && file.block.effect == graph::Block::Effect::conditional) {
      context.add(
          "always-implied",
          rules == nullptr ? place_at(file.file, mapping->mark) : place_of_value(file.file, *rules), "",
          "there are no matchingRules: the risk concerns every cluster, but today's service ignores or "
          "misreads such a file",
          "write 'matchingRules:' and below it '- type: Always'");
    }
  }
}

}  // namespace fairway::graphdata
