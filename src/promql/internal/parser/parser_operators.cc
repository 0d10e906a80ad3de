// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "base/text.h"
#include "promql/internal/parser/parser_state.h"
#include "promql/parser/go_text.h"

namespace fairway::promql {

namespace {

constexpr std::string_view grouping = "grouping opts";

/// Returns whether a token is a label name inside grouping parentheses.
bool can_be_label(TokenKind kind) {
  if (is_aggregation(kind) || kind >= TokenKind::start) return true;
  if (is_keyword(kind)) return kind != TokenKind::without;
  switch (kind) {
    case TokenKind::identifier:
    case TokenKind::metric_identifier:
    case TokenKind::and_set:
    case TokenKind::or_set:
    case TokenKind::unless_set:
    case TokenKind::atan2:
      return true;
    default:
      return false;
  }
}

}  // namespace

ExpressionPtr ParserState::binary(ExpressionPtr lhs, int precedence) {
  Binary node;
  const Token op = take();
  node.op = op.kind;
  node.op_span = op.span;
  node.matching.emplace();
  if (!matching(node)) return nullptr;
  bool fill = false;
  if (!fill_modifiers(fill)) return nullptr;
  // All operators are left-associative but the power.
  node.rhs = expression(op.kind == TokenKind::pow ? precedence : precedence + 1);
  if (!node.rhs) return nullptr;
  const Span span{lhs->span.start, node.rhs->span.end};
  if (fill) return wrong(span, "binop fill modifiers are experimental and not enabled", "fill modifiers");
  const bool scalar = lhs->type == ValueType::scalar && node.rhs->type == ValueType::scalar;
  node.lhs = std::move(lhs);
  return make(std::move(node), span, scalar ? ValueType::scalar : ValueType::vector);
}

bool ParserState::matching(Binary& node) {
  node.return_bool = accept(TokenKind::bool_modifier);
  if (!next_is(TokenKind::on) && !next_is(TokenKind::ignoring)) return true;
  node.matching->on = take().kind == TokenKind::on;
  auto labels = grouping_labels();
  if (!labels) return false;
  node.matching->labels = std::move(*labels);
  if (!next_is(TokenKind::group_left) && !next_is(TokenKind::group_right)) return true;
  using Cardinality = VectorMatching::Cardinality;
  node.matching->cardinality =
      take().kind == TokenKind::group_left ? Cardinality::many_to_one : Cardinality::one_to_many;
  if (!next_is(TokenKind::left_paren))
    return begins_operand(peek().kind) || unexpected({grouping, "\"(\""}) != nullptr;
  auto include = grouping_labels();
  if (!include) return false;
  node.matching->include = std::move(*include);
  return true;
}

bool ParserState::fill_modifiers(bool& present) {
  const auto is_fill = [&] {
    const TokenKind kind = peek().kind;
    return kind == TokenKind::fill || kind == TokenKind::fill_left || kind == TokenKind::fill_right;
  };
  for (int i = 0; i < 2 && is_fill(); ++i) {
    take();
    if (!accept(TokenKind::left_paren)) return unexpected() != nullptr;
    if (next_is(TokenKind::add) || next_is(TokenKind::sub)) take();
    if (!next_is(TokenKind::number) && !next_is(TokenKind::duration)) return unexpected() != nullptr;
    if (!seconds(take())) return false;
    if (!accept(TokenKind::right_paren)) return unexpected() != nullptr;
    present = true;
  }
  return true;
}

std::optional<std::vector<std::string>> ParserState::grouping_labels() {
  if (!accept(TokenKind::left_paren)) {
    unexpected({grouping, "\"(\""});
    return std::nullopt;
  }
  std::vector<std::string> labels;
  if (accept(TokenKind::right_paren)) return labels;
  for (;;) {
    if (!grouping_label(labels)) return std::nullopt;
    if (accept(TokenKind::right_paren)) return labels;
    if (!accept(TokenKind::comma)) {
      unexpected({grouping, "\",\" or \")\""});
      return std::nullopt;
    }
    if (accept(TokenKind::right_paren)) return labels;
  }
}

bool ParserState::grouping_label(std::vector<std::string>& labels) {
  const Place place{grouping, "label"};
  const TokenKind kind = peek().kind;
  const bool three = dialect_ == Dialect::prometheus3;
  if (!can_be_label(kind) && !(three && kind == TokenKind::string)) return unexpected(place) != nullptr;
  if (!three && kind == TokenKind::metric_identifier) return unexpected(place) != nullptr;
  const Token token = take();
  std::string label = token.text;
  if (kind == TokenKind::string) {
    auto text = unquote(token.text);
    if (!text)
      return wrong(token.span, "error unquoting string " + quote(token.text) + ": " + text.error()) !=
             nullptr;
    label = std::move(*text);
    if (label.empty() || !is_utf8(label))
      return wrong(token.span, "invalid label name for grouping: " + quote(label)) != nullptr;
  }
  labels.push_back(std::move(label));
  return true;
}

/// Reads the arguments of a call or aggregation, including the parentheses.
std::optional<std::vector<ExpressionPtr>> ParserState::arguments() {
  if (!accept(TokenKind::left_paren)) {
    unexpected();
    return std::nullopt;
  }
  std::vector<ExpressionPtr> result;
  if (accept(TokenKind::right_paren)) return result;
  for (;;) {
    ExpressionPtr argument = expression(1);
    if (!argument) return std::nullopt;
    result.push_back(std::move(argument));
    if (accept(TokenKind::right_paren)) return result;
    if (!next_is(TokenKind::comma)) {
      unexpected();
      return std::nullopt;
    }
    const Token comma = take();
    if (!begins_operand(peek().kind) && !next_is(TokenKind::error)) {
      wrong(comma.span, "trailing commas not allowed in function call args");
      return std::nullopt;
    }
  }
}

ExpressionPtr ParserState::aggregation(const Token& op) {
  Aggregation node{.op = op.kind, .expression = nullptr, .parameter = nullptr, .grouping = {}};
  std::optional<std::vector<ExpressionPtr>> given;
  Span span = op.span;
  {
    const Rule rule(*this, {"aggregation", ""});
    const auto modifier = [&] {
      node.without = take().kind == TokenKind::without;
      auto labels = grouping_labels();
      if (labels) node.grouping = std::move(*labels);
      return labels.has_value();
    };
    const auto has_modifier = [&] { return next_is(TokenKind::by) || next_is(TokenKind::without); };
    const bool modifier_first = has_modifier();
    if (modifier_first && !modifier()) return nullptr;
    given = arguments();
    if (!given) return nullptr;
    span.end = last_end_;
    if (!modifier_first && has_modifier()) {
      if (!modifier()) return nullptr;
      span.end = last_end_;
    } else if (!modifier_first && next_is(TokenKind::error)) {
      return unexpected();
    }
  }
  if (given->empty()) return wrong(span, "no arguments for aggregate expression provided");
  std::size_t wanted = 1;
  switch (op.kind) {
    case TokenKind::limitk:
    case TokenKind::limit_ratio:
      return wrong(
          span,
          std::string(spelling(op.kind)) +
              "() is experimental and must be enabled with --enable-feature=promql-experimental-functions",
          std::string(spelling(op.kind)));
    case TokenKind::topk:
    case TokenKind::bottomk:
    case TokenKind::quantile:
    case TokenKind::count_values:
      wanted = 2;
      break;
    default:
      break;
  }
  if (given->size() != wanted)
    return wrong(span, "wrong number of arguments for aggregate expression provided, expected " +
                           std::to_string(wanted) + ", got " + std::to_string(given->size()));
  if (wanted == 2) node.parameter = std::move(given->front());
  node.expression = std::move(given->back());
  return make(std::move(node), span, ValueType::vector);
}

ExpressionPtr ParserState::call(const Token& name) {
  auto given = arguments();
  if (!given) return nullptr;
  const Function* function = find_function(name.text, dialect_);
  if (function == nullptr) return wrong(name.span, "unknown function with name " + quote(name.text));
  if (function->experimental)
    return wrong(name.span, "function " + quote(name.text) + " is not enabled", std::string(function->name));
  return make(Call{function, std::move(*given)}, {name.span.start, last_end_}, function->result);
}

}  // namespace fairway::promql
