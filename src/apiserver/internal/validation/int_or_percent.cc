// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/int_or_percent.h"

#include <charconv>
#include <limits>
#include <optional>
#include <system_error>

#include "apiserver/internal/validation/formats.h"

namespace fairway::apiserver::validation {
namespace {

/// Returns an integer as Go's Atoi reads it, without its error: the nearest one.
std::int64_t integer_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t made = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), made);
  if (error == std::errc::result_out_of_range) return std::numeric_limits<std::int64_t>::max();
  return error == std::errc{} && end == text.data() + text.size() ? made : 0;
}

std::optional<std::int64_t> percent(const Scope& scope, std::string_view name) {
  const json::Value* value = scope.find(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  const std::string_view text = value->get_string();
  if (!check_percent(text).empty()) return std::nullopt;
  return integer_of(text.substr(0, text.size() - 1));
}

}  // namespace

void check_count_or_percent(const Scope& scope, std::string_view name) {
  const json::Value* value = scope.find(name);
  if (value != nullptr && value->is_string()) {
    scope.faults(name, value->get_string(), check_percent(value->get_string()));
  } else if (scope.integer(name).value_or(0) < 0) {
    scope.invalid(name, *value, "must be greater than or equal to 0");
  }
}

void check_at_most_all(const Scope& scope, std::string_view name) {
  if (percent(scope, name).value_or(0) > 100)
    scope.invalid(name, scope.value(name), "must not be greater than 100%");
}

std::int64_t count_or_percent(const Scope& scope, std::string_view name) {
  if (const auto share = percent(scope, name)) return *share;
  const json::Value* value = scope.find(name);
  return value != nullptr && value->is_string() ? integer_of(value->get_string())
                                                : scope.integer(name).value_or(0);
}

}  // namespace fairway::apiserver::validation
