// SPDX-License-Identifier: Apache-2.0

#include "promql/parser/parser.h"

#include <algorithm>

#include "promql/internal/parser/parser_state.h"
#include "promql/parser/go_text.h"

namespace fairway::promql {

namespace {

/// Returns the binding strength of a binary operator; 0 for other tokens.
int precedence_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::or_set:
      return 1;
    case TokenKind::and_set:
    case TokenKind::unless_set:
      return 2;
    case TokenKind::equal:
    case TokenKind::not_equal:
    case TokenKind::less:
    case TokenKind::less_equal:
    case TokenKind::greater:
    case TokenKind::greater_equal:
    case TokenKind::trim_upper:
    case TokenKind::trim_lower:
      return 3;
    case TokenKind::add:
    case TokenKind::sub:
      return 4;
    case TokenKind::mul:
    case TokenKind::div:
    case TokenKind::mod:
    case TokenKind::atan2:
      return 5;
    case TokenKind::pow:
      return 6;
    default:
      return 0;
  }
}

constexpr int sign_precedence = 5;

/// Returns whether a token, among them keywords, is a metric name at the place of an operand.
bool can_be_metric_name(TokenKind kind) {
  switch (kind) {
    case TokenKind::identifier:
    case TokenKind::metric_identifier:
    case TokenKind::and_set:
    case TokenKind::or_set:
    case TokenKind::unless_set:
    case TokenKind::by:
    case TokenKind::without:
    case TokenKind::offset:
    case TokenKind::anchored:
    case TokenKind::smoothed:
    case TokenKind::fill:
    case TokenKind::fill_left:
    case TokenKind::fill_right:
      return true;
    default:
      return kind >= TokenKind::start;
  }
}

}  // namespace

std::string to_string(const ParseError& error, std::string_view query, Dialect dialect) {
  const std::string place =
      query.empty() && dialect == Dialect::prometheus2 ? "1:1" : position_text(query, error.span.start);
  return place + ": parse error: " + error.message;
}

std::expected<ExpressionPtr, ParseError> parse(std::string_view query, Dialect dialect) {
  if (query.size() > max_query_size)
    return std::unexpected(ParseError{{}, "the query is longer than 1 MiB, the longest that is read", {}});
  ParserState parser(query, dialect);
  ExpressionPtr expression = parser.whole_query();
  if (!expression) return std::unexpected(parser.take_error());
  if (auto checked = check_types(*expression); !checked) return std::unexpected(std::move(checked.error()));
  return expression;
}

bool ParserState::begins_operand(TokenKind kind) {
  switch (kind) {
    case TokenKind::number:
    case TokenKind::string:
    case TokenKind::left_paren:
    case TokenKind::left_brace:
    case TokenKind::add:
    case TokenKind::sub:
      return true;
    case TokenKind::duration:
      return dialect_ == Dialect::prometheus3;
    default:
      return is_aggregation(kind) || can_be_metric_name(kind);
  }
}

const Token& ParserState::peek() {
  if (!ahead_) ahead_ = lexer_.next();
  return *ahead_;
}

Token ParserState::take() {
  peek();
  Token token = std::move(*ahead_);
  ahead_.reset();
  last_end_ = token.span.end;
  return token;
}

bool ParserState::accept(TokenKind kind) {
  if (!next_is(kind)) return false;
  take();
  return true;
}

std::nullptr_t ParserState::wrong(Span span, std::string message, std::string feature) {
  if (!error_) error_ = ParseError{span, std::move(message), std::move(feature)};
  return nullptr;
}

std::nullptr_t ParserState::unexpected() {
  return unexpected(place_);
}

std::nullptr_t ParserState::unexpected(Place place) {
  const Token& token = peek();
  if (token.kind == TokenKind::error) return wrong(token.span, token.text);
  std::string message = "unexpected " + describe(token);
  if (!place.context.empty()) message += " in " + std::string(place.context);
  if (!place.expected.empty()) message += ", expected " + std::string(place.expected);
  return wrong(token.span, std::move(message));
}

ExpressionPtr ParserState::make(Expression::Node node, Span span, ValueType type) {
  auto expression = std::make_unique<Expression>(Expression{std::move(node), span, type, 1});
  int deepest = 0;
  for_each_child(*expression, [&](const Expression& child) { deepest = std::max(deepest, child.depth); });
  expression->depth = deepest + 1;
  if (expression->depth > max_expression_depth)
    return wrong(span,
                 "the expression is nested deeper than " + std::to_string(max_expression_depth) + " levels");
  return expression;
}

