// SPDX-License-Identifier: Apache-2.0

#include "cel/syntax/parser.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "cel/internal/syntax/parser_state.h"
#include "cel/internal/syntax/utf8.h"

namespace fairway::cel {

namespace {

Span joined(Span a, Span b) {
  return {std::min(a.start, b.start), std::max(a.end, b.end)};
}

const char* relation_function(TokenKind kind) {
  switch (kind) {
    case TokenKind::equal:
      return "_==_";
    case TokenKind::not_equal:
      return "_!=_";
    case TokenKind::less:
      return "_<_";
    case TokenKind::less_equal:
      return "_<=_";
    case TokenKind::greater:
      return "_>_";
    case TokenKind::greater_equal:
      return "_>=_";
    case TokenKind::keyword_in:
      return "@in";
    default:
      return nullptr;
  }
}

}  // namespace

std::string position_text(std::string_view source, std::uint32_t offset) {
  const std::string_view before = source.substr(0, std::min<std::size_t>(offset, source.size()));
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  const std::size_t begin = before.rfind('\n');
  const std::size_t column =
      count_code_points(before.substr(begin == std::string_view::npos ? 0 : begin + 1)) + 1;
  return std::to_string(line) + ":" + std::to_string(column);
}

std::string to_string(const ParseError& error, std::string_view source) {
  return position_text(source, error.span.start) + ": " + error.message;
}

std::string issue_message(const ParseError& error) {
  return (error.kind == ParseError::Kind::syntax ? "Syntax error: " : "") + error.message;
}

std::expected<ExpressionPtr, ParseError> parse(std::string_view source, const ParseOptions& options) {
  if (!is_utf8(source))
    return std::unexpected(ParseError{{}, "the expression is not UTF-8", ParseError::Kind::meaning});
  if (source.size() > options.max_code_points && count_code_points(source) > options.max_code_points)
    return std::unexpected(ParseError{
        {},
        "expression code point size exceeds limit: size: " + std::to_string(count_code_points(source)) +
            ", limit " + std::to_string(options.max_code_points),
        ParseError::Kind::meaning});
  ParserState parser(source, options);
  ExpressionPtr expression = parser.whole();
  if (!expression) return std::unexpected(parser.take_error());
  return expression;
}

ParserState::ParserState(std::string_view source, const ParseOptions& options)
    : options_(options), lexer_(source, options.quoted_fields) {
  take();
}

Token ParserState::take() {
  Token token = std::move(ahead_);
  last_ = token.span;
  auto next = lexer_.next();
  if (next) {
    ahead_ = std::move(*next);
  } else {
    if (!error_) error_ = std::move(next.error());
    ahead_ = Token{};
    ahead_.span = {last_.end, last_.end};
  }
  return token;
}

bool ParserState::accept(TokenKind kind) {
  if (!next_is(kind)) return false;
  take();
  return true;
}

bool ParserState::expect(TokenKind kind, std::string_view what) {
  if (accept(kind)) return true;
  fail(ahead_.span, "missing " + std::string(what));
  return false;
}

ExpressionPtr ParserState::fail(Span span, std::string message) {
  if (!error_) error_ = ParseError{span, std::move(message)};
  return nullptr;
}

ExpressionPtr ParserState::refuse(Span span, std::string message) {
  if (!error_) error_ = ParseError{span, std::move(message), ParseError::Kind::meaning};
  return nullptr;
}

ExpressionPtr ParserState::call(std::string function, Span span, ExpressionPtr a, ExpressionPtr b,
                                ExpressionPtr c) {
  Call node;
  node.function = std::move(function);
  node.arguments.push_back(std::move(a));
  if (b) node.arguments.push_back(std::move(b));
  if (c) node.arguments.push_back(std::move(c));
  return make(std::move(node), span);
}

ExpressionPtr ParserState::whole() {
  ExpressionPtr result = expression();
  if (!result) return nullptr;
  if (error_) return nullptr;
  if (!next_is(TokenKind::end)) return fail(ahead_.span, "unexpected text after the expression");
  return result;
}

ExpressionPtr ParserState::expression() {
  if (error_) return nullptr;
  if (++nesting_ > options_.max_depth)
    return refuse(ahead_.span, "expression is nested deeper than " + std::to_string(options_.max_depth));
  ExpressionPtr result = conditional();
  --nesting_;
  return result;
}

ExpressionPtr ParserState::conditional() {
  ExpressionPtr condition = logical_or();
  if (!condition || !accept(TokenKind::question)) return condition;
  ExpressionPtr yes = logical_or();
  if (!yes || !expect(TokenKind::colon, "':'")) return nullptr;
  ExpressionPtr no = expression();
  if (!no) return nullptr;
  const Span span = joined(condition->span, no->span);
  return call("_?_:_", span, std::move(condition), std::move(yes), std::move(no));
}

ExpressionPtr ParserState::logical_or() {
  ExpressionPtr first = logical_and();
  if (!first || !next_is(TokenKind::logical_or)) return first;
  Call node;
  node.function = "_||_";
  Span span = first->span;
  node.arguments.push_back(std::move(first));
  while (accept(TokenKind::logical_or)) {
    ExpressionPtr term = logical_and();
    if (!term) return nullptr;
    span = joined(span, term->span);
    node.arguments.push_back(std::move(term));
  }
  return make(std::move(node), span);
}

ExpressionPtr ParserState::logical_and() {
  ExpressionPtr first = relation();
  if (!first || !next_is(TokenKind::logical_and)) return first;
  Call node;
  node.function = "_&&_";
  Span span = first->span;
  node.arguments.push_back(std::move(first));
  while (accept(TokenKind::logical_and)) {
    ExpressionPtr term = relation();
    if (!term) return nullptr;
    span = joined(span, term->span);
    node.arguments.push_back(std::move(term));
  }
  return make(std::move(node), span);
}

ExpressionPtr ParserState::relation() {
  ExpressionPtr left = sum();
  while (left) {
    const char* function = relation_function(ahead_.kind);
    if (!function) break;
    take();
    ExpressionPtr right = sum();
    if (!right) return nullptr;
    const Span span = joined(left->span, right->span);
    left = call(function, span, std::move(left), std::move(right));
  }
  return left;
}

ExpressionPtr ParserState::sum() {
  ExpressionPtr left = product();
  while (left && (next_is(TokenKind::plus) || next_is(TokenKind::minus))) {
    const char* function = take().kind == TokenKind::plus ? "_+_" : "_-_";
    ExpressionPtr right = product();
    if (!right) return nullptr;
    const Span span = joined(left->span, right->span);
    left = call(function, span, std::move(left), std::move(right));
  }
  return left;
}

ExpressionPtr ParserState::product() {
  ExpressionPtr left = unary();
  while (left && (next_is(TokenKind::star) || next_is(TokenKind::slash) || next_is(TokenKind::percent))) {
    const TokenKind kind = take().kind;
    ExpressionPtr right = unary();
    if (!right) return nullptr;
    const Span span = joined(left->span, right->span);
    left = call(kind == TokenKind::star    ? "_*_"
                : kind == TokenKind::slash ? "_/_"
                                           : "_%_",
                span, std::move(left), std::move(right));
  }
  return left;
}

ExpressionPtr ParserState::unary() {
  const Span begin = ahead_.span;
  if (next_is(TokenKind::exclamation)) {
    bool odd = false;
    while (accept(TokenKind::exclamation)) odd = !odd;
    ExpressionPtr operand = member();
    if (!operand || !odd) return operand;
    const Span span = joined(begin, operand->span);
    return call("!_", span, std::move(operand));
  }
  if (next_is(TokenKind::minus)) {
    std::size_t signs = 0;
    for (; next_is(TokenKind::minus); ++signs) take();
    const bool odd = signs % 2 == 1;
    // One sign before a number belongs to it: -9223372036854775808 has no positive.
    if (signs == 1 && next_is(TokenKind::integer)) {
      ahead_.text.insert(0, "-");
      return member();
    }
    if (signs == 1 && next_is(TokenKind::literal) && std::holds_alternative<double>(ahead_.literal.value)) {
      ahead_.literal.value = -std::get<double>(ahead_.literal.value);
      return member();
    }
    ExpressionPtr operand = member();
    if (!operand || !odd) return operand;
    const Span span = joined(begin, operand->span);
    return call("-_", span, std::move(operand));
  }
  return member();
}

ExpressionPtr ParserState::member() {
  ExpressionPtr operand = primary();
  while (operand) {
    if (accept(TokenKind::dot)) {
      operand = member_after_dot(std::move(operand));
    } else if (accept(TokenKind::left_bracket)) {
      operand = index_of(std::move(operand));
    } else if (next_is(TokenKind::left_brace)) {
      std::string name = qualified_name(*operand);
      if (name.empty()) return fail(ahead_.span, "'{' does not follow the name of a type");
      operand = message(std::move(name), operand->span);
    } else {
      break;
    }
  }
  return operand;
}

ExpressionPtr ParserState::member_after_dot(ExpressionPtr operand) {
  const Span begin = operand->span;
  const bool optional = accept(TokenKind::question);
  if (!next_is(TokenKind::identifier) && !next_is(TokenKind::quoted_identifier))
    return fail(ahead_.span, "missing a name after '.'");
  const bool quoted = next_is(TokenKind::quoted_identifier);
  std::string name = take().text;
  const Span span = joined(begin, last_);
  if (optional) {
    ExpressionPtr field = literal(Literal{std::move(name)}, last_);
    if (!field) return nullptr;
    return call("_?._", span, std::move(operand), std::move(field));
  }
  if (!quoted && accept(TokenKind::left_paren)) {
    std::vector<ExpressionPtr> list;
    if (!arguments(list)) return nullptr;
    return member_call(std::move(operand), std::move(name), std::move(list), joined(begin, last_));
  }
  return make(Select{std::move(operand), std::move(name), false}, span);
}

ExpressionPtr ParserState::index_of(ExpressionPtr operand) {
  const Span begin = operand->span;
  const bool optional = accept(TokenKind::question);
  ExpressionPtr index = expression();
  if (!index || !expect(TokenKind::right_bracket, "']'")) return nullptr;
  return call(optional ? "_[?_]" : "_[_]", joined(begin, last_), std::move(operand), std::move(index));
}

bool ParserState::arguments(std::vector<ExpressionPtr>& out) {
  if (accept(TokenKind::right_paren)) return true;
  do {
    ExpressionPtr argument = expression();
    if (!argument) return false;
    out.push_back(std::move(argument));
  } while (accept(TokenKind::comma));
  return expect(TokenKind::right_paren, "')'");
}

ExpressionPtr ParserState::literal(Literal value, Span span) {
  return make(std::move(value), span);
}

ExpressionPtr ParserState::integer(const std::string& text, bool negative, Span span) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string digits = (negative ? "-" : "") + (hex ? text.substr(2) : text);
  std::int64_t value = 0;
  const auto [end, status] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (status != std::errc{} || end != digits.data() + digits.size())
    return refuse(span, "invalid int literal");
  return literal(Literal{value}, span);
}

