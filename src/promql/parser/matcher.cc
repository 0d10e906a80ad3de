// SPDX-License-Identifier: Apache-2.0

#include "promql/parser/matcher.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "base/text.h"
#include "promql/internal/parser/regex.h"
#include "promql/parser/go_text.h"

namespace fairway::promql {

namespace {

bool is_plain_name(std::string_view name, bool colons) {
  const auto letter = [&](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (colons && c == ':');
  };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

/// Returns the values of `a|b|c` if the expression is only that, as a comparison is cheaper than an
/// automaton; otherwise nothing.
std::vector<std::string> plain_alternatives(std::string_view regex) {
  if (regex.find_first_of("\\.+*?()[]{}^$") != std::string_view::npos) return {};
  std::vector<std::string> values;
  for (std::size_t begin = 0;;) {
    const std::size_t bar = regex.find('|', begin);
    values.emplace_back(regex.substr(begin, bar - begin));
    if (bar == std::string_view::npos) return values;
    begin = bar + 1;
  }
}

}  // namespace

bool is_plain_label_name(std::string_view name) {
  return is_plain_name(name, false);
}
bool is_plain_metric_name(std::string_view name) {
  return is_plain_name(name, true);
}

struct Matcher::Regex {
  std::unique_ptr<const re2::RE2> expression;
  std::vector<std::string> alternatives;

  bool matches(std::string_view value) const {
    if (!alternatives.empty()) return std::ranges::find(alternatives, value) != alternatives.end();
    return re2::RE2::PartialMatch(piece(value), *expression);
  }
};

std::expected<Matcher, std::string> Matcher::make(Kind kind, std::string name, std::string value,
                                                  Dialect dialect) {
  Matcher matcher;
  matcher.kind_ = kind;
  matcher.name_ = std::move(name);
  matcher.value_ = std::move(value);
  if (kind == Kind::regex || kind == Kind::not_regex) {
    auto regex = std::make_shared<Regex>();
    // Text that is not UTF-8 is left to the compiler, which refuses it.
    if (is_utf8(matcher.value_)) regex->alternatives = plain_alternatives(matcher.value_);
    if (regex->alternatives.empty()) {
      auto expression = compile_regex(matcher.value_, dialect, RegexUse::matcher);
      if (!expression) return std::unexpected(expression.error());
      regex->expression = std::move(*expression);
    }
    matcher.regex_ = std::move(regex);
  }
  return matcher;
}

bool Matcher::matches(std::string_view value) const {
  switch (kind_) {
    case Kind::equal:
      return value == value_;
    case Kind::not_equal:
      return value != value_;
    case Kind::regex:
      return regex_->matches(value);
    case Kind::not_regex:
      return !regex_->matches(value);
  }
  return false;
}

std::string Matcher::to_string() const {
  static constexpr std::string_view operators[] = {"=", "!=", "=~", "!~"};
  std::string out = is_plain_label_name(name_) ? name_ : quote(name_);
  out += operators[static_cast<int>(kind_)];
  return out + quote(value_);
}

struct Replacement::Compiled {
  std::unique_ptr<const re2::RE2> expression;
};

std::expected<Replacement, std::string> Replacement::make(const std::string& regex, Dialect dialect) {
  auto expression = compile_regex(regex, dialect, RegexUse::label_replace);
  if (!expression) return std::unexpected(expression.error());
  Replacement replacement;
  replacement.compiled_ = std::make_shared<Compiled>(std::move(*expression));
  return replacement;
}

namespace {

/// Maximum length of an expanded template, beside the last group: no caller accepts more.
constexpr std::size_t longest = std::size_t{1} << 20;

/// Takes the name of `$name`, `$1` or `${name}` off the front of `rest` (after the `$`); std::nullopt if it
/// is not a reference. A name is the longest sequence of letters and digits of any script and underscores.
std::optional<std::string_view> take_reference(std::string_view& rest) {
  static const re2::RE2 reference(R"([\pL\p{Nd}_]+)");
  const bool braces = rest.starts_with('{');
  re2::StringPiece text = piece(rest.substr(braces ? 1 : 0)), name;
  if (!reference.Match(text, 0, text.size(), re2::RE2::ANCHOR_START, &name, 1)) return std::nullopt;
  const std::string_view found(name.data(), name.size());
  const std::string_view behind = rest.substr((braces ? 1 : 0) + found.size());
  if (braces && !behind.starts_with('}')) return std::nullopt;
  rest = behind.substr(braces ? 1 : 0);
  return found;
}

/// Returns the number of a group. Go treats a number with a leading zero, or with more than nine digits, as a
/// name.
std::optional<std::size_t> group_number(std::string_view name) {
  std::size_t number = 0;
  if (name.size() > 9 || (name.size() > 1 && name.front() == '0')) return std::nullopt;
  const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || stop != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace

bool Replacement::apply(std::string_view value, std::string_view replacement, std::string& out) const {
  const re2::RE2& expression = *compiled_->expression;
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(expression.NumberOfCapturingGroups()) + 1);
  const re2::StringPiece text = piece(value);
  if (!expression.Match(text, 0, text.size(), re2::RE2::UNANCHORED, groups.data(),
                        static_cast<int>(groups.size())))
    return false;
  out.clear();
  for (std::string_view rest = replacement; out.size() <= longest;) {
    const std::size_t dollar = rest.find('$');
    out.append(rest.substr(0, dollar));
    if (dollar == std::string_view::npos) break;
    rest.remove_prefix(dollar + 1);
    if (rest.starts_with('$')) {
      out += '$';
      rest.remove_prefix(1);
      continue;
    }
    const auto name = take_reference(rest);
    if (!name) {
      out += '$';
      continue;
    }
    std::optional<std::size_t> number = group_number(*name);
    if (!number) {
      const auto& names = expression.NamedCapturingGroups();
      const auto found = names.find(std::string(*name));
      if (found != names.end()) number = static_cast<std::size_t>(found->second);
    }
    if (number && *number < groups.size() && groups[*number].data() != nullptr)
      out.append(groups[*number].data(), groups[*number].size());
  }
  return true;
}

}  // namespace fairway::promql
