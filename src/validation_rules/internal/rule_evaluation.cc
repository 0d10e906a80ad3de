// SPDX-License-Identifier: Apache-2.0

#include "validation_rules/internal/rule_evaluation.h"

#include <array>
#include <string_view>

#include "base/quoted_text.h"
#include "k8s/status.h"
#include "schema/schema.h"
#include "validation_rules/internal/keyed_items.h"
#include "validation_rules/rule_text.h"

namespace fairway::validation_rules {

namespace {

using schema::Violation;

/// Returns whether a value equals the one that it replaces. The items of a list that is a map may have
/// changed places. As in Kubernetes, a member without a schema makes objects unequal.
bool is_unchanged(const json::Value& now, const json::Value& old, const json::Object& schema) {
  if (now.is_array() && old.is_array()) {
    const json::Array &items = now.get_array(), &before = old.get_array();
    if (items.size() != before.size()) return false;
    const json::Object* item_schema = schema::item_schema(schema);
    const auto keys = schema::list_keys(schema);
    if (keys.empty() || item_schema == nullptr) return items == before;
    const KeyedItems old_items(before, keys);
    for (const json::Value& item : items) {
      const json::Value* same = old_items.find(item);
      if (same == nullptr || !is_unchanged(item, *same, *item_schema)) return false;
    }
    return true;
  }
  if (now.is_object() && old.is_object()) {
    const json::Object &members = now.get_object(), &before = old.get_object();
    if (members.size() != before.size()) return false;
    for (const auto& member : members) {
      const json::Value* same = before.if_contains(member.key());
      const json::Object* of_member = schema::member_schema(schema, member.key());
      if (same == nullptr || of_member == nullptr || !is_unchanged(member.value(), *same, *of_member))
        return false;
    }
    return true;
  }
  return now == old;
}

Violation invalid_type(std::string path, const RuleNode& node, std::string_view detail) {
  return schema::invalid(std::move(path), node.type_name, detail);
}

/// Returns whether messages show the value. They do not show lists and objects.
bool is_shown(const RuleNode& node) {
  return node.type_name != "object" && node.type_name != "array";
}

Violation failure(std::string path, const RuleNode& node, const json::Value& value, std::string_view reason,
                  std::string_view detail) {
  if (reason == k8s::cause::field_value_forbidden) return schema::forbidden(std::move(path), detail);
  if (reason == k8s::cause::field_value_required) return schema::required(std::move(path), detail);
  if (reason == k8s::cause::field_value_duplicate) {
    if (is_shown(node)) return schema::duplicate(std::move(path), value);
    return {std::move(path), k8s::cause::field_value_duplicate, "Duplicate value"};
  }
  if (is_shown(node)) return schema::invalid(std::move(path), value, detail);
  return {std::move(path), k8s::cause::field_value_invalid, "Invalid value: " + std::string(detail)};
}

constexpr std::string_view cancelled = "operation cancelled";

}  // namespace

/// The place of a value. It becomes text only for a problem.
struct RuleEvaluation::Place {
  const Place* parent = nullptr;
  enum class Kind { root, member, key, item } kind = Kind::root;
  std::string_view name;
  std::size_t index = 0;
};

/// The value that a value replaces, as far as it can be found.
struct RuleEvaluation::Correlation {
  struct Pair {
    const json::Value *now = nullptr, *old = nullptr;
    const json::Object* schema = nullptr;
    explicit operator bool() const { return old != nullptr; }
    bool is_unchanged() const {
      return old != nullptr && validation_rules::is_unchanged(*now, *old, *schema);
    }
  };
  Pair current, nearest;

  /// Returns whether a problem here existed before.
  bool is_unchanged() const { return current ? current.is_unchanged() : nearest.is_unchanged(); }

