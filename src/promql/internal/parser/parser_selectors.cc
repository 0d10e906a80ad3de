// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <limits>

#include "promql/internal/parser/parser_state.h"
#include "promql/parser/go_text.h"

namespace fairway::promql {

namespace {

constexpr std::string_view label_matching = "label matching";
constexpr double nanoseconds_in_second = 1e9;
/// The longest duration in seconds: Prometheus keeps it as an int64 of nanoseconds.
constexpr double longest_duration = 9223372036.854775;

std::optional<Matcher::Kind> matcher_kind(TokenKind kind) {
  switch (kind) {
    case TokenKind::equals:
      return Matcher::Kind::equal;
    case TokenKind::not_equal:
      return Matcher::Kind::not_equal;
    case TokenKind::regex_match:
      return Matcher::Kind::regex;
    case TokenKind::regex_no_match:
      return Matcher::Kind::not_regex;
    default:
      return std::nullopt;
  }
}

bool is_sign(TokenKind kind) {
  return kind == TokenKind::add || kind == TokenKind::sub;
}

bool begins_duration_expression(TokenKind kind) {
  return kind == TokenKind::left_paren || kind >= TokenKind::step;
}

bool continues_duration_expression(TokenKind kind) {
  return is_sign(kind) || kind == TokenKind::mul || kind == TokenKind::div || kind == TokenKind::mod ||
         kind == TokenKind::pow;
}

Nanoseconds to_nanoseconds(double seconds) {
  return static_cast<Nanoseconds>(std::round(seconds * nanoseconds_in_second));
}

/// Converts seconds to milliseconds; a value beyond the range of an int64 becomes the nearest in range.
std::int64_t to_milliseconds(double seconds) {
  const double milliseconds = std::round(seconds * 1000);
  constexpr double limit = 9223372036854774784.0;
  if (milliseconds >= limit) return std::numeric_limits<std::int64_t>::max();
  if (milliseconds <= -limit) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(milliseconds);
}

}  // namespace

/// Reads signs before a duration: any number of them in Prometheus 3, one in 2.x.
ParserState::Signs ParserState::take_signs() {
  Signs signs;
  while (is_sign(peek().kind) && (signs.count == 0 || dialect_ == Dialect::prometheus3)) {
    if (take().kind == TokenKind::sub) signs.product = -signs.product;
    ++signs.count;
  }
  return signs;
}

std::nullptr_t ParserState::refuse_duration_expression(Span span) {
  return wrong(span, "experimental duration expression is not enabled", "duration expressions");
}

/// Reads duration arithmetic, which is experimental: as much of it as determines Prometheus's error and its
/// position. `first` is its beginning, including its sign.
std::nullptr_t ParserState::duration_expression(Span first, Place place) {
  const TokenKind word = peek().kind;
  if (word == TokenKind::step || word == TokenKind::range) {
    take();
    if (!accept(TokenKind::left_paren) || !accept(TokenKind::right_paren)) return unexpected(place);
    return refuse_duration_expression(first);
  }
  if (word != TokenKind::left_paren) {
    take();
    if (!next_is(TokenKind::left_paren)) return unexpected(place);
  }
  while (next_is(TokenKind::left_paren)) take();
  const TokenKind kind = peek().kind;
  if (kind != TokenKind::number && kind != TokenKind::duration && !is_sign(kind) && kind < TokenKind::step)
    return unexpected(place);
  return refuse_duration_expression(peek().span);
}

ExpressionPtr ParserState::selector(std::optional<Token> name) {
  VectorSelector node;
  Span span = name ? name->span : peek().span;
  if (next_is(TokenKind::left_brace) && !label_matchers(node, span)) return nullptr;
  if (name) {
    node.name = name->text;
    auto matcher = Matcher::make(Matcher::Kind::equal, std::string(metric_name_label), name->text, dialect_);
    node.matchers.push_back(std::move(*matcher));
  }
  return make(std::move(node), span, ValueType::vector);
}

bool ParserState::label_matchers(VectorSelector& selector, Span& span) {
  take();
  while (!next_is(TokenKind::right_brace)) {
    if (!selector.matchers.empty() && !accept(TokenKind::comma))
      return unexpected({label_matching, "\",\" or \"}\""}) != nullptr;
    if (!selector.matchers.empty() && next_is(TokenKind::right_brace)) break;
    auto matcher = label_matcher();
    if (!matcher) return false;
    selector.matchers.push_back(std::move(*matcher));
  }
  span.end = take().span.end;
  return true;
}

std::optional<Matcher> ParserState::label_matcher() {
  const bool quoted = next_is(TokenKind::string) && dialect_ == Dialect::prometheus3;
  if (!quoted && !next_is(TokenKind::identifier)) {
    unexpected({label_matching, "identifier or \"}\""});
    return std::nullopt;
  }
  const Token label = take();
  std::string name = label.text;
  if (quoted) {
    auto text = unquote(label.text);
    if (!text) {
      wrong(label.span, "error unquoting string " + quote(label.text) + ": " + text.error());
      return std::nullopt;
    }
    name = std::move(*text);
  }
  const auto kind = matcher_kind(peek().kind);
  if (!kind && quoted) {
    // A quoted text alone is the name of the metric.
    if (next_is(TokenKind::error)) {
      unexpected();
      return std::nullopt;
    }
    return *Matcher::make(Matcher::Kind::equal, std::string(metric_name_label), std::move(name), dialect_);
  }
  if (!kind) {
    unexpected({label_matching, "label matching operator"});
    return std::nullopt;
  }
  take();
  if (!next_is(TokenKind::string)) {
    unexpected({label_matching, "string"});
    return std::nullopt;
  }
  const Token literal = take();
  auto value = unquote(literal.text);
  if (!value) {
    wrong(literal.span, "error unquoting string " + quote(literal.text) + ": " + value.error());
    return std::nullopt;
  }
  auto matcher = Matcher::make(*kind, std::move(name), std::move(*value), dialect_);
  if (!matcher) {
    wrong({label.span.start, literal.span.end}, matcher.error());
    return std::nullopt;
  }
  return std::move(*matcher);
}

/// Reads ranges, subqueries, offset and @, which bind tighter than any operator.
ExpressionPtr ParserState::suffixes(ExpressionPtr result) {
  while (result) {
    switch (peek().kind) {
      case TokenKind::offset:
        result = offset(std::move(result));
        break;
      case TokenKind::at:
        result = at(std::move(result));
        break;
      case TokenKind::left_bracket:
        result = range_or_subquery(std::move(result));
        break;
      case TokenKind::anchored:
      case TokenKind::smoothed: {
        const std::string word(spelling(take().kind));
        return wrong(result->span, word + " modifier is experimental and not enabled", word);
      }
      default:
        return result;
    }
  }
  return result;
}

/// Returns the place of offset and @ in an expression; nullptr, and an error, if it has none.
TimeShift* ParserState::shift_of(Expression& expression, const char* what) {
  auto& node = expression.node;
  if (auto* selector = std::get_if<VectorSelector>(&node)) return &selector->time;
  if (auto* subquery = std::get_if<Subquery>(&node)) return &subquery->time;
  if (auto* matrix = std::get_if<MatrixSelector>(&node))
    return &std::get<VectorSelector>(matrix->selector->node).time;
  return wrong(expression.span, std::string(what) +
                                    " modifier must be preceded by an instant vector selector or " +
                                    "range vector selector or a subquery");
}

ExpressionPtr ParserState::offset(ExpressionPtr expression) {
  take();
  const bool three = dialect_ == Dialect::prometheus3;
  const Place place{"offset", three ? "number, duration, step(), or range()" : "duration"};
  const Span first = peek().span;
  const Signs signs = three || next_is(TokenKind::sub) ? take_signs() : Signs{};
  const TokenKind kind = peek().kind;
  if (three && begins_duration_expression(kind)) return duration_expression(first, place);
  if (kind != TokenKind::duration && !(three && kind == TokenKind::number)) return unexpected(place);
  const Token token = take();
  const auto value = seconds(token);
  if (!value) return nullptr;
  if (!three && *value == 0) return wrong(token.span, "duration must be greater than 0");
  // One sign is the offset's own; more are an expression, which goes on.
  if (signs.count > 1 && continues_duration_expression(peek().kind)) return refuse_duration_expression(first);
  if (!(std::abs(*value) <= longest_duration)) return wrong(first, "duration out of range");
  TimeShift* time = shift_of(*expression, "offset");
  if (time == nullptr) return nullptr;
  if (time->offset != 0) return wrong(expression->span, "offset may not be set multiple times");
  time->offset = to_nanoseconds(signs.product * *value);
  expression->span.end = last_end_;
  return expression;
}

ExpressionPtr ParserState::at(ExpressionPtr expression) {
  take();
  const bool three = dialect_ == Dialect::prometheus3;
  const Rule rule(*this, {"@", "timestamp"});
  TimeShift time;
  if (next_is(TokenKind::start) || next_is(TokenKind::end_word)) {
    if (!at_word(time)) return nullptr;
  } else {
    double sign = 1;
    if (is_sign(peek().kind)) sign = take().kind == TokenKind::sub ? -1 : 1;
    if (!next_is(TokenKind::number) && !(three && next_is(TokenKind::duration))) return unexpected();
    const auto value = seconds(take());
    if (!value) return nullptr;
    const double when = sign * *value;
    constexpr double limit = 9223372036854775808.0;
    if (!(when > -limit && when < limit))
      return wrong(expression->span, "timestamp out of bounds for @ modifier: " + format_fixed(when, 6));
    time.anchor = TimeShift::Anchor::timestamp;
    time.timestamp = to_milliseconds(when);
  }
  TimeShift* target = shift_of(*expression, "@");
  if (target == nullptr) return nullptr;
  if (target->anchor != TimeShift::Anchor::none)
    return wrong(expression->span, "@ <timestamp> may not be set multiple times");
  target->anchor = time.anchor;
  target->timestamp = time.timestamp;
  expression->span.end = last_end_;
  return expression;
}

bool ParserState::at_word(TimeShift& time) {
  time.anchor = take().kind == TokenKind::start ? TimeShift::Anchor::start : TimeShift::Anchor::end;
  if (!accept(TokenKind::left_paren) || !accept(TokenKind::right_paren)) return unexpected() != nullptr;
  return true;
}

/// Reads a duration in brackets, or after the colon in them.
std::optional<Nanoseconds> ParserState::positive_duration(Place place) {
  const bool three = dialect_ == Dialect::prometheus3;
  const Span first = peek().span;
  const Signs signs = three ? take_signs() : Signs{};
  if (three && begins_duration_expression(peek().kind)) {
    duration_expression(first, place);
    return std::nullopt;
  }
  if (!next_is(TokenKind::duration) && !(three && next_is(TokenKind::number))) {
    unexpected(place);
    return std::nullopt;
  }
  const Token token = take();
  const auto value = seconds(token);
  if (!value) return std::nullopt;
  if (three && continues_duration_expression(peek().kind)) {
    refuse_duration_expression(first);
    return std::nullopt;
  }
  if (!(std::abs(*value) <= longest_duration)) {
    wrong(first, "duration out of range");
    return std::nullopt;
  }
  if (!(signs.product * *value > 0)) {
    if (next_is(TokenKind::error)) {
      unexpected();
    } else {
      wrong(first, "duration must be greater than 0");
    }
    return std::nullopt;
  }
  return to_nanoseconds(*value);
}

ExpressionPtr ParserState::range_or_subquery(ExpressionPtr expression) {
  const Token open = take();
  const bool three = dialect_ == Dialect::prometheus3;
  const auto range =
      positive_duration(three ? Place{"subquery or range selector", "number, duration, step(), or range()"}
                              : Place{"subquery selector", "duration"});
  if (!range) return nullptr;
  if (accept(TokenKind::colon)) {
    Nanoseconds step = 0;
    if (!next_is(TokenKind::right_bracket)) {
      const auto given = positive_duration(
          {"subquery selector", three ? "number, duration, step(), range(), or \"]\"" : "duration or \"]\""});
      if (!given) return nullptr;
      step = *given;
      if (!next_is(TokenKind::right_bracket)) return unexpected({"subquery selector", "\"]\""});
    }
    const Span span{expression->span.start, take().span.end};
    return make(Subquery{std::move(expression), *range, step, {}}, span, ValueType::matrix);
  }
  if (!next_is(TokenKind::right_bracket)) return unexpected({"subquery or range", "\":\" or \"]\""});
  const Span brackets{open.span.start, take().span.end};
  const auto* selector = std::get_if<VectorSelector>(&expression->node);
  if (selector == nullptr) return wrong(brackets, "ranges only allowed for vector selectors");
  if (selector->time.offset != 0) return wrong(brackets, "no offset modifiers allowed before range");
  if (selector->time.anchor != TimeShift::Anchor::none)
    return wrong(brackets, "no @ modifiers allowed before range");
  const Span span{expression->span.start, brackets.end};
  return make(MatrixSelector{std::move(expression), *range}, span, ValueType::matrix);
}

}  // namespace fairway::promql
