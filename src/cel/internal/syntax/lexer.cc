// SPDX-License-Identifier: Apache-2.0

#include "cel/internal/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/hex.h"
#include "base/quoted_text.h"
#include "cel/internal/syntax/utf8.h"

namespace fairway::cel {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
/// Returns the value of exactly `count` digits of a base, or -1.
std::int64_t digits_value(std::string_view text, std::size_t at, std::size_t count, int base) {
  if (at + count > text.size()) return -1;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const int digit = hex_value(text[at + i]);
    if (digit < 0 || digit >= base) return -1;
    value = value * base + digit;
  }
  return value;
}

}  // namespace

bool is_reserved(std::string_view word) {
  static constexpr std::array<std::string_view, 18> words = {
      "as",  "break", "const",   "continue",  "else",   "for", "function", "if",    "import",
      "let", "loop",  "package", "namespace", "return", "var", "void",     "while", "in"};
  return std::ranges::find(words, word) != words.end();
}

std::expected<std::string, std::string> unescape(std::string_view text, bool bytes, bool raw) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // Line ends are one character, whatever the editor.
    if (c == '\r') {
      if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
      out += '\n';
      continue;
    }
    if (c != '\\' || raw) {
      out += c;
      continue;
    }
    if (++i == text.size()) return std::unexpected("found '\\' as last character");
    static constexpr std::string_view simple = "abfnrtv\\?\"'`";
    static constexpr std::string_view meaning = "\a\b\f\n\r\t\v\\?\"'`";
    const char kind = text[i];
    if (const std::size_t at = simple.find(kind); at != std::string_view::npos) {
      out += meaning[at];
      continue;
    }
    std::size_t count = 0;
    std::size_t from = i + 1;
    int base = 16;
    if (kind == 'x' || kind == 'X') {
      count = 2;
    } else if (kind == 'u' && !bytes) {
      count = 4;
    } else if (kind == 'U' && !bytes) {
      count = 8;
    } else if (kind >= '0' && kind <= '3') {
      count = 3;
      from = i;
      base = 8;
    } else {
      return std::unexpected("invalid escape '\\" + std::string(1, kind) + "'");
    }
    const std::int64_t code = digits_value(text, from, count, base);
    if (code < 0) return std::unexpected("escape '\\" + std::string(1, kind) + "' needs more digits");
    i = from + count - 1;
    if (bytes) {
      out += static_cast<char>(code);
    } else {
      if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return std::unexpected("invalid unicode code point");
      append_utf8(out, static_cast<char32_t>(code));
    }
  }
  return out;
}

std::unexpected<ParseError> Lexer::error(std::size_t from, std::string message, ParseError::Kind kind) const {
  return std::unexpected(ParseError{
      {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(place_)}, std::move(message), kind});
}

Token Lexer::token(TokenKind kind, std::size_t from) const {
  Token token;
  token.kind = kind;
  token.span = {static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(place_)};
  return token;
}

void Lexer::skip_space() {
  while (place_ < source_.size()) {
    const char c = source_[place_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      ++place_;
    } else if (c == '/' && at(place_ + 1) == '/') {
      while (place_ < source_.size() && source_[place_] != '\n') ++place_;
    } else {
      return;
    }
  }
}

std::expected<Token, ParseError> Lexer::next() {
  skip_space();
  const std::size_t from = place_;
  if (place_ >= source_.size()) return token(TokenKind::end, from);
  const char c = source_[place_];
  if (is_digit(c) || (c == '.' && is_digit(at(place_ + 1)))) return number();
  if (c == '"' || c == '\'') return string(false, false);
  if (is_letter(c)) {
    // r"", b"", br"", in any case.
    const bool bytes = c == 'b' || c == 'B';
    const std::size_t quote =
        bytes && (at(place_ + 1) == 'r' || at(place_ + 1) == 'R') ? place_ + 2 : place_ + 1;
    if ((bytes || c == 'r' || c == 'R') && (at(quote) == '"' || at(quote) == '\'')) {
      const bool raw = !bytes || quote == place_ + 2;
      place_ = quote;
      auto literal = string(bytes, raw);
      if (literal) literal->span.start = static_cast<std::uint32_t>(from);
      return literal;
    }
    while (is_letter(at(place_)) || is_digit(at(place_))) ++place_;
    const std::string_view word = source_.substr(from, place_ - from);
    if (word == "true") return token(TokenKind::keyword_true, from);
    if (word == "false") return token(TokenKind::keyword_false, from);
    if (word == "null") return token(TokenKind::keyword_null, from);
    if (word == "in") return token(TokenKind::keyword_in, from);
    Token name = token(TokenKind::identifier, from);
    name.text = word;
    return name;
  }
  if (c == '`' && quoted_fields_) {
    const std::size_t end = source_.find('`', place_ + 1);
    const auto allowed = [](char x) {
      return is_letter(x) || is_digit(x) || x == '.' || x == '-' || x == '/' || x == ' ';
    };
    if (end == std::string_view::npos || end == place_ + 1 ||
        !std::ranges::all_of(source_.substr(place_ + 1, end - place_ - 1), allowed)) {
      ++place_;
      return error(from, "a name between backticks has letters, digits, '.', '-', '/' and spaces");
    }
    place_ = end + 1;
    Token name = token(TokenKind::quoted_identifier, from);
    name.text = source_.substr(from + 1, end - from - 1);
    return name;
  }
  struct Symbol {
    std::string_view text;
    TokenKind kind;
  };
  static constexpr Symbol symbols[] = {
      {"==", TokenKind::equal},         {"!=", TokenKind::not_equal},   {"<=", TokenKind::less_equal},
      {">=", TokenKind::greater_equal}, {"&&", TokenKind::logical_and}, {"||", TokenKind::logical_or},
      {"<", TokenKind::less},           {">", TokenKind::greater},      {"[", TokenKind::left_bracket},
      {"]", TokenKind::right_bracket},  {"{", TokenKind::left_brace},   {"}", TokenKind::right_brace},
      {"(", TokenKind::left_paren},     {")", TokenKind::right_paren},  {".", TokenKind::dot},
      {",", TokenKind::comma},          {"-", TokenKind::minus},        {"!", TokenKind::exclamation},
      {"?", TokenKind::question},       {":", TokenKind::colon},        {"+", TokenKind::plus},
      {"*", TokenKind::star},           {"/", TokenKind::slash},        {"%", TokenKind::percent},
  };
  for (const Symbol& symbol : symbols) {
    if (!source_.substr(place_).starts_with(symbol.text)) continue;
    place_ += symbol.text.size();
    return token(symbol.kind, from);
  }
  place_ += std::min(code_point_size(c), source_.size() - place_);
  return error(from, "unexpected character '" + std::string(source_.substr(from, place_ - from)) + "'");
}

