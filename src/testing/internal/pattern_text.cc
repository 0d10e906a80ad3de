// SPDX-License-Identifier: Apache-2.0

#include "testing/internal/pattern_text.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace fairway::testing {

namespace {

/// Repetitions beyond the fewest.
constexpr std::uint64_t most_more = 4;
constexpr std::uint64_t most_repetitions = 1'000;
/// Bytes of a text, and levels of groups: a pattern is input of its author.
constexpr std::size_t longest_text = 4'096;
constexpr int deepest = 32;

/// The characters of ASCII that can be seen, which stand for all others, too.
constexpr unsigned char first_seen = ' ', last_seen = '~';

struct ClassName {
  std::string_view name, members;
};
constexpr std::string_view digits = "0123456789", lower = "abcdefghijklmnopqrstuvwxyz",
                           upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// A set of characters of ASCII.
struct Set {
  bool has[128] = {};

  void add(char c) {
    if (static_cast<unsigned char>(c) < 128) has[static_cast<unsigned char>(c)] = true;
  }
  void add(std::string_view all) {
    for (const char c : all) add(c);
  }
  void add_range(char first, char last) {
    for (int c = static_cast<unsigned char>(first); c <= static_cast<unsigned char>(last); ++c) {
      add(static_cast<char>(c));
    }
  }
  void add_others(const Set& set) {
    for (int c = first_seen; c <= last_seen; ++c) has[c] = has[c] || !set.has[c];
  }
};

/// Reads a pattern, and writes a text of it on the way. Alternatives that are not taken are read all the
/// same, into a text that is thrown away.
class Maker {
 public:
  Maker(std::string_view pattern, const Below& below) : rest_(pattern), below_(below) {}

  std::optional<std::string> make() {
    std::string text = alternatives(0);
    if (!is_known_ || !rest_.empty() || text.size() > longest_text) return std::nullopt;
    return text;
  }

