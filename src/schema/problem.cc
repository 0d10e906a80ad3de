// SPDX-License-Identifier: Apache-2.0

#include "schema/problem.h"

#include <utility>

#include "k8s/status.h"
#include "schema/internal/go_text.h"

namespace fairway::schema {

namespace {

Violation problem(std::string path, std::string_view cause, std::string message, std::string_view detail) {
  if (!detail.empty()) message.append(": ").append(detail);
  return {std::move(path), cause, std::move(message)};
}

std::string of_value(std::string_view what, const ShownValue& value) {
  return std::string(what) + ": " + value.text();
}

}  // namespace

ShownValue::ShownValue(const json::Value& value) : text_(internal::go_value(value)) {}
ShownValue::ShownValue(std::string_view text) : text_(internal::go_quoted(text)) {}

Violation required(std::string path, std::string_view detail) {
  return problem(std::move(path), k8s::cause::field_value_required, "Required value", detail);
}

Violation invalid(std::string path, const ShownValue& value, std::string_view detail) {
  return problem(std::move(path), k8s::cause::field_value_invalid, of_value("Invalid value", value), detail);
}

Violation type_invalid(std::string path, const ShownValue& value, std::string_view detail) {
  return problem(std::move(path), k8s::cause::field_value_type_invalid, of_value("Invalid value", value),
                 detail);
}

Violation forbidden(std::string path, std::string_view detail) {
  return problem(std::move(path), k8s::cause::field_value_forbidden, "Forbidden", detail);
}

Violation duplicate(std::string path, const ShownValue& value) {
  return problem(std::move(path), k8s::cause::field_value_duplicate, of_value("Duplicate value", value), {});
}

Violation not_supported(std::string path, const ShownValue& value, std::span<const std::string> supported) {
  std::string detail;
  for (const std::string& one : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += internal::go_quoted(one);
  }
  return problem(std::move(path), k8s::cause::field_value_not_supported, of_value("Unsupported value", value),
                 detail);
}

Violation too_long(std::string path, std::int64_t limit) {
  const std::string detail =
      limit < 0 ? "value is too long"
                : "may not be more than " + std::to_string(limit) + (limit == 1 ? " byte" : " bytes");
  return problem(std::move(path), k8s::cause::field_value_too_long, "Too long", detail);
}

Violation too_many(std::string path, std::int64_t count, std::int64_t limit) {
  const std::string detail =
      limit < 0 ? "has too many items"
                : "must have at most " + std::to_string(limit) + (limit == 1 ? " item" : " items");
  return problem(std::move(path), k8s::cause::field_value_too_many,
                 count < 0 ? "Too many" : "Too many: " + std::to_string(count), detail);
}

}  // namespace fairway::schema
