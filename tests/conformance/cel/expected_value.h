// SPDX-License-Identifier: Apache-2.0

// Values and types of the test vectors: cel.expr.Value and cel.expr.Type.
#pragma once

#include <deque>
#include <string>

#include "cel/types/type.h"
#include "cel/values/value.h"
#include "conformance/cel/textproto.h"

namespace fairway::test {

/// The storage that values refer to.
struct Keep {
  std::deque<std::string> texts;
  std::deque<cel::EvaluationError> errors;

  std::string_view text(std::string value) { return texts.emplace_back(std::move(value)); }
  const cel::EvaluationError* error(std::string message) {
    return &errors.emplace_back(cel::EvaluationError{text(std::move(message)), 0});
  }
};

/// Returns the value of a message; an error value if it is not understood.
cel::Value value_of_message(const TextMessage& message, cel::Scratch& scratch, Keep& keep);
/// Returns the type of a message; nullptr for one that is not understood.
cel::TypePtr type_of_message(const TextMessage& message);
/// Returns whether two values are equal in value and kind: 1 is not 1u; NaN is NaN.
bool identical(const cel::Value& a, const cel::Value& b, cel::Scratch& scratch);

}  // namespace fairway::test