ExpressionPtr ParserState::primary() {
  if (error_) return nullptr;
  const Span begin = ahead_.span;
  switch (ahead_.kind) {
    case TokenKind::keyword_true:
    case TokenKind::keyword_false:
      return literal(Literal{take().kind == TokenKind::keyword_true}, begin);
    case TokenKind::keyword_null:
      take();
      return literal(Literal{NullLiteral{}}, begin);
    case TokenKind::integer: {
      std::string text = take().text;
      const bool negative = text.starts_with('-');
      return integer(negative ? text.substr(1) : text, negative, begin);
    }
    case TokenKind::literal:
      return literal(std::move(take().literal), begin);
    case TokenKind::left_paren: {
      take();
      ExpressionPtr inside = expression();
      if (!inside || !expect(TokenKind::right_paren, "')'")) return nullptr;
      return inside;
    }
    case TokenKind::left_bracket:
      return list();
    case TokenKind::left_brace:
      return map();
    case TokenKind::dot:
    case TokenKind::identifier:
      return name_or_call();
    case TokenKind::end:
      return fail(begin, "unexpected end of the expression");
    default:
      return fail(begin, "unexpected token");
  }
}

ExpressionPtr ParserState::name_or_call() {
  const Span begin = ahead_.span;
  const bool absolute = accept(TokenKind::dot);
  if (!next_is(TokenKind::identifier)) return fail(ahead_.span, "missing a name after '.'");
  std::string name = take().text;
  if (is_reserved(name)) return refuse(last_, "reserved identifier: " + name);
  if (absolute) name.insert(0, ".");
  if (accept(TokenKind::left_paren)) {
    std::vector<ExpressionPtr> list;
    if (!arguments(list)) return nullptr;
    return global_call(std::move(name), std::move(list), joined(begin, last_));
  }
  return make(Identifier{std::move(name)}, joined(begin, last_));
}

