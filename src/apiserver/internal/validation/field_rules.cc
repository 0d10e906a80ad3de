// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/field_rules.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/int_or_percent.h"
#include "apiserver/internal/validation/labels.h"
#include "apiserver/internal/validation/rule_table.h"

namespace fairway::apiserver::validation {

/// One field while its rules are applied.
struct Field {
  const Scope& scope;
  const FieldRules& line;
  /// True once one of the choices of the object is taken.
  bool& is_chosen;

  const json::Value* value() const { return scope.find(line.field); }
  std::string_view words(std::string_view otherwise) const {
    return line.words.empty() ? otherwise : line.words;
  }
};

namespace {

/// Applies the rules of a type, read already, to an object.
void check_lines(const std::vector<FieldRules>& lines, const Scope& scope) {
  bool is_chosen = false;
  for (const FieldRules& line : lines) {
    const Field field{scope, line, is_chosen};
    for (const Rule& rule : line.rules) {
      if (!rule.application(field, rule)) break;
    }
  }
}

std::int64_t number(std::string_view text) {
  std::int64_t made = 0;
  std::from_chars(text.data(), text.data() + text.size(), made);
  return made;
}

/// Returns whether Go takes a value for the zero one of its type. Most empty lists are absent already.
bool is_zero(const json::Value* value) {
  if (value == nullptr) return true;
  if (value->is_string()) return value->get_string().empty();
  if (value->is_array()) return value->get_array().empty();
  return value->is_int64() && value->get_int64() == 0;
}

bool apply_required(const Field& field, const Rule&) {
  const bool is_missing = is_zero(field.value());
  if (is_missing) field.scope.required(field.line.shown, field.words(""));
  return !is_missing;
}

bool apply_present(const Field& field, const Rule&) {
  const bool is_missing = field.value() == nullptr;
  if (is_missing) field.scope.required(field.line.shown, field.words(""));
  return !is_missing;
}

bool apply_forbidden(const Field& field, const Rule&) {
  if (field.value() != nullptr) field.scope.forbidden(field.line.shown, field.words(""));
  return true;
}

bool apply_filled(const Field& field, const Rule& rule) {
  const json::Value* value = field.value();
  return value == nullptr || (value->is_object() && value->get_object().empty()) ||
         apply_forbidden(field, rule);
}

bool apply_unset(const Field& field, const Rule&) {
  if (const json::Value* value = field.value())
    field.scope.invalid(field.line.shown, *value, field.words(""));
  return true;
}

bool apply_one_of(const Field& field, const Rule& rule) {
  if (!rule.always && field.value() == nullptr) return true;
  const std::string_view text = field.scope.text(field.line.field);
  if (text.empty() && rule.allows_empty) return true;
  if (std::ranges::find(rule.arguments, text) == rule.arguments.end())
    field.scope.not_supported(field.line.shown, json::Value(text), rule.arguments);
  return true;
}

bool apply_bounds(const Field& field, const Rule& rule, std::int64_t least, std::int64_t most,
                  std::string_view words) {
  const auto check = [&](const Path& path, std::int64_t value) {
    if (value >= least && value <= most) return;
    // Made for an error only: most values are right.
    const std::string range =
        "must be between " + std::to_string(least) + " and " + std::to_string(most) + ", inclusive";
    field.scope.errors().push_back(k8s::FieldError::invalid(path.text(), json::Value(value),
                                                            field.words(words.empty() ? range : words)));
  };
  const Path path = field.scope.path().child(field.line.shown);
  if (field.line.each_item) {
    std::size_t index = 0;
    for (const json::Value& item : field.scope.list(field.line.field)) {
      if (item.is_int64()) check(path.item(index), item.get_int64());
      ++index;
    }
    return true;
  }
  const auto value = field.scope.integer(field.line.field);
  if (value || rule.always) check(path, value.value_or(0));
  return true;
}

bool apply_range(const Field& field, const Rule& rule) {
  return apply_bounds(field, rule, number(rule.arguments[0]), number(rule.arguments[1]), "");
}

bool apply_port_number(const Field& field, const Rule& rule) {
  return apply_bounds(field, rule, 1, 65'535, "");
}

bool apply_mode(const Field& field, const Rule& rule) {
  return apply_bounds(field, rule, 0, 0777, "must be a number between 0 and 0777 (octal), both inclusive");
}

bool apply_not_negative(const Field& field, const Rule& rule) {
  return apply_bounds(field, rule, 0, std::numeric_limits<std::int64_t>::max(),
                      "must be greater than or equal to 0");
}

bool apply_positive(const Field& field, const Rule& rule) {
  return apply_bounds(field, rule, 1, std::numeric_limits<std::int64_t>::max(), "must be greater than zero");
}

bool apply_at_most_items(const Field& field, const Rule& rule) {
  const std::size_t count = field.scope.list(field.line.field).size();
  const auto most = static_cast<std::size_t>(number(rule.arguments.front()));
  if (count > most) field.scope.too_many(field.line.shown, count, most);
  return true;
}

bool apply_port(const Field& field, const Rule&) {
  const json::Value* value = field.value();
  if (value != nullptr && value->is_string()) {
    const std::string_view text = value->get_string();
    field.scope.faults(field.line.shown, text, check_port_name(text));
    return true;
  }
  const std::int64_t port = field.scope.integer(field.line.field).value_or(0);
  for (const std::string& fault : check_port_number(port))
    field.scope.invalid(field.line.shown, json::Value(port), fault);
  return true;
}

/// Returns the scope of the field's object: the member's, or the object itself for ".".
Scope scope_of(const Field& field) {
  return field.line.field == "." ? field.scope
                                 : field.scope.other(field.scope.object(field.line.field),
                                                     field.scope.path().child(field.line.shown));
}

bool apply_is(const Field& field, const Rule& rule) {
  if (rule.always || field.line.field == "." || field.value() != nullptr)
    check_lines(*rule.type, scope_of(field));
  return true;
}

bool apply_each(const Field& field, const Rule& rule) {
  field.scope.each(field.line.field, [&](const Scope& item, std::size_t) { check_lines(*rule.type, item); });
  return true;
}

bool apply_choice(const Field& field, const Rule& rule) {
  if (field.value() == nullptr) return true;
  if (field.is_chosen) {
    const std::string_view shown = rule.arguments.size() > 1 ? rule.arguments[1] : field.line.shown;
    field.scope.forbidden(shown, field.words(""));
    return true;
  }
  field.is_chosen = true;
  return apply_is(field, rule);
}

bool apply_joins(const Field& field, const Rule& rule) {
  if (field.value() == nullptr) return true;
  field.is_chosen = true;
  return apply_is(field, rule);
}

bool apply_chosen(const Field& field, const Rule&) {
  if (!field.is_chosen) field.scope.required(".", field.words(""));
  return true;
}

bool apply_call(const Field& field, const Rule& rule) {
  if (field.line.field == "." || field.value() != nullptr) {
    const bool is_object = field.line.field != "." && field.value()->is_object();
    rule.call(is_object ? scope_of(field) : field.scope);
  }
  return true;
}

bool apply_labels(const Field& field, const Rule&) {
  check_labels(field.scope, field.line.field);
  return true;
}

bool apply_selector(const Field& field, const Rule&) {
  if (field.value() != nullptr) check_selector_at(field.scope, field.line.field);
  return true;
}

bool apply_count_or_percent(const Field& field, const Rule& rule) {
  if (rule.always || field.value() != nullptr) check_count_or_percent(field.scope, field.line.field);
  return true;
}

bool apply_at_most_all(const Field& field, const Rule&) {
  check_at_most_all(field.scope, field.line.field);
  return true;
}

constexpr std::array<std::pair<std::string_view, Application>, 23> applications{{
    {"required", &apply_required},
    {"present", &apply_present},
    {"forbidden", &apply_forbidden},
    {"filled", &apply_filled},
    {"unset", &apply_unset},
    {"one-of", &apply_one_of},
    {"range", &apply_range},
    {"port-number", &apply_port_number},
    {"mode", &apply_mode},
    {"not-negative", &apply_not_negative},
    {"positive", &apply_positive},
    {"at-most-items", &apply_at_most_items},
    {"port", &apply_port},
    {"is", &apply_is},
    {"each", &apply_each},
    {"choice", &apply_choice},
    {"joins", &apply_joins},
    {"chosen", &apply_chosen},
    {"call", &apply_call},
    {"labels", &apply_labels},
    {"selector", &apply_selector},
    {"count-or-percent", &apply_count_or_percent},
    {"at-most-100-percent", &apply_at_most_all},
}};

}  // namespace

Application find_application(std::string_view name) {
  const auto* known = std::ranges::find(applications, name, [](const auto& one) { return one.first; });
  return known != applications.end() ? known->second : nullptr;
}

bool apply_format(const Field& field, const Rule& rule) {
  if (field.line.each_item) {
    const Path path = field.scope.path().child(field.line.shown);
    std::size_t index = 0;
    for (const std::string_view text : field.scope.texts(field.line.field))
      add_faults(field.scope.errors(), path.item(index++), text, rule.format(text));
    return true;
  }
  const std::string_view text = field.scope.text(field.line.field);
  if (text.empty() && rule.allows_empty) return true;
  if (rule.always || field.value() != nullptr) field.scope.faults(field.line.shown, text, rule.format(text));
  return true;
}

void check_type(std::string_view type, const Scope& scope) {
  check_lines(rule_table().of(type), scope);
}

}  // namespace fairway::apiserver::validation