ExpressionPtr ParserState::whole_query() {
  if (next_is(TokenKind::end)) return wrong({0, 0}, "no expression found in input");
  ExpressionPtr result = expression(1);
  if (result && !next_is(TokenKind::end)) return unexpected();
  return result;
}

ExpressionPtr ParserState::expression(int lowest_precedence) {
  ExpressionPtr result = operand(lowest_precedence);
  while (result) {
    const int precedence = precedence_of(peek().kind);
    if (precedence == 0 || precedence < lowest_precedence) break;
    result = binary(std::move(result), precedence);
  }
  return result;
}

ExpressionPtr ParserState::operand(int lowest_precedence) {
  if (nesting_ >= max_expression_depth)
    return wrong(peek().span,
                 "the expression is nested deeper than " + std::to_string(max_expression_depth) + " levels");
  ++nesting_;
  ExpressionPtr result;
  const TokenKind kind = peek().kind;
  if (kind == TokenKind::add || kind == TokenKind::sub) {
    const Token sign = take();
    // A sign binds like a multiplication: -2^2 is -(2^2), and of -2*2 it takes only the first 2.
    result = expression(std::max(lowest_precedence, sign_precedence + 1));
    if (result) {
      if (auto* number = std::get_if<NumberLiteral>(&result->node)) {
        if (kind == TokenKind::sub) number->value *= -1;
        result->span.start = sign.span.start;
      } else {
        const Span span{sign.span.start, result->span.end};
        const ValueType type = result->type;
        result = make(Unary{kind, std::move(result)}, span, type);
      }
    }
  } else {
    result = operand_without_suffix();
    if (result) result = suffixes(std::move(result));
  }
  --nesting_;
  return result;
}

ExpressionPtr ParserState::operand_without_suffix() {
  const TokenKind kind = peek().kind;
  if (kind == TokenKind::number || (kind == TokenKind::duration && dialect_ == Dialect::prometheus3))
    return number();
  if (kind == TokenKind::string) return string();
  if (kind == TokenKind::left_paren) return parenthesised();
  if (kind == TokenKind::left_brace) return selector(std::nullopt);
  if (is_aggregation(kind)) {
    Token op = take();
    const TokenKind next = peek().kind;
    if (next == TokenKind::left_paren || next == TokenKind::by || next == TokenKind::without)
      return aggregation(op);
    return selector(std::move(op));
  }
  if (!can_be_metric_name(kind)) return unexpected();
  Token name = take();
  const bool callable = kind == TokenKind::identifier || kind >= TokenKind::start;
  // In 2.x `start` and `end` are words of @ alone.
  if (callable && next_is(TokenKind::left_paren) &&
      (kind == TokenKind::identifier || dialect_ == Dialect::prometheus3))
    return call(name);
  return selector(std::move(name));
}

ExpressionPtr ParserState::parenthesised() {
  const Token open = take();
  ExpressionPtr inner = expression(1);
  if (!inner) return nullptr;
  if (!next_is(TokenKind::right_paren)) return unexpected();
  const Token close = take();
  const ValueType type = inner->type;
  return make(Paren{std::move(inner)}, {open.span.start, close.span.end}, type);
}

ExpressionPtr ParserState::number() {
  const Token token = take();
  const auto value = seconds(token);
  if (!value) return nullptr;
  return make(NumberLiteral{*value, token.kind == TokenKind::duration}, token.span, ValueType::scalar);
}

/// Returns the value of a number token, or of a duration token in seconds.
std::optional<double> ParserState::seconds(const Token& token) {
  if (token.kind == TokenKind::duration) {
    const auto milliseconds = parse_duration_text(token.text, dialect_);
    if (milliseconds) return static_cast<double>(*milliseconds) / 1000;
    wrong(token.span, milliseconds.error());
    return std::nullopt;
  }
  const auto value = parse_number(token.text);
  if (value) return *value;
  wrong(token.span, "error parsing number: " + value.error());
  return std::nullopt;
}

ExpressionPtr ParserState::string() {
  const Token token = take();
  auto text = unquote(token.text);
  if (!text) return wrong(token.span, "error unquoting string " + quote(token.text) + ": " + text.error());
  return make(StringLiteral{std::move(*text)}, token.span, ValueType::string);
}

}  // namespace fairway::promql
