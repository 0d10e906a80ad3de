// SPDX-License-Identifier: Apache-2.0

#include "k8s/condition.h"

#include <algorithm>

#include "k8s/equality.h"

namespace fairway::k8s {

namespace {

/// Returns a condition in a normal form, which is the same for all conditions of one meaning.
json::Value normal_form(const json::Value& condition) {
  json::Value copy = condition;
  json::Object* object = copy.if_object();
  if (object == nullptr) return copy;
  const Condition view(*object);
  (*object)["status"] = to_string(view.status());
  if (const auto time = view.last_transition()) (*object)["lastTransitionTime"] = format_time(*time);
  return copy;
}

std::string_view type_of(const json::Value& condition) {
  return json::find_string(condition, "type").value_or(std::string_view{});
}

}  // namespace

std::string_view to_string(ConditionStatus status) {
  switch (status) {
    case ConditionStatus::is_true:
      return "True";
    case ConditionStatus::is_false:
      return "False";
    case ConditionStatus::unknown:
      return "Unknown";
  }
  return "Unknown";
}

ConditionStatus read_condition_status(std::string_view text) {
  if (text == "True") return ConditionStatus::is_true;
  if (text == "False") return ConditionStatus::is_false;
  return ConditionStatus::unknown;
}

std::optional<Condition> find_condition(const View& object, std::string_view type, std::string_view path) {
  for (const Condition& condition : object.items<Condition>(path)) {
    if (condition.type() == type) return condition;
  }
  return std::nullopt;
}

bool same_conditions(const json::Array& a, const json::Array& b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](const json::Value& one) {
           const auto* other = std::ranges::find(b, type_of(one), type_of);
           return other != b.end() && equal_with_null_as_absent(normal_form(one), normal_form(*other));
         });
}

bool is_condition_reason(std::string_view text) {
  // The pattern of metav1.Condition: ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$, at most 1024 bytes.
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_word = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text.size() <= 1024 && is_letter(text.front()) && is_word(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return is_word(c) || c == ',' || c == ':'; });
}

}  // namespace fairway::k8s