ExpressionPtr ParserState::list() {
  const Span begin = take().span;
  ListLiteral node;
  while (!next_is(TokenKind::right_bracket)) {
    ListElement element;
    element.optional = accept(TokenKind::question);
    element.value = expression();
    if (!element.value) return nullptr;
    node.elements.push_back(std::move(element));
    if (!accept(TokenKind::comma)) break;
  }
  if (!expect(TokenKind::right_bracket, "']'")) return nullptr;
  return make(std::move(node), joined(begin, last_));
}

ExpressionPtr ParserState::map() {
  const Span begin = take().span;
  MapLiteral node;
  while (!next_is(TokenKind::right_brace)) {
    MapEntry entry;
    entry.optional = accept(TokenKind::question);
    entry.key = expression();
    if (!entry.key || !expect(TokenKind::colon, "':'")) return nullptr;
    entry.value = expression();
    if (!entry.value) return nullptr;
    node.entries.push_back(std::move(entry));
    if (!accept(TokenKind::comma)) break;
  }
  if (!expect(TokenKind::right_brace, "'}'")) return nullptr;
  return make(std::move(node), joined(begin, last_));
}

ExpressionPtr ParserState::message(std::string name, Span begin) {
  take();
  MessageLiteral node;
  node.name = std::move(name);
  while (!next_is(TokenKind::right_brace)) {
    MessageField field;
    field.optional = accept(TokenKind::question);
    if (!next_is(TokenKind::identifier) && !next_is(TokenKind::quoted_identifier))
      return fail(ahead_.span, "missing the name of a field");
    field.name = take().text;
    if (!expect(TokenKind::colon, "':'")) return nullptr;
    field.value = expression();
    if (!field.value) return nullptr;
    node.fields.push_back(std::move(field));
    if (!accept(TokenKind::comma)) break;
  }
  if (!expect(TokenKind::right_brace, "'}'")) return nullptr;
  return make(std::move(node), joined(begin, last_));
}

std::string ParserState::qualified_name(const Expression& expression) {
  if (const auto* name = std::get_if<Identifier>(&expression.node)) return name->name;
  const auto* select = std::get_if<Select>(&expression.node);
  if (!select || select->test_only) return "";
  std::string before = qualified_name(*select->operand);
  return before.empty() ? before : before + "." + select->field;
}

}  // namespace fairway::cel
