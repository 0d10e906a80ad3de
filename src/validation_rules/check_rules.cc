// SPDX-License-Identifier: Apache-2.0

#include "validation_rules/check_rules.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/cost/estimate.h"
#include "k8s/status.h"
#include "k8s/view.h"
#include "validation_rules/internal/rule_program.h"
#include "validation_rules/internal/rule_types.h"
#include "validation_rules/rule_set.h"
#include "validation_rules/rule_text.h"

namespace fairway::validation_rules {

namespace {

using schema::Violations;

constexpr std::uint64_t no_bound = std::numeric_limits<std::uint64_t>::max();

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  if (a == 0 || b == 0) return 0;
  return no_bound / a < b ? no_bound : a * b;
}

/// Returns a value as Go's encoding/json writes it: characters that matter in HTML are escaped.
std::string go_text(const json::Value& value) {
  std::string text;
  for (const char c : json::to_text(value)) {
    if (c == '<') {
      text += "\\u003c";
    } else if (c == '>') {
      text += "\\u003e";
    } else if (c == '&') {
      text += "\\u0026";
    } else {
      text += c;
    }
  }
  return text;
}

/// Returns a rule as messages show it: in Kubernetes's own form, not that of the API.
std::string shown(const k8s::View& rule) {
  const auto reason = rule.find_text("reason");
  const auto optional = rule.find_flag("optionalOldSelf");
  return go_text(json::Object{{"Rule", rule.text("rule")},
                              {"Message", rule.text("message")},
                              {"MessageExpression", rule.text("messageExpression")},
                              {"Reason", reason ? json::Value(*reason) : json::Value(nullptr)},
                              {"FieldPath", rule.text("fieldPath")},
                              {"OptionalOldSelf", optional ? json::Value(*optional) : json::Value(nullptr)}});
}

/// The place of a schema, and the facts that follow from it for its rules.
struct Level {
  std::string path;
  /// Number of values of this schema that an object can have; none: without bound.
  std::optional<std::uint64_t> times = 1;
  /// The list whose items cannot be compared with their former state; empty: all can.
  std::string uncorrelated;

  Level below(std::string_view step, std::optional<std::uint64_t> factor) const {
    Level next = *this;
    next.path += step;
    next.times = times && factor ? std::optional(product(*times, *factor)) : std::nullopt;
    return next;
  }
};

std::optional<std::uint64_t> limit_of(const k8s::View& schema, std::string_view keyword) {
  const auto limit = schema.find_integer(keyword);
  if (!limit) return std::nullopt;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(*limit, 0));
}

class RuleCheck {
 public:
  explicit RuleCheck(const json::Object& root) : types_(root) {}

  /// Checks the paths alone, before everything else: after a problem, expressions are not checked.
  void check_paths(const json::Object& schema, const std::string& path);
  void check(const json::Object& schema, const Level& level);
  void check_total(const std::string& path);
  bool is_clean() const { return problems_.empty(); }
  Violations take() { return std::move(problems_); }

 private:
  void check_own(const json::Object& schema, const json::Array& rules, const Level& level);
  void check_rule(const RuleProgram& program, const k8s::View& rule, const DeclaredType& type,
                  const Level& level, const std::string& path);
  void count(const std::string& path, std::uint64_t cost);

  template <class Visit>
  static void for_each_part(const json::Object& schema, const Visit& visit) {
    const json::Value* items = schema.if_contains("items");
    const json::Value* values = schema.if_contains("additionalProperties");
    const json::Value* properties = schema.if_contains("properties");
    if (values != nullptr && values->is_object()) visit(values->get_object(), ".additionalProperties");
    if (properties != nullptr && properties->is_object()) {
      for (const auto& property : properties->get_object()) {
        if (!property.value().is_object()) continue;
        visit(property.value().get_object(), ".properties[" + std::string(property.key()) + "]");
      }
    }
    if (items != nullptr && items->is_object()) visit(items->get_object(), ".items");
  }

  RuleTypes types_;
  Violations problems_;
  std::uint64_t total_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> most_expensive_;
};

const json::Array* rules_of(const json::Object& schema) {
  const json::Value* rules = schema.if_contains("x-kubernetes-validations");
  return rules == nullptr || !rules->is_array() || rules->get_array().empty() ? nullptr : &rules->get_array();
}

std::string rule_path(const std::string& path, std::size_t index) {
  return path + ".x-kubernetes-validations[" + std::to_string(index) + "]";
}

void RuleCheck::check_paths(const json::Object& schema, const std::string& path) {
  for_each_part(schema,
                [&](const json::Object& part, const std::string& step) { check_paths(part, path + step); });
  const json::Array* rules = rules_of(schema);
  for (std::size_t i = 0; rules != nullptr && i < rules->size(); ++i) {
    const auto field_path = json::find_string((*rules)[i], "fieldPath");
    if (!field_path || field_path->empty() || read_field_path(*field_path, schema)) continue;
    problems_.push_back(
        schema::invalid(rule_path(path, i) + ".fieldPath", *field_path, "must be a valid path"));
  }
}

