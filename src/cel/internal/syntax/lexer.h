// SPDX-License-Identifier: Apache-2.0

// Splits an expression into tokens.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "cel/syntax/ast.h"
#include "cel/syntax/parser.h"

namespace fairway::cel {

enum class TokenKind : std::uint8_t {
  end,
  identifier,
  /// A field between backticks.
  quoted_identifier,
  /// Number, string or bytes; the value is in the token. An integer keeps its digits: its sign decides the
  /// range.
  integer,
  literal,
  keyword_true,
  keyword_false,
  keyword_null,
  keyword_in,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  left_bracket,
  right_bracket,
  left_brace,
  right_brace,
  left_paren,
  right_paren,
  dot,
  comma,
  minus,
  exclamation,
  question,
  colon,
  plus,
  star,
  slash,
  percent,
};

struct Token {
  TokenKind kind = TokenKind::end;
  Span span;
  /// Name of an identifier, or text of an integer.
  std::string text;
  Literal literal;
};

class Lexer {
 public:
  Lexer(std::string_view source, bool quoted_fields) : source_(source), quoted_fields_(quoted_fields) {}
  std::expected<Token, ParseError> next();

 private:
  std::expected<Token, ParseError> number();
  std::expected<Token, ParseError> string(bool bytes, bool raw);
  std::unexpected<ParseError> error(std::size_t from, std::string message,
                                    ParseError::Kind kind = ParseError::Kind::syntax) const;
  void skip_space();
  char at(std::size_t index) const { return index < source_.size() ? source_[index] : '\0'; }
  Token token(TokenKind kind, std::size_t from) const;

  std::string_view source_;
  bool quoted_fields_;
  std::size_t place_ = 0;
};

/// Replaces the escapes of the inside of a string literal; std::nullopt if one is wrong.
std::expected<std::string, std::string> unescape(std::string_view text, bool bytes, bool raw);

/// Returns whether a word is reserved: it is no identifier, though it has no meaning yet.
bool is_reserved(std::string_view word);

}  // namespace fairway::cel
