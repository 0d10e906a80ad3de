// SPDX-License-Identifier: Apache-2.0

// A query's text as tokens.
#pragma once

#include <string_view>

#include "promql/parser/dialect.h"
#include "promql/parser/go_text.h"
#include "promql/parser/token.h"

namespace fairway::promql {

/// Reads one token after another. The meaning of a character depends on its context: inside braces there are
/// no keywords, inside brackets only durations. Comments and spaces are skipped. After an error token, or
/// after the end, there is only the end.
class Lexer {
 public:
  explicit Lexer(std::string_view query, Dialect dialect) : query_(query), dialect_(dialect) {}
  Token next();
  /// Number of bytes read so far.
  std::size_t position() const { return position_; }

 private:
  Token statement();
  Token inside_braces();
  Token duration_expression();
  Token number_or_duration();
  Token quoted_string(char delimiter);
  Token raw_string();
  Token word();
  Token operator_token(char32_t c);
  Token take(TokenKind kind);
  Token wrong(std::string message);

  bool skip_spaces_and_comments();
  bool scan_number();
  bool scan_rest_of_duration();
  bool scan_duration_word(TokenKind& kind);
  std::string scan_escape(char32_t delimiter);
  bool is_followed_by_paren() const;

  Rune peek() const;
  bool accept(std::string_view set);
  bool next_is(std::string_view set) const;

  std::string_view query_;
  Dialect dialect_;
  std::size_t position_ = 0;
  std::size_t start_ = 0;
  int parens_ = 0;
  bool in_braces_ = false;
  bool in_brackets_ = false;
  /// True right after "[", before the first number: Prometheus 3 reads an expression of durations there.
  bool at_duration_expression_ = false;
  bool got_colon_ = false;
  /// True if a duration was read in these brackets or in earlier ones, for which Prometheus's error about a
  /// colon differs.
  bool got_duration_ = false;
  bool done_ = false;
};

}  // namespace fairway::promql
