// SPDX-License-Identifier: Apache-2.0

// The recursive descent behind `parse`.
#pragma once

#include <algorithm>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/internal/syntax/lexer.h"
#include "cel/syntax/parser.h"

namespace fairway::cel {

/// A recursive descent parser. Each rule returns nullptr once there is an error.
class ParserState {
 public:
  ParserState(std::string_view source, const ParseOptions& options);

  ExpressionPtr whole();
  ParseError take_error() { return std::move(*error_); }

 private:
  ExpressionPtr expression();
  ExpressionPtr conditional();
  ExpressionPtr logical_or();
  ExpressionPtr logical_and();
  ExpressionPtr relation();
  ExpressionPtr sum();
  ExpressionPtr product();
  ExpressionPtr unary();
  ExpressionPtr member();
  ExpressionPtr member_after_dot(ExpressionPtr operand);
  ExpressionPtr index_of(ExpressionPtr operand);
  ExpressionPtr primary();
  ExpressionPtr name_or_call();
  ExpressionPtr list();
  ExpressionPtr map();
  ExpressionPtr message(std::string name, Span begin);
  ExpressionPtr literal(Literal value, Span span);
  ExpressionPtr integer(const std::string& digits, bool negative, Span span);

  /// Reads the arguments of a call up to its closing parenthesis; false on an error.
  bool arguments(std::vector<ExpressionPtr>& out);
  ExpressionPtr global_call(std::string name, std::vector<ExpressionPtr> arguments, Span span);
  ExpressionPtr member_call(ExpressionPtr target, std::string name, std::vector<ExpressionPtr> arguments,
                            Span span);

  /// Returns the macro of a member call; std::nullopt if it is not one.
  std::optional<std::pair<Macro, bool>> macro_of(std::string_view name, std::size_t arguments) const;
  ExpressionPtr expand(Macro macro, bool two_variables, ExpressionPtr range,
                       std::vector<ExpressionPtr> arguments, Span span);

  template <class Node>
  ExpressionPtr make(Node node, Span span);
  ExpressionPtr call(std::string function, Span span, ExpressionPtr a, ExpressionPtr b = nullptr,
                     ExpressionPtr c = nullptr);
  /// Returns the dotted name of a tree of selections, "" for another tree.
  static std::string qualified_name(const Expression& expression);

  bool next_is(TokenKind kind) const { return ahead_.kind == kind; }
  Token take();
  bool accept(TokenKind kind);
  bool expect(TokenKind kind, std::string_view what);
  /// Keeps the first error: of the syntax, or of what an expression may not mean.
  ExpressionPtr fail(Span span, std::string message);
  ExpressionPtr refuse(Span span, std::string message);

  ParseOptions options_;
  Lexer lexer_;
  Token ahead_;
  Span last_;
  std::optional<ParseError> error_;
  int nesting_ = 0;
};

template <class Node>
ExpressionPtr ParserState::make(Node node, Span span) {
  auto made = std::make_unique<Expression>();
  made->node = std::move(node);
  made->span = span;
  int below = 0;
  for_each_child(*made, [&](const Expression& child) { below = std::max(below, child.depth); });
  made->depth = below + 1;
  if (made->depth > options_.max_depth)
    return refuse(span, "expression is nested deeper than " + std::to_string(options_.max_depth));
  return made;
}

}  // namespace fairway::cel
