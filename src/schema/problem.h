// SPDX-License-Identifier: Apache-2.0

// Field errors, worded as the API server words them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace fairway::schema {

/// A field error, as listed in the causes of a Status.
struct Violation {
  /// Kubernetes's field path: "spec.ports[0].name". "<nil>" for errors without a field, as of `oneOf`: their
  /// message names the field.
  std::string path = {};
  /// The cause, one of `k8s::cause`: "FieldValueInvalid".
  std::string_view cause = {};
  /// "Invalid value: 0: spec.replicas in body should be greater than or equal to 1".
  std::string message = {};

  /// Path and message, as in the message of a Status: "spec.replicas: Invalid value: 0: ...".
  std::string to_string() const { return path + ": " + message; }
  friend bool operator==(const Violation&, const Violation&) = default;
};

using Violations = std::vector<Violation>;

/// A value as formatted in messages: strings quoted, lists and objects as JSON.
class ShownValue {
 public:
  ShownValue(const json::Value& value);
  ShownValue(std::string_view text);
  ShownValue(const std::string& text) : ShownValue(std::string_view(text)) {}
  ShownValue(const char* text) : ShownValue(std::string_view(text)) {}
  ShownValue(bool flag) : text_(flag ? "true" : "false") {}
  ShownValue(std::int64_t number) : text_(std::to_string(number)) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// One function per cause. `detail` follows cause and value in the message.
// Rules: k8s.io/apimachinery/pkg/util/validation/field.
Violation required(std::string path, std::string_view detail);
Violation invalid(std::string path, const ShownValue& value, std::string_view detail);
Violation type_invalid(std::string path, const ShownValue& value, std::string_view detail);
Violation forbidden(std::string path, std::string_view detail);
Violation duplicate(std::string path, const ShownValue& value);
/// `supported` is listed in the given order.
Violation not_supported(std::string path, const ShownValue& value, std::span<const std::string> supported);
// A negative limit or count is left out of the message.
Violation too_long(std::string path, std::int64_t limit);
Violation too_many(std::string path, std::int64_t count, std::int64_t limit);

}  // namespace fairway::schema
