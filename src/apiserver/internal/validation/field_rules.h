// SPDX-License-Identifier: Apache-2.0

// Applies the rules of a type to an object.
#pragma once

#include <string_view>

#include "apiserver/internal/validation/scope.h"

namespace fairway::apiserver::validation {

/// Reports what is wrong in an object of a type of the table. A rule that the program does not know is a bug,
/// and an exception.
///
/// The rules: `required` and `forbidden`; `present` is required, but may be 0; `filled` is forbidden unless
/// it is an empty object; `unset` is invalid if it is there; `one-of` lists the values; `range`, `positive`
/// and `not-negative` are for numbers; `at-most-items` for lists; `is` and `each` go on with another type;
/// `choice` does, too, if no choice was made before, and `chosen` requires that one was; `joins` is a choice
/// beside others; `call` is a function
/// for what a table cannot say; `labels` and `selector` are those of Kubernetes; the others are formats of
/// texts (formats.h).
void check_type(std::string_view type, const Scope& scope);

}  // namespace fairway::apiserver::validation
