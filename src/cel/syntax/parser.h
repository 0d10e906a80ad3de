// SPDX-License-Identifier: Apache-2.0

// Parses an expression into a syntax tree.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "cel/syntax/ast.h"

namespace fairway::cel {

/// An error in an expression, and its position.
struct ParseError {
  enum class Kind {
    syntax,   ///< the text is no expression
    meaning,  ///< the text is one, and not allowed: a number out of range, a reserved name, a wrong macro
  };
  Span span = {};
  std::string message = {};
  Kind kind = Kind::syntax;
};

struct ParseOptions {
  /// Limit on the depth of a tree, because evaluation recurses. cel-go's figure.
  int max_depth = 250;
  /// Limit on the length of an expression, in code points. cel-go's figure.
  std::size_t max_code_points = 100'000;
  /// True to allow names of fields between backticks. Kubernetes does not enable them.
  bool quoted_fields = false;
};

/// Formats an error with line and column, both from 1: `1:6: missing ')'`. The column counts code points.
std::string to_string(const ParseError& error, std::string_view source);
/// Returns the message as Kubernetes shows it: that of a wrong syntax begins with "Syntax error: ", as cel-go
/// writes it.
std::string issue_message(const ParseError& error);
/// Returns "line:column" of a byte of the source.
std::string position_text(std::string_view source, std::uint32_t offset);

/// Parses one expression, macros included. Only the first error is reported.
std::expected<ExpressionPtr, ParseError> parse(std::string_view source, const ParseOptions& options = {});

}  // namespace fairway::cel
