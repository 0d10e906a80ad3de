// SPDX-License-Identifier: Apache-2.0

// Errors of fields, with the messages of an API server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::k8s {

/// One validation error: a cause of a Status, and a part of its message.
struct FieldError {
  /// Cause, one of `k8s::cause`: "FieldValueInvalid".
  std::string cause = {};
  /// Path of the field: "spec.ports[0].name".
  std::string field = {};
  /// Message: `Invalid value: "x": must be lower case`.
  std::string message = {};

  /// Returns "spec.ports[0].name: Invalid value: ...".
  std::string to_string() const { return field + ": " + message; }
  friend bool operator==(const FieldError&, const FieldError&) = default;

  /// Returns an error about an invalid value. `value` is printed as in Go: strings quoted, other types as
  /// JSON.
  static FieldError invalid(std::string_view field, const json::Value& value, std::string_view detail);
  static FieldError required(std::string_view field, std::string_view detail);
  static FieldError forbidden(std::string_view field, std::string_view detail);
  static FieldError duplicate(std::string_view field, const json::Value& value);
  static FieldError not_found(std::string_view field, const json::Value& value);
  static FieldError too_long(std::string_view field, std::size_t max_bytes);
  static FieldError not_supported(std::string_view field, const json::Value& value,
                                  const std::vector<std::string_view>& supported);
};

/// Returns all errors as one message: a single one as it is, several as "[a, b]"; duplicates once.
std::string to_string(const std::vector<FieldError>& errors);

/// Returns the field at the beginning of an error: "spec.size" of "spec.size: too large"; otherwise empty.
std::string_view leading_field(std::string_view message);

}  // namespace fairway::k8s
