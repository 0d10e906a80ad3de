// SPDX-License-Identifier: Apache-2.0

// Finds the types of an expression, and what is wrong with them.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cel/checker/checked.h"
#include "cel/checker/environment.h"
#include "cel/syntax/ast.h"

namespace fairway::cel {

struct TypeError {
  Span span = {};
  std::string message = {};
};

struct CheckOptions {
  /// True if elements of a list literal, and keys and values of a map literal, must be of one type, as
  /// Kubernetes requires.
  bool homogeneous_literals = true;
  /// True if a literal template of `format` must fit its literal list of items, as Kubernetes requires.
  bool fitting_templates = true;
};

/// Formats an error with line and column: `1:6: undeclared reference to 'x'`.
std::string to_string(const TypeError& error, std::string_view source);

/// Checks each part of an expression. The result refers to the tree and to the environment's functions. All
/// errors are reported.
std::expected<Checked, std::vector<TypeError>> check(const Expression& expression,
                                                     const Environment& environment,
                                                     const CheckOptions& options = {});

}  // namespace fairway::cel
