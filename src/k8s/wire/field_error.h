// SPDX-License-Identifier: Apache-2.0

// Errors of fields, with the messages of an API server.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::k8s {

/// Longest list of errors that a reply has; the last one stands for the rest.
constexpr std::size_t most_errors = 1'000;

/// One validation error: a cause of a Status, and a part of its message.
struct FieldError {
  /// Cause, one of `k8s::cause`: "FieldValueInvalid".
  std::string cause = {};
  /// Path of the field: "spec.ports[0].name".
  std::string field = {};
  /// Message: `Invalid value: "x": must be lower case`.
  std::string message = {};
  /// Number of errors that it stands for: more than 1 at the end of a list that was cut.
  std::size_t count = 1;

  /// Returns "spec.ports[0].name: Invalid value: ...".
  std::string to_string() const { return field + ": " + message; }
  friend bool operator==(const FieldError&, const FieldError&) = default;

  /// Returns an error about an invalid value. `value` is printed as in Go: strings quoted, other types as
  /// JSON. Of a long one only the beginning is shown, here and below.
  static FieldError invalid(std::string_view field, const json::Value& value, std::string_view detail);
  static FieldError required(std::string_view field, std::string_view detail);
  static FieldError forbidden(std::string_view field, std::string_view detail);
  static FieldError duplicate(std::string_view field, const json::Value& value);
  static FieldError not_found(std::string_view field, const json::Value& value);
  static FieldError too_long(std::string_view field, std::size_t max_bytes);
  static FieldError not_supported(std::string_view field, const json::Value& value,
                                  const std::vector<std::string_view>& supported);
  /// Returns the error that stands for others. `field`: that of the first of them.
  static FieldError left_out(std::string_view field, std::size_t count);
};

/// Returns the first errors of a list, at most `most_errors`. The last one stands for the rest.
std::vector<FieldError> shortened(const std::vector<FieldError>& errors);

/// Returns all errors as one message: a single one as it is, several as "[a, b]"; duplicates once.
std::string to_string(const std::vector<FieldError>& errors);

/// Returns the field at the beginning of an error: "spec.size" of "spec.size: too large"; otherwise empty.
std::string_view leading_field(std::string_view message);

/// Returns an error without the field at its beginning, as the message of the cause that names the field:
/// clients show both. The error itself if it begins with something else.
std::string_view behind_field(std::string_view message, std::string_view field);

}  // namespace fairway::k8s