  Correlation member(std::string_view name) const {
    if (!current) return *this;
    // Both are of one version and kind by now.
    if (!nearest && (name == "apiVersion" || name == "kind")) return {};
    Correlation next{.current = {}, .nearest = current};
    if (!current.now->is_object() || !current.old->is_object()) return next;
    const json::Object* schema = schema::member_schema(*current.schema, name);
    const json::Value *now = current.now->get_object().if_contains(name),
                      *old = current.old->get_object().if_contains(name);
    if (schema != nullptr && now != nullptr && old != nullptr) next.current = {now, old, schema};
    return next;
  }
  /// Returns the correlation of an item. `old`: the item with the same keys, or nullptr.
  Correlation item(const json::Value& now, const json::Value* old) const {
    if (!current) return *this;
    Correlation next{.current = {}, .nearest = current};
    const json::Object* schema = schema::item_schema(*current.schema);
    if (schema != nullptr && old != nullptr) next.current = {&now, old, schema};
    return next;
  }
};

std::string RuleEvaluation::text(const Place& place) const {
  if (place.parent == nullptr) return prefix_;
  std::string path = text(*place.parent);
  if (place.kind == Place::Kind::member) {
    if (!path.empty()) path += '.';
    path += place.name;
  } else {
    path += '[';
    path += place.kind == Place::Kind::key ? std::string(place.name) : std::to_string(place.index);
    path += ']';
  }
  return path;
}

void RuleEvaluation::validate(const RuleNode& node, const json::Value& value, const json::Value* old,
                              bool tolerates_unchanged) {
  Correlation correlation;
  if (tolerates_unchanged && old != nullptr) correlation.current = {&value, old, node.schema};
  visit(node, {}, value, old, correlation);
  for (Violation& problem : problems_) {
    if (problem.path.empty()) problem.path = "<nil>";
  }
}

bool RuleEvaluation::visit(const RuleNode& node, const Place& place, const json::Value& value,
                           const json::Value* old, const Correlation& correlation) {
  // A rule about null belongs to the schema around it.
  if (value.is_null()) return true;
  if (old != nullptr && old->is_null()) old = nullptr;
  if (!evaluate_all(node, place, value, old, correlation)) return false;
  for (const auto& branch : node.all_of) {
    // As in the validation by schema, what branches say is tolerated only where all around it is unchanged.
    if (!visit(*branch, place, value, old, {.current = {}, .nearest = correlation.nearest})) return false;
  }
  if (value.is_array()) return visit_items(node, place, value.get_array(), old, correlation);
  if (value.is_object()) return visit_members(node, place, value.get_object(), old, correlation);
  return true;
}

bool RuleEvaluation::visit_items(const RuleNode& node, const Place& place, const json::Array& array,
                                 const json::Value* old, const Correlation& correlation) {
  if (node.items == nullptr) return true;
  static const json::Array nothing;
  // Only lists that are maps tell which item replaces which.
  const KeyedItems before(old != nullptr && old->is_array() ? old->get_array() : nothing,
                          schema::list_keys(*node.schema));
  for (std::size_t i = 0; i < array.size(); ++i) {
    const json::Value* same = before.find(array[i]);
    const Place at{.parent = &place, .kind = Place::Kind::item, .name = {}, .index = i};
    if (!visit(*node.items, at, array[i], same, correlation.item(array[i], same))) return false;
  }
  return true;
}

bool RuleEvaluation::visit_members(const RuleNode& node, const Place& place, const json::Object& object,
                                   const json::Value* old, const Correlation& correlation) {
  const json::Object* before = old == nullptr ? nullptr : old->if_object();
  const auto visit_member = [&](const RuleNode& rules, Place::Kind kind, const auto& member) {
    const std::string_view name = member.key();
    const Place at{.parent = &place, .kind = kind, .name = name, .index = 0};
    const json::Value* same = before == nullptr ? nullptr : before->if_contains(name);
    return visit(rules, at, member.value(), same, correlation.member(name));
  };
  if (node.values != nullptr) {
    for (const auto& member : object) {
      if (!visit_member(*node.values, Place::Kind::key, member)) return false;
    }
  }
  if (node.properties.empty()) return true;
  for (const auto& member : object) {
    const auto rules = node.properties.find(std::string_view(member.key()));
    if (rules == node.properties.end()) continue;
    if (!visit_member(*rules->second, Place::Kind::member, member)) return false;
  }
  return true;
}

bool RuleEvaluation::out_of_budget(const RuleNode& node, const Place& place) {
  problems_.push_back(invalid_type(
      text(place), node,
      "validation failed due to running out of cost budget, no further validation rules will be run"));
  return false;
}

bool RuleEvaluation::evaluate_all(const RuleNode& node, const Place& place, const json::Value& value,
                                  const json::Value* old, const Correlation& correlation) {
  if (node.rules.empty()) return true;
  if (budget_ <= 0) return out_of_budget(node, place);
  for (const RuleProgram& rule : node.rules) {
    if (!rule.error.empty()) {
      problems_.push_back(invalid_type(text(place), node, "rule compile error: " + rule.error));
      continue;
    }
    if (!rule.program) continue;
    // A rule about a change, and there is none.
    if (rule.uses_old_self && old == nullptr && !rule.has_optional_old_self) continue;
    if (!evaluate(node, rule, place, value, old, correlation)) return false;
  }
  return true;
}

bool RuleEvaluation::evaluate(const RuleNode& node, const RuleProgram& rule, const Place& place,
                              const json::Value& value, const json::Value* old,
                              const Correlation& correlation) {
  scratch_.reset();
  cel::Value old_self = cel::Value::null();
  if (rule.uses_old_self && old != nullptr) old_self = cel::Value::of_json(*old, *node.type, scratch_);
  const std::array<cel::Value, 2> variables = {
      cel::Value::of_json(value, *node.type, scratch_),
      rule.has_optional_old_self ? cel::Value::optional(old == nullptr ? nullptr : &old_self) : old_self};
  const cel::Outcome outcome = rule.program->evaluate(variables, scratch_);
  if (static_cast<std::int64_t>(outcome.cost) > budget_) return out_of_budget(node, place);
  budget_ -= static_cast<std::int64_t>(outcome.cost);
  if (outcome.value.is_true()) return true;
  if (!outcome.value.is(cel::ValueKind::error))
    return report(node, rule, place, value, variables, correlation);

  std::string why(outcome.value.error().message);
  // Of operators Kubernetes names nothing.
  if (why.starts_with("no such overload: _")) why = "no such overload";
  const bool is_over = outcome.cost_exceeded || why.starts_with(cancelled);
  std::string detail;
  if (is_over) {
    detail =
        "'" + why + "': no further validation rules will be run due to call cost exceeds limit for rule: ";
  } else if (why.starts_with("no such overload")) {
    detail = "'" + why +
             "': call arguments did not match a supported operator, function or macro signature for rule: ";
  } else {
    detail = why + " evaluating rule: ";
  }
  problems_.push_back(invalid_type(text(place), node, detail + rule.shown));
  return !is_over;
}

bool RuleEvaluation::report(const RuleNode& node, const RuleProgram& rule, const Place& place,
                            const json::Value& value, std::span<const cel::Value> variables,
                            const Correlation& correlation) {
  std::string path = text(place);
  if (!rule.field_path.empty()) path += (path.empty() ? "" : ".") + rule.field_path;
  const auto add = [&](Violation problem) {
    if (rule.uses_old_self || !correlation.is_unchanged()) problems_.push_back(std::move(problem));
  };
  std::string detail = rule.message.empty() ? "failed rule: " + rule.shown : rule.message;
  if (rule.message_program) {
    const cel::Outcome outcome = rule.message_program->evaluate(variables, scratch_);
    const bool is_text = outcome.value.is(cel::ValueKind::string);
    const bool is_over = outcome.cost_exceeded || (outcome.value.is(cel::ValueKind::error) &&
                                                   outcome.value.error().message.starts_with(cancelled));
    if (static_cast<std::int64_t>(outcome.cost) > budget_) {
      add(invalid_type(path, node,
                       "messageExpression evaluation failed due to running out of cost budget, no further "
                       "validation rules will be run"));
      return false;
    }
    if (is_over) {
      add(invalid_type(path, node,
                       "no further validation rules will be run due to call cost exceeds limit for "
                       "messageExpression: " +
                           quote(rule.message_expression)));
      return false;
    }
    budget_ -= static_cast<std::int64_t>(outcome.cost);
    constexpr std::size_t longest_message = 5 * 1024;
    const std::string_view made = is_text ? trimmed(outcome.value.text()) : std::string_view();
    // A text that is not a valid message is ignored, as if there were no expression.
    if (!made.empty() && made.size() <= longest_message && made.find('\n') == std::string_view::npos) {
      detail = made;
    }
  }
  add(failure(std::move(path), node, value, rule.reason, detail));
  return true;
}

}  // namespace fairway::validation_rules
