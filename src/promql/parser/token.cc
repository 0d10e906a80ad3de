// SPDX-License-Identifier: Apache-2.0

#include "promql/parser/token.h"

#include "promql/parser/go_text.h"

namespace fairway::promql {

bool is_operator(TokenKind kind) {
  return kind >= TokenKind::add && kind <= TokenKind::atan2;
}
bool is_aggregation(TokenKind kind) {
  return kind >= TokenKind::sum && kind <= TokenKind::limit_ratio;
}
bool is_keyword(TokenKind kind) {
  return kind >= TokenKind::offset && kind <= TokenKind::bool_modifier;
}
bool is_comparison(TokenKind kind) {
  return kind >= TokenKind::equal && kind <= TokenKind::greater_equal;
}
bool is_set_operator(TokenKind kind) {
  return kind >= TokenKind::and_set && kind <= TokenKind::unless_set;
}

std::string_view spelling(TokenKind kind) {
  switch (kind) {
    case TokenKind::end:
    case TokenKind::error:
    case TokenKind::identifier:
    case TokenKind::metric_identifier:
    case TokenKind::string:
    case TokenKind::number:
    case TokenKind::duration:
      return "";
    case TokenKind::left_paren:
      return "(";
    case TokenKind::right_paren:
      return ")";
    case TokenKind::left_brace:
      return "{";
    case TokenKind::right_brace:
      return "}";
    case TokenKind::left_bracket:
      return "[";
    case TokenKind::right_bracket:
      return "]";
    case TokenKind::comma:
      return ",";
    case TokenKind::colon:
      return ":";
    case TokenKind::equals:
      return "=";
    case TokenKind::add:
      return "+";
    case TokenKind::sub:
      return "-";
    case TokenKind::mul:
      return "*";
    case TokenKind::div:
      return "/";
    case TokenKind::mod:
      return "%";
    case TokenKind::pow:
      return "^";
    case TokenKind::equal:
      return "==";
    case TokenKind::not_equal:
      return "!=";
    case TokenKind::less:
      return "<";
    case TokenKind::less_equal:
      return "<=";
    case TokenKind::greater:
      return ">";
    case TokenKind::greater_equal:
      return ">=";
    case TokenKind::trim_upper:
      return "</";
    case TokenKind::trim_lower:
      return ">/";
    case TokenKind::regex_match:
      return "=~";
    case TokenKind::regex_no_match:
      return "!~";
    case TokenKind::at:
      return "@";
    case TokenKind::and_set:
      return "and";
    case TokenKind::or_set:
      return "or";
    case TokenKind::unless_set:
      return "unless";
    case TokenKind::atan2:
      return "atan2";
    case TokenKind::sum:
      return "sum";
    case TokenKind::avg:
      return "avg";
    case TokenKind::count:
      return "count";
    case TokenKind::min:
      return "min";
    case TokenKind::max:
      return "max";
    case TokenKind::group:
      return "group";
    case TokenKind::stddev:
      return "stddev";
    case TokenKind::stdvar:
      return "stdvar";
    case TokenKind::topk:
      return "topk";
    case TokenKind::bottomk:
      return "bottomk";
    case TokenKind::count_values:
      return "count_values";
    case TokenKind::quantile:
      return "quantile";
    case TokenKind::limitk:
      return "limitk";
    case TokenKind::limit_ratio:
      return "limit_ratio";
    case TokenKind::offset:
      return "offset";
    case TokenKind::smoothed:
      return "smoothed";
    case TokenKind::anchored:
      return "anchored";
    case TokenKind::by:
      return "by";
    case TokenKind::without:
      return "without";
    case TokenKind::on:
      return "on";
    case TokenKind::ignoring:
      return "ignoring";
    case TokenKind::group_left:
      return "group_left";
    case TokenKind::group_right:
      return "group_right";
    case TokenKind::fill:
      return "fill";
    case TokenKind::fill_left:
      return "fill_left";
    case TokenKind::fill_right:
      return "fill_right";
    case TokenKind::bool_modifier:
      return "bool";
    case TokenKind::start:
      return "start";
    case TokenKind::end_word:
      return "end";
    case TokenKind::step:
      return "step";
    case TokenKind::range:
      return "range";
    case TokenKind::max_of:
      return "max_of";
    case TokenKind::min_of:
      return "min_of";
  }
  return "";
}

std::string describe(const Token& token) {
  std::string text;
  const bool is_name = token.kind == TokenKind::identifier || token.kind == TokenKind::metric_identifier;
  if (is_keyword(token.kind)) {
    text = "<" + token.text + ">";
  } else if (is_operator(token.kind)) {
    text = "<op:" + token.text + ">";
  } else if (is_aggregation(token.kind)) {
    text = "<aggr:" + token.text + ">";
  } else {
    // Names are given whole, other things up to ten characters.
    std::size_t length = 0;
    for (int characters = 0;
         (is_name || token.text.size() <= 10 || characters < 10) && length < token.text.size(); ++characters)
      length += first_rune(std::string_view(token.text).substr(length)).width;
    text = quote(std::string_view(token.text).substr(0, length));
    if (length < token.text.size() || (!is_name && token.text.size() > 10)) text += "...";
  }
  switch (token.kind) {
    case TokenKind::end:
      return "end of input";
    case TokenKind::identifier:
      return "identifier " + text;
    case TokenKind::metric_identifier:
      return "metric identifier " + text;
    case TokenKind::string:
      return "string " + text;
    case TokenKind::number:
      return "number " + text;
    case TokenKind::duration:
      return "duration " + text;
    default:
      return text;
  }
}

}  // namespace fairway::promql