std::expected<Token, ParseError> Lexer::number() {
  const std::size_t from = place_;
  if (at(place_) == '0' && (at(place_ + 1) == 'x' || at(place_ + 1) == 'X') &&
      hex_value(at(place_ + 2)) >= 0) {
    place_ += 2;
    while (hex_value(at(place_)) >= 0) ++place_;
  } else {
    while (is_digit(at(place_))) ++place_;
    bool floating = false;
    if (at(place_) == '.' && is_digit(at(place_ + 1))) {
      floating = true;
      ++place_;
      while (is_digit(at(place_))) ++place_;
    }
    if (at(place_) == 'e' || at(place_) == 'E') {
      std::size_t digits = place_ + 1;
      if (at(digits) == '+' || at(digits) == '-') ++digits;
      if (is_digit(at(digits))) {
        floating = true;
        place_ = digits;
        while (is_digit(at(place_))) ++place_;
      }
    }
    if (floating) {
      const std::string_view text = source_.substr(from, place_ - from);
      double value = 0;
      // from_chars wants a digit before the dot, and leaves the value alone when it is out of range.
      const std::string whole = text.starts_with('.') ? "0" + std::string(text) : std::string(text);
      const auto [end, status] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
      if (status != std::errc{} && std::abs(std::strtod(whole.c_str(), nullptr)) > 1)
        return error(from, "invalid double literal", ParseError::Kind::meaning);
      if (status != std::errc{}) value = std::strtod(whole.c_str(), nullptr);
      Token result = token(TokenKind::literal, from);
      result.literal.value = value;
      return result;
    }
  }
  const std::string_view text = source_.substr(from, place_ - from);
  if (at(place_) == 'u' || at(place_) == 'U') {
    ++place_;
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    const std::string_view digits = hex ? text.substr(2) : text;
    std::uint64_t value = 0;
    const auto [end, status] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (status != std::errc{}) return error(from, "invalid uint literal", ParseError::Kind::meaning);
    Token result = token(TokenKind::literal, from);
    result.literal.value = value;
    return result;
  }
  Token result = token(TokenKind::integer, from);
  result.text = text;
  return result;
}

std::expected<Token, ParseError> Lexer::string(bool bytes, bool raw) {
  const std::size_t from = place_;
  const char quote = source_[place_];
  const std::string three(3, quote);
  const bool triple = source_.substr(place_).starts_with(three);
  place_ += triple ? 3 : 1;
  const std::size_t begin = place_;
  while (true) {
    if (place_ >= source_.size()) return error(from, "string literal is not terminated");
    const char c = source_[place_];
    if (triple ? source_.substr(place_).starts_with(three) : c == quote) break;
    if (!triple && (c == '\n' || c == '\r')) return error(from, "string literal is not terminated");
    place_ += c == '\\' && !raw && place_ + 1 < source_.size() ? 2 : 1;
  }
  const std::string_view inside = source_.substr(begin, place_ - begin);
  place_ += triple ? 3 : 1;
  auto text = unescape(inside, bytes, raw);
  if (!text)
    return error(from, "invalid " + std::string(bytes ? "bytes" : "string") + " literal: " + text.error());
  Token result = token(TokenKind::literal, from);
  if (bytes) {
    result.literal.value = BytesLiteral{std::move(*text)};
  } else {
    result.literal.value = std::move(*text);
  }
  return result;
}

}  // namespace fairway::cel
