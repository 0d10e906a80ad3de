// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/withheld.h"

#include <algorithm>
#include <utility>

#include "base/hex.h"
#include "base/text.h"

namespace fairway::graph {
namespace {

/// Characters that a regular expression may have between those of the text that it matches.
constexpr std::string_view expression_punctuation = "[](){}\\?:^$";

/// The mark at the end of a shortened text (base/text.h, printable). The beginning of a term before it is
/// replaced like the whole term, if it has at least `least_beginning` characters.
constexpr std::string_view cut_off = "…";
constexpr std::size_t least_beginning = 3;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

unsigned char fold(char c) {
  return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/// A character of a text, and the number of bytes that encode it.
struct Character {
  char value = '\0';
  std::size_t size = 1;
};

/// Returns the number of exactly `digits` digits at `at`; -1 if there is none.
int number_at(std::string_view text, std::size_t at, std::size_t digits, int base) {
  if (at + digits > text.size()) return -1;
  int number = 0;
  for (const char c : text.substr(at, digits)) {
    const int digit = hex_value(c);
    if (digit < 0 || digit >= base || number > 0x10FFFF) return -1;
    number = number * base + digit;
  }
  return number;
}

/// Returns the number in braces that an expression may have after `\x`, and its length in bytes with the
/// braces; 0 bytes if there is none.
std::pair<int, std::size_t> number_in_braces(std::string_view text, std::size_t at) {
  constexpr std::size_t most_digits = 8;
  if (at == text.size() || text[at] != '{') return {-1, 0};
  const std::size_t end = text.substr(at + 1, most_digits + 1).find('}');
  if (end == std::string_view::npos || end == 0) return {-1, 0};
  return {number_at(text, at + 1, end, 16), end + 2};
}

/// Returns the character of an escape in quoted texts (PromQL, YAML, JSON) or expressions: \x61, \x{61},
/// \u0061, \U00000061, \141. A text within a text has its backslashes doubled; deeper than a text in a text
/// in a text they are not followed, since a file may have millions of them.
Character after_backslash(std::string_view text, std::size_t at) {
  constexpr std::size_t most_backslashes = 8;
  const std::size_t begin = at;
  while (at < text.size() && at - begin < most_backslashes && text[at] == '\\') ++at;
  if (at == text.size()) return {text[begin], 1};
  if (text[at] == 'x') {
    const auto [number, size] = number_in_braces(text, at + 1);
    if (number >= 0 && number <= 0x7F) return {static_cast<char>(number), at + 1 + size - begin};
  }
  const std::size_t digits = text[at] == 'x' ? 2 : text[at] == 'u' ? 4 : text[at] == 'U' ? 8 : 0;
  const int value = digits > 0 ? number_at(text, at + 1, digits, 16) : number_at(text, at, 3, 8);
  if (value < 0 || value > 0x7F) return {text[begin], 1};
  return {static_cast<char>(value), at + (digits > 0 ? digits + 1 : 3) - begin};
}

/// Returns the character of a numeric reference of HTML: &#45; or &#x2d;.
Character after_ampersand(std::string_view text, std::size_t at) {
  constexpr std::size_t most_digits = 7;
  if (!text.substr(at).starts_with("&#")) return {text[at], 1};
  std::size_t first = at + 2;
  const bool hex = first < text.size() && (text[first] == 'x' || text[first] == 'X');
  if (hex) ++first;
  while (first < text.size() && text[first] == '0') ++first;
  std::size_t end = first;
  const auto is_of_it = [hex](char c) { return hex ? hex_value(c) >= 0 : is_digit(c); };
  while (end < text.size() && end < first + most_digits && is_of_it(text[end])) ++end;
  const int value = end == first ? -1 : number_at(text, first, end - first, hex ? 16 : 10);
  if (value < 0 || value > 0x7F) return {text[at], 1};
  return {static_cast<char>(value), (end < text.size() && text[end] == ';' ? end + 1 : end) - at};
}

/// Returns the character at `at`, decoded: URLs (%2D, %252D), quoted texts and HTML may encode any character.
Character character_at(std::string_view text, std::size_t at) {
  if (text[at] == '\\') return after_backslash(text, at);
  if (text[at] == '&') return after_ampersand(text, at);
  Character character{text[at], 1};
  while (character.value == '%' && at + character.size + 1 < text.size()) {
    const int high = hex_value(text[at + character.size]), low = hex_value(text[at + character.size + 1]);
    if (high < 0 || low < 0) break;
    character.value = static_cast<char>(high * 16 + low);
    character.size += 2;
  }
  return character;
}

/// Returns whether a term found in [begin, end) is a mention: a version must not be part of a longer one.
bool stands(const Withheld::Term& term, std::string_view text, std::size_t begin, std::size_t end) {
  if (!term.is_version) return true;
  if (begin > 0 && is_digit(text[begin - 1])) return false;
  return end == text.size() || !is_digit(text[end]) || !is_digit(term.text.back());
}

}  // namespace

struct Withheld::Match {
  std::size_t shown_end = 0, hidden_end = 0;
  const Term* hidden = nullptr;
};

Withheld::Withheld(std::vector<Term> terms) : terms_(std::move(terms)) {
  std::erase_if(terms_, [](const Term& term) { return term.text.empty(); });
  for (Term& term : terms_) {
    term.text = to_lower(term.text);
    empty_ = empty_ && !term.hidden;
  }
  if (empty_) terms_.clear();
  std::ranges::stable_sort(terms_, {}, &Term::text);
  for (const char escape : {'%', '\\', '&'}) begins_[static_cast<unsigned char>(escape)] = !terms_.empty();
  for (const Term& term : terms_) {
    const char first = term.text.front();
    begins_[static_cast<unsigned char>(first)] = true;
    if (first >= 'a' && first <= 'z') begins_[static_cast<unsigned char>(first - 'a' + 'A')] = true;
  }
}

Withheld::Match Withheld::match(std::string_view text, std::size_t begin) const {
  Match found;
  auto low = terms_.begin(), high = terms_.end();
  std::size_t depth = 0;
  for (std::size_t at = begin;;) {
    // Of terms with one beginning the one that ends there comes first.
    for (; low != high && low->text.size() == depth; ++low) {
      if (!stands(*low, text, begin, at)) continue;
      if (low->hidden) {
        found.hidden = &*low;
        found.hidden_end = at;
      } else {
        found.shown_end = at;
      }
    }
    if (low == high || at == text.size()) return found;
    if (depth >= least_beginning && text.substr(at).starts_with(cut_off)) {
      const auto hidden = std::find_if(low, high, [](const Term& term) { return term.hidden; });
      if (hidden != high) {
        found.hidden = &*hidden;
        found.hidden_end = at;
      }
      return found;
    }
    const Character here = character_at(text, at);
    const unsigned char next = fold(here.value);
    const auto at_depth = [depth](const Term& term) { return static_cast<unsigned char>(term.text[depth]); };
    const auto range = std::ranges::equal_range(low, high, next, {}, at_depth);
    if (!range.empty()) {
      low = range.begin();
      high = range.end();
      ++depth;
      at += here.size;
    } else if (depth > 0 && text[at] == '\\') {
      ++at;
    } else if (depth > 0 && expression_punctuation.contains(here.value)) {
      at += here.size;
    } else {
      return found;
    }
  }
}

template <class Found>
void Withheld::each_mention(std::string_view text, const Found& found) const {
  if (empty_) return;
  std::size_t shown_until = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!begins_[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    const Match here = match(text, at);
    shown_until = std::max(shown_until, here.shown_end);
    if (here.hidden == nullptr || here.hidden_end <= shown_until) {
      ++at;
      continue;
    }
    if (!found(at, here.hidden_end, *here.hidden)) return;
    at = here.hidden_end;
  }
}

bool Withheld::mentions(std::string_view text) const {
  bool some = false;
  each_mention(text, [&some](std::size_t, std::size_t, const Term&) {
    some = true;
    return false;
  });
  return some;
}

std::string Withheld::redact(std::string_view text) const {
  std::string left;
  std::size_t done = 0;
  each_mention(text, [&](std::size_t begin, std::size_t end, const Term& term) {
    left += text.substr(done, begin - done);
    left += term.replacement;
    done = end;
    return true;
  });
  left += text.substr(done);
  return left;
}

}  // namespace fairway::graph