void RuleCheck::check(const json::Object& schema, const Level& level) {
  const k8s::View view(schema);
  const std::string_view type = view.text("type");
  std::optional<std::uint64_t> factor = 1;
  if (type == "array") factor = limit_of(view, "maxItems");
  if (type == "object" && view.has("additionalProperties")) factor = limit_of(view, "maxProperties");
  for_each_part(schema, [&](const json::Object& part, const std::string& step) {
    Level next = level.below(step, factor);
    if (step == ".items" && view.text("x-kubernetes-list-type") != "map" && next.uncorrelated.empty()) {
      next.uncorrelated = level.path;
    }
    check(part, next);
  });
  if (const json::Array* rules = rules_of(schema)) check_own(schema, *rules, level);
}

void RuleCheck::check_own(const json::Object& schema, const json::Array& rules, const Level& level) {
  const DeclaredType* type = types_.find(schema);
  if (type == nullptr) {
    problems_.push_back({level.path + ".x-kubernetes-validations", "InternalError",
                         "Internal error: internal error: failed to construct type information for "
                         "x-kubernetes-validations rules: unable to convert structural schema to CEL "
                         "declarations"});
    return;
  }
  const std::vector<RuleProgram> programs = compile_rules(schema, rules, *type);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (!rules[i].is_object()) continue;
    check_rule(programs[i], k8s::View(rules[i].get_object()), *type, level, rule_path(level.path, i));
  }
}

void RuleCheck::check_rule(const RuleProgram& program, const k8s::View& rule, const DeclaredType& type,
                           const Level& level, const std::string& path) {
  const std::string of_rule = path + ".rule", of_message = path + ".messageExpression";
  const auto largest_times = static_cast<std::uint64_t>(largest_request / (type.min_bytes + 1));
  const std::uint64_t cost = product(program.max_cost, level.times.value_or(largest_times));
  if (cost > cel::expression_cost_limit) {
    problems_.push_back(
        schema::forbidden(of_rule, cost_text("estimated rule cost", cost, cel::expression_cost_limit)));
  }
  count(of_rule, cost);
  const auto refuse = [&](const std::string& at, const std::string& detail) {
    problems_.push_back(
        {at, k8s::cause::field_value_invalid, "Invalid value: " + shown(rule) + ": " + detail});
  };
  if (!program.error.empty()) refuse(of_rule, program.error);
  if (!program.message_error.empty()) {
    refuse(of_message, program.message_error);
  } else if (program.message_program) {
    if (program.max_message_cost > cel::expression_cost_limit) {
      problems_.push_back(
          schema::forbidden(of_message, cost_text("estimated messageExpression cost",
                                                  program.max_message_cost, cel::expression_cost_limit)));
    }
    count(of_message, program.max_message_cost);
  }
  if (program.uses_old_self && !level.uncorrelated.empty()) {
    problems_.push_back(schema::invalid(
        of_rule, rule.text("rule"),
        "oldSelf cannot be used on the uncorrelatable portion of the schema within " + level.uncorrelated));
  } else if (const auto optional = rule.find_flag("optionalOldSelf"); optional && !program.uses_old_self) {
    problems_.push_back(schema::invalid(path + ".optionalOldSelf", *optional,
                                        "may not be set if oldSelf is not used in rule"));
  }
}

void RuleCheck::count(const std::string& path, std::uint64_t cost) {
  total_ = no_bound - total_ < cost ? no_bound : total_ + cost;
  if (cost >= cel::crd_cost_limit / 100) most_expensive_.emplace_back(cost, path);
}

void RuleCheck::check_total(const std::string& path) {
  if (total_ <= cel::crd_cost_limit) return;
  std::ranges::stable_sort(most_expensive_, std::ranges::greater{},
                           &std::pair<std::uint64_t, std::string>::first);
  constexpr std::size_t named = 4;
  for (std::size_t i = 0; i < std::min(named, most_expensive_.size()); ++i) {
    problems_.push_back(schema::forbidden(
        most_expensive_[i].second,
        "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"));
  }
  problems_.push_back(schema::forbidden(
      path, cost_text("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
                      total_, cel::crd_cost_limit)));
}

}  // namespace

Violations check_rules(const json::Object& schema, const std::string& path) {
  RuleCheck check(schema);
  check.check_paths(schema, path);
  if (!check.is_clean()) return check.take();
  check.check(schema, {.path = path});
  check.check_total(path);
  if (!check.is_clean()) return check.take();
  const auto rules = RuleSet::compile(schema);
  return rules == nullptr ? Violations() : rules->check_defaults(path);
}

}  // namespace fairway::validation_rules
