// SPDX-License-Identifier: Apache-2.0

// The words of a query.
#pragma once

#include <string>
#include <string_view>

#include "promql/parser/span.h"

namespace fairway::promql {

enum class TokenKind {
  end,
  error,
  identifier,
  metric_identifier,
  string,
  number,
  duration,
  // Punctuation.
  left_paren,
  right_paren,
  left_brace,
  right_brace,
  left_bracket,
  right_bracket,
  comma,
  colon,
  equals,
  // Operators: from here to atan2.
  add,
  sub,
  mul,
  div,
  mod,
  pow,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  trim_upper,
  trim_lower,
  regex_match,
  regex_no_match,
  at,
  and_set,
  or_set,
  unless_set,
  atan2,
  // Aggregations: from here to limit_ratio.
  sum,
  avg,
  count,
  min,
  max,
  group,
  stddev,
  stdvar,
  topk,
  bottomk,
  count_values,
  quantile,
  limitk,
  limit_ratio,
  // Keywords: from here to bool_modifier.
  offset,
  smoothed,
  anchored,
  by,
  without,
  on,
  ignoring,
  group_left,
  group_right,
  fill,
  fill_left,
  fill_right,
  bool_modifier,
  // Words that are functions only inside @ and durations.
  start,
  end_word,
  step,
  range,
  max_of,
  min_of,
};

bool is_operator(TokenKind kind);
bool is_aggregation(TokenKind kind);
bool is_keyword(TokenKind kind);
bool is_comparison(TokenKind kind);
bool is_set_operator(TokenKind kind);

/// Returns the canonical spelling of punctuation, operators, aggregations and keywords; empty for the others.
std::string_view spelling(TokenKind kind);

struct Token {
  TokenKind kind = TokenKind::end;
  Span span = {};
  /// Bytes of the query, or the message of an error token.
  std::string text = {};
};

/// Returns the name of an unexpected token in an error: `identifier "foo"`, `<op:+>`, `end of input`.
std::string describe(const Token& token);

}  // namespace fairway::promql
