// SPDX-License-Identifier: Apache-2.0

#include "promql/internal/parser/lexer.h"

#include <map>
#include <string>

#include "base/text.h"

namespace fairway::promql {

namespace {

constexpr char32_t replacement = 0xFFFD;
constexpr std::string_view decimal_digits = "0123456789";
constexpr std::string_view hexadecimal_digits = "0123456789abcdefABCDEF";

bool is_space(char32_t c) {
  return c == U' ' || c == U'\t' || c == U'\n' || c == U'\r';
}
bool is_digit(char32_t c) {
  return c >= U'0' && c <= U'9';
}
bool is_alpha(char32_t c) {
  return c == U'_' || (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
}
bool is_alphanumeric(char32_t c) {
  return is_alpha(c) || is_digit(c);
}

/// Returns the words that have a meaning anywhere, in any mix of cases: keywords, operators, aggregations,
/// `inf` and `nan`.
const std::map<std::string_view, TokenKind>& words_of_the_language() {
  static const std::map<std::string_view, TokenKind> words = [] {
    std::map<std::string_view, TokenKind> result;
    for (int kind = static_cast<int>(TokenKind::and_set); kind <= static_cast<int>(TokenKind::min_of); ++kind)
      result.emplace(spelling(static_cast<TokenKind>(kind)), static_cast<TokenKind>(kind));
    result.emplace("inf", TokenKind::number);
    result.emplace("nan", TokenKind::number);
    return result;
  }();
  return words;
}

/// Returns whether a word was added after 2.42.
bool is_new_in_3(TokenKind kind) {
  switch (kind) {
    case TokenKind::limitk:
    case TokenKind::limit_ratio:
    case TokenKind::smoothed:
    case TokenKind::anchored:
    case TokenKind::fill:
    case TokenKind::fill_left:
    case TokenKind::fill_right:
    case TokenKind::step:
    case TokenKind::range:
    case TokenKind::max_of:
    case TokenKind::min_of:
      return true;
    default:
      return false;
  }
}

}  // namespace

Rune Lexer::peek() const {
  return first_rune(query_.substr(position_));
}

bool Lexer::next_is(std::string_view set) const {
  return position_ < query_.size() && set.find(query_[position_]) != std::string_view::npos;
}

bool Lexer::accept(std::string_view set) {
  if (!next_is(set)) return false;
  ++position_;
  return true;
}

Token Lexer::take(TokenKind kind) {
  Token token{kind, {start_, position_}, std::string(query_.substr(start_, position_ - start_))};
  start_ = position_;
  return token;
}

Token Lexer::wrong(std::string message) {
  done_ = true;
  return {TokenKind::error, {start_, query_.size()}, std::move(message)};
}

bool Lexer::skip_spaces_and_comments() {
  for (;;) {
    while (position_ < query_.size() && is_space(static_cast<unsigned char>(query_[position_]))) ++position_;
    if (position_ >= query_.size() || query_[position_] != '#' || at_duration_expression_) break;
    const std::size_t line_end = query_.find_first_of("\r\n", position_);
    position_ = line_end == std::string_view::npos ? query_.size() : line_end;
  }
  start_ = position_;
  return position_ < query_.size();
}

Token Lexer::next() {
  if (done_) return {TokenKind::end, {query_.size(), query_.size()}, ""};
  const bool more = skip_spaces_and_comments();
  if (!more) {
    if (in_braces_) return wrong("unexpected end of input inside braces");
    if (at_duration_expression_)
      return wrong(dialect_ == Dialect::prometheus3 ? "unexpected end of input in duration expression"
                                                    : "missing unit character in duration");
    if (parens_ != 0) return wrong("unclosed left parenthesis");
    if (in_brackets_) return wrong("unclosed left bracket");
    done_ = true;
    return take(TokenKind::end);
  }
  if (in_braces_) return inside_braces();
  if (at_duration_expression_) return duration_expression();
  return statement();
}

Token Lexer::statement() {
  const Rune rune = peek();
  const char32_t c = rune.value;
  if (is_digit(c) || (c == U'.' && position_ + 1 < query_.size() && is_digit(query_[position_ + 1])))
    return number_or_duration();
  if ((is_alpha(c) || c == U':') && !in_brackets_) return word();
  position_ += rune.width;
  if (is_alpha(c) || c == U':') {
    if (c == U':' || dialect_ == Dialect::prometheus2) {
      if (got_colon_) return wrong("unexpected colon " + quote_character(c));
      got_colon_ = true;
      return take(TokenKind::colon);
    }
    TokenKind kind;
    if (scan_duration_word(kind)) return take(kind);
    return wrong("unexpected character: " + quote_character(c) + ", expected ':'");
  }
  switch (c) {
    case U',':
      return take(TokenKind::comma);
    case U'"':
    case U'\'':
      return quoted_string(static_cast<char>(c));
    case U'`':
      return raw_string();
    case U'(':
      ++parens_;
      return take(TokenKind::left_paren);
    case U')':
      if (--parens_ >= 0) return take(TokenKind::right_paren);
      start_ = position_;
      return wrong("unexpected right parenthesis ')'");
    case U'{':
      in_braces_ = true;
      return take(TokenKind::left_brace);
    case U'[':
      if (in_brackets_) return wrong("unexpected left bracket '['");
      in_brackets_ = true;
      got_colon_ = false;
      at_duration_expression_ = true;
      return take(TokenKind::left_bracket);
    case U']':
      if (!in_brackets_) return wrong("unexpected right bracket ']'");
      in_brackets_ = false;
      return take(TokenKind::right_bracket);
    default:
      return operator_token(c);
  }
}

Token Lexer::operator_token(char32_t c) {
  const bool three = dialect_ == Dialect::prometheus3;
  switch (c) {
    case U'*':
      return take(TokenKind::mul);
    case U'/':
      return take(TokenKind::div);
    case U'%':
      return take(TokenKind::mod);
    case U'+':
      return take(TokenKind::add);
    case U'-':
      return take(TokenKind::sub);
    case U'^':
      return take(TokenKind::pow);
    case U'@':
      return take(TokenKind::at);
    case U'=':
      if (accept("=")) return take(TokenKind::equal);
      if (next_is("~")) return wrong("unexpected character after '=': '~'");
      return take(TokenKind::equals);
    case U'!': {
      if (accept("=")) return take(TokenKind::not_equal);
      const Rune after = peek();
      return wrong("unexpected character after '!': " +
                   quote_character(after.width == 0 ? replacement : after.value));
    }
    case U'<':
      if (accept("=")) return take(TokenKind::less_equal);
      if (three && accept("/")) return take(TokenKind::trim_upper);
      return take(TokenKind::less);
    case U'>':
      if (accept("=")) return take(TokenKind::greater_equal);
      if (three && accept("/")) return take(TokenKind::trim_lower);
      return take(TokenKind::greater);
    default:
      return wrong("unexpected character: " + quote_character(c));
  }
}

Token Lexer::inside_braces() {
  const Rune rune = peek();
  if (is_alpha(rune.value)) {
    while (is_alphanumeric(peek().value)) ++position_;
    return take(TokenKind::identifier);
  }
  position_ += rune.width;
  switch (rune.value) {
    case U',':
      return take(TokenKind::comma);
    case U'"':
    case U'\'':
      return quoted_string(static_cast<char>(rune.value));
    case U'`':
      return raw_string();
    case U'=':
      return take(accept("~") ? TokenKind::regex_match : TokenKind::equals);
    case U'!': {
      if (accept("~")) return take(TokenKind::regex_no_match);
      if (accept("=")) return take(TokenKind::not_equal);
      const Rune after = peek();
      return wrong("unexpected character after '!' inside braces: " +
                   quote_character(after.width == 0 ? replacement : after.value));
    }
    case U'{':
      return wrong("unexpected left brace '{'");
    case U'}':
      in_braces_ = false;
      return take(TokenKind::right_brace);
    default:
      return wrong("unexpected character inside braces: " + quote_character(rune.value));
  }
}

Token Lexer::duration_expression() {
  if (dialect_ == Dialect::prometheus2) {
    at_duration_expression_ = false;
    if (scan_number()) return wrong("missing unit character in duration");
    if (!scan_rest_of_duration())
      return wrong("bad duration syntax: " + quote(query_.substr(start_, position_ - start_)));
    return take(TokenKind::duration);
  }
  const Rune rune = peek();
  const char32_t c = rune.value;
  if (is_digit(c) || (c == U'.' && position_ + 1 < query_.size() && is_digit(query_[position_ + 1]))) {
    at_duration_expression_ = false;
    got_duration_ = true;
    return number_or_duration();
  }
  position_ += rune.width;
  switch (c) {
    case U']':
      in_brackets_ = at_duration_expression_ = false;
      return take(TokenKind::right_bracket);
    case U':':
      if (got_duration_) {
        got_colon_ = true;
        return take(TokenKind::colon);
      }
      start_ = position_;
      return wrong("unexpected colon before duration in duration expression");
    case U'(':
      ++parens_;
      return take(TokenKind::left_paren);
    case U')':
      if (--parens_ >= 0) return take(TokenKind::right_paren);
      start_ = position_;
      return wrong("unexpected right parenthesis ')'");
    case U'+':
    case U'-':
    case U'*':
    case U'/':
    case U'%':
    case U'^':
      return operator_token(c);
    case U',':
      return take(TokenKind::comma);
    default:
      break;
  }
  TokenKind kind;
  if (is_alpha(c) && scan_duration_word(kind)) return take(kind);
  return wrong("unexpected character in duration expression: " + quote_character(c));
}

/// Reads "step", "range", "max_of" or "min_of", whose first letter is already taken.
bool Lexer::scan_duration_word(TokenKind& kind) {
  if (std::string_view("sSrRmM").find(query_[start_]) == std::string_view::npos) return false;
  while (is_alpha(peek().value)) ++position_;
  const auto& words = words_of_the_language();
  const auto found = words.find(to_lower(query_.substr(start_, position_ - start_)));
  if (found == words.end() || found->second < TokenKind::step) return false;
  kind = found->second;
  return true;
}

Token Lexer::number_or_duration() {
  if (scan_number()) return take(TokenKind::number);
  if (scan_rest_of_duration()) return take(TokenKind::duration);
  return wrong("bad number or duration syntax: " + quote(query_.substr(start_, position_ - start_)));
}

bool Lexer::scan_number() {
  std::string_view digits = decimal_digits;
  const bool three = dialect_ == Dialect::prometheus3;
  if (accept("0") && accept("xX")) {
    if (three) accept("_");
    digits = hexadecimal_digits;
  }
  const auto at_end = [&] { return position_ >= query_.size(); };
  if (!three) {
    while (accept(digits)) continue;
    if (accept(".")) {
      while (accept(digits)) continue;
    }
    if (accept("eE")) {
      accept("+-");
      while (accept(decimal_digits)) continue;
    }
    return !is_alphanumeric(peek().value);
  }
  accept(".");
  accept(digits);
  bool dot = false, exponent = false;
  while (next_is(digits) || next_is("._eE")) {
    if (dot && accept(".")) return false;
    if (exponent && accept("eE")) return false;
    if (accept(".")) {
      dot = true;
      if (accept("_.") || digits.size() > 10) return false;
    } else if (accept("eE")) {
      exponent = true;
      accept("+-");
      if (accept("._eE") || at_end()) return false;
    } else if (accept("_")) {
      if (accept("._eE") || at_end()) return false;
    } else {
      while (accept(digits)) continue;
    }
  }
  return position_ != start_ && !is_alphanumeric(peek().value);
}

bool Lexer::scan_rest_of_duration() {
  if (!accept("smhdwy")) return false;
  // "ms"; wrong units such as "hs" are found when the duration is read.
  accept("s");
  while (accept(decimal_digits)) {
    while (accept(decimal_digits)) continue;
    if (!accept("smhdw")) return false;
    accept("s");
  }
  if (!is_alphanumeric(peek().value)) return true;
  ++position_;
  return false;
}

Token Lexer::quoted_string(char delimiter) {
  for (;;) {
    const Rune rune = peek();
    if (rune.width == 0 || rune.value == U'\n') return wrong("unterminated quoted string");
    if (rune.value == replacement) return wrong("invalid UTF-8 rune");
    position_ += rune.width;
    if (rune.value == static_cast<char32_t>(delimiter)) return take(TokenKind::string);
    if (rune.value != U'\\') continue;
    if (std::string why = scan_escape(static_cast<char32_t>(delimiter)); !why.empty())
      return wrong(std::move(why));
  }
}

/// Reads an escape sequence after its backslash. Returns what is wrong with it; empty if nothing is.
std::string Lexer::scan_escape(char32_t delimiter) {
  constexpr const char* not_terminated = "escape sequence not terminated";
  Rune rune = peek();
  if (rune.width == 0) return not_terminated;
  const char32_t c = rune.value;
  if (c == delimiter || c == U'\\' ||
      (c < 0x80 && std::string_view("abfnrtv").find(static_cast<char>(c)) != std::string_view::npos)) {
    position_ += rune.width;
    return {};
  }
  int count = 3;
  std::string_view digits = "01234567";
  char32_t limit = 255;
  if (c == U'x' || c == U'u' || c == U'U') {
    position_ += rune.width;
    count = c == U'x' ? 2 : c == U'u' ? 4 : 8;
    digits = hexadecimal_digits;
    if (c != U'x') limit = 0x10FFFF;
  } else if (c < U'0' || c > U'7') {
    return "unknown escape sequence " + describe_character(c);
  }
  std::uint32_t value = 0;
  for (; count > 0; --count) {
    rune = peek();
    if (rune.width == 0) return not_terminated;
    if (!next_is(digits))
      return "illegal character " + describe_character(rune.value) + " in escape sequence";
    const auto letter = static_cast<std::uint32_t>(rune.value);
    const std::uint32_t digit = is_digit(letter) ? letter - '0' : (letter | 0x20U) - 'a' + 10;
    value = value * (digits.size() == 8 ? 8 : 16) + digit;
    position_ += rune.width;
  }
  if (value > limit || (value >= 0xD800 && value < 0xE000))
    return "escape sequence is an invalid Unicode code point";
  return {};
}

Token Lexer::raw_string() {
  for (;;) {
    const Rune rune = peek();
    if (rune.width == 0) return wrong("unterminated raw string");
    if (rune.value == replacement) return wrong("invalid UTF-8 rune");
    position_ += rune.width;
    if (rune.value == U'`') return take(TokenKind::string);
  }
}

bool Lexer::is_followed_by_paren() const {
  const std::size_t next = query_.find_first_not_of(" \t\n\r", position_);
  return next != std::string_view::npos && query_[next] == '(';
}

Token Lexer::word() {
  bool colon = false;
  for (Rune rune = peek(); is_alphanumeric(rune.value) || rune.value == U':'; rune = peek()) {
    colon |= rune.value == U':';
    position_ += rune.width;
  }
  const auto& words = words_of_the_language();
  const auto found = words.find(to_lower(query_.substr(start_, position_ - start_)));
  if (found != words.end()) {
    const TokenKind kind = found->second;
    const bool is_fill =
        kind == TokenKind::fill || kind == TokenKind::fill_left || kind == TokenKind::fill_right;
    if (dialect_ == Dialect::prometheus2 ? !is_new_in_3(kind) : !is_fill || is_followed_by_paren())
      return take(kind);
  }
  return take(colon ? TokenKind::metric_identifier : TokenKind::identifier);
}

}  // namespace fairway::promql