 private:
  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  char next() {
    if (rest_.empty()) {
      is_known_ = false;
      return 0;
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  std::string unknown() {
    is_known_ = false;
    rest_ = {};
    return {};
  }

  std::string alternatives(int depth) {
    if (depth > deepest) return unknown();
    std::vector<std::string> choices{sequence(depth)};
    while (take("|")) choices.push_back(sequence(depth));
    return choices[below_(choices.size())];
  }

  std::string sequence(int depth) {
    std::string text;
    while (is_known_ && !rest_.empty() && rest_.front() != '|' && rest_.front() != ')') {
      text += repeated(depth);
      if (text.size() > longest_text) return unknown();
    }
    return text;
  }

  /// A part with what says how often it is there. It is read anew for each repetition, which may differ.
  std::string repeated(int depth) {
    const std::string_view part = rest_;
    std::string text = single(depth);
    const std::size_t length = part.size() - rest_.size();
    const auto [least, most] = repetitions();
    if (!is_known_) return {};
    const std::string_view behind = rest_;
    const std::uint64_t wanted = least + below_(std::min(most - least, most_more) + 1);
    if (wanted == 0) return {};
    for (std::uint64_t made = 1; made < wanted && is_known_ && text.size() <= longest_text; ++made) {
      rest_ = part.substr(0, length);
      text += single(depth);
    }
    rest_ = behind;
    return text;
  }

  std::pair<std::uint64_t, std::uint64_t> repetitions() {
    std::pair<std::uint64_t, std::uint64_t> often{1, 1};
    if (take("*")) {
      often = {0, most_more};
    } else if (take("+")) {
      often = {1, 1 + most_more};
    } else if (take("?")) {
      often = {0, 1};
    } else if (rest_.starts_with('{') && rest_.size() > 1 && rest_[1] >= '0' && rest_[1] <= '9') {
      next();
      often.first = number();
      often.second = often.first;
      if (take(",")) often.second = rest_.starts_with('}') ? often.first + most_more : number();
      if (!take("}") || often.second < often.first || often.second > most_repetitions) unknown();
    } else {
      return often;
    }
    take("?");
    return often;
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) {
      unknown();
      return 0;
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::string single(int depth) {
    if (take("^") || take("$")) return {};
    if (take("(")) return group(depth);
    if (take("[")) return one_of(bracket());
    if (take("\\")) return escaped();
    if (take(".")) {
      Set all;
      all.add_range(static_cast<char>(first_seen), static_cast<char>(last_seen));
      return one_of(all);
    }
    if (rest_.front() == '*' || rest_.front() == '+' || rest_.front() == '?') return unknown();
    return {next()};
  }

  std::string group(int depth) {
    if (take("?")) {
      if (take("P<") || take("<")) {
        const std::size_t end = rest_.find('>');
        if (end == std::string_view::npos) return unknown();
        rest_.remove_prefix(end + 1);
      } else {
        while (!rest_.empty() && rest_.front() != ':' && rest_.front() != ')') next();
        if (take(")")) return {};
        if (!take(":")) return unknown();
      }
    }
    std::string text = alternatives(depth + 1);
    return take(")") ? text : unknown();
  }

  std::string escaped() {
    Set set;
    const char c = next();
    if (add_class(set, c)) return one_of(set);
    if (c == 'b' || c == 'B' || c == 'A' || c == 'z') return {};
    const auto literal = literal_of(c);
    return literal ? std::string(1, *literal) : unknown();
  }

  /// Adds \d, \w, \s and their opposites.
  static bool add_class(Set& set, char c) {
    Set named;
    const char kind = static_cast<char>(c | 0x20);
    if (kind == 'd') named.add(digits);
    if (kind == 'w') {
      named.add(digits);
      named.add(lower);
      named.add(upper);
      named.add('_');
    }
    if (kind == 's') named.add(" \t");
    if (kind != 'd' && kind != 'w' && kind != 's') return false;
    if (c == kind) {
      for (int i = 0; i < 128; ++i) set.has[i] = set.has[i] || named.has[i];
    } else {
      set.add_others(named);
    }
    return true;
  }

  std::optional<char> literal_of(char c) {
    if (c == 't') return '\t';
    if (c == 'n') return '\n';
    if (c == 'r') return '\r';
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_word && c != 0) return c;
    return std::nullopt;
  }

  Set bracket() {
    Set set;
    const bool is_negated = take("^");
    for (bool is_first = true; is_known_ && (is_first || !rest_.starts_with(']')); is_first = false) {
      if (take("[:")) {
        add_named(set);
        continue;
      }
      char first = next();
      if (first == '\\') {
        const char c = next();
        if (add_class(set, c)) continue;
        const auto literal = literal_of(c);
        if (!literal) unknown();
        first = literal.value_or(0);
      }
      char last = first;
      if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
        next();
        last = next();
        if (last == '\\') last = literal_of(next()).value_or(first);
      }
      set.add_range(first, last);
    }
    if (!take("]")) unknown();
    if (!is_negated) return set;
    Set others;
    others.add_others(set);
    return others;
  }

  void add_named(Set& set) {
    static const ClassName names[] = {{"alpha:]", ""},
                                      {"alnum:]", ""},
                                      {"digit:]", digits},
                                      {"lower:]", lower},
                                      {"upper:]", upper},
                                      {"space:]", " \t"},
                                      {"xdigit:]", "0123456789abcdefABCDEF"},
                                      {"word:]", ""},
                                      {"punct:]", "!#%&*+,-./:;=?@_~"}};
    for (const ClassName& one : names) {
      if (!take(one.name)) continue;
      set.add(one.members);
      if (one.name != "alpha:]" && one.name != "alnum:]" && one.name != "word:]") return;
      set.add(lower);
      set.add(upper);
      if (one.name != "alpha:]") set.add(digits);
      if (one.name == "word:]") set.add('_');
      return;
    }
    unknown();
  }

  std::string one_of(const Set& set) {
    std::string members;
    for (int c = 0; c < 128; ++c) {
      if (set.has[c]) members += static_cast<char>(c);
    }
    return members.empty() ? unknown() : std::string(1, members[below_(members.size())]);
  }

  std::string_view rest_;
  const Below& below_;
  bool is_known_ = true;
};

}  // namespace

std::optional<std::string> text_of_pattern(std::string_view pattern, const Below& below) {
  return Maker(pattern, below).make();
}

}  // namespace fairway::testing
