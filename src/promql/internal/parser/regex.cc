// SPDX-License-Identifier: Apache-2.0

#include "promql/internal/parser/regex.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "base/go_regexp.h"
#include "base/text.h"

namespace fairway::promql {

namespace {

std::string message_of(std::string_view kind, std::string_view part) {
  return "error parsing regexp: " + std::string(kind) + ": `" + printable(part, 1000) + "`";
}

/// Returns the length of a character class at the front of `text`; all of it if the class does not end.
std::size_t class_length(std::string_view text) {
  std::size_t at = text.starts_with("[^") ? 2 : 1;
  bool may_be_named = true;
  for (bool first = true; at < text.size(); first = false) {
    if (text[at] == ']' && !first) return at + 1;
    if (may_be_named && text.substr(at).starts_with("[:")) {
      const std::size_t end = text.find(":]", at + 2);
      may_be_named = end != std::string_view::npos;
      at = may_be_named ? end + 2 : at + 1;
    } else {
      at += text[at] == '\\' ? 2 : 1;
    }
  }
  return text.size();
}

/// Returns the maximum number of repetitions of `{3}`, `{3,}` or `{3,7}` at the front of `regex`, and the
/// length of that text; 0 if there is none. The part before it is compiled as often as that.
std::uint64_t most_repeated(std::string_view regex, std::size_t& length) {
  if (!regex.starts_with('{')) return 0;
  const std::size_t end = regex.substr(0, 16).find('}');
  if (end == std::string_view::npos) return 0;
  const std::string_view counts = regex.substr(1, end - 1);
  const std::size_t comma = counts.find(',');
  const auto number = [](std::string_view digits) -> std::optional<std::uint64_t> {
    // Neither RE2 nor Go repeats more than 1,000 times.
    constexpr std::uint64_t most = 1'000;
    if (digits.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return std::nullopt;
      value = std::min(most, value * 10 + static_cast<std::uint64_t>(c - '0'));
    }
    return value;
  };
  const auto least = number(counts.substr(0, comma));
  if (!least) return 0;
  std::uint64_t most = *least;
  if (comma != std::string_view::npos && comma + 1 < counts.size()) {
    const auto given = number(counts.substr(comma + 1));
    if (!given) return 0;
    most = std::max(most, *given);
  }
  length = end + 1;
  return std::max<std::uint64_t>(1, most);
}

/// An expression in RE2's syntax.
struct Read {
  std::string text;
  /// True if it has a `)` without a `(`, which would close a group around it.
  bool closes_too_much = false;
  /// True if a `\Q` has no `\E`.
  bool open_quotation = false;
};

/// Returns the expression in RE2's syntax with Go's meaning, where the two languages differ. Go 1.22
/// (Prometheus 3) supports `(?<name>...)`, which RE2 supports only in versions after that of Debian 12; no Go
/// version supports `\C`, and names of groups are ASCII.
std::expected<Read, std::string> as_go_reads(std::string_view regex, Dialect dialect) {
  std::string out;
  int open = 0;
  bool closes_too_much = false, open_quotation = false;
  for (std::size_t at = 0; at < regex.size();) {
    const std::string_view rest = regex.substr(at);
    std::size_t length = 1;
    std::size_t name = 0;
    if (rest.starts_with("\\Q")) {
      const std::size_t end = rest.find("\\E");
      open_quotation = end == std::string_view::npos;
      length = open_quotation ? rest.size() : end + 2;
    } else if (rest.starts_with("\\C")) {
      return std::unexpected(message_of("invalid escape sequence", "\\C"));
    } else if (rest.front() == '\\') {
      length = std::min<std::size_t>(2, rest.size());
    } else if (rest.front() == '[') {
      length = class_length(rest);
    } else if (rest.starts_with("(?<")) {
      if (dialect == Dialect::prometheus2)
        return std::unexpected(message_of("invalid or unsupported Perl syntax", "(?<"));
      name = 3;
    } else if (rest.starts_with("(?P<")) {
      name = 4;
    }
    if (rest.front() == '(') ++open;
    if (rest.front() == ')' && --open < 0) closes_too_much = true;
    if (name == 0) {
      out += rest.substr(0, length);
      at += length;
      continue;
    }
    const std::size_t end = rest.find('>');
    // A name without an end has an error of its own.
    if (end == std::string_view::npos)
      return Read{out + "(?P<" + std::string(rest.substr(name)), false, false};
    const std::string_view text = rest.substr(name, end - name);
    const bool plain = std::ranges::all_of(
        text, [](unsigned char c) { return c < 0x80 && (std::isalnum(c) != 0 || c == '_'); });
    if (text.empty() || !plain)
      return std::unexpected(message_of("invalid named capture", rest.substr(0, end + 1)));
    out += "(?P<" + std::string(text) + ">";
    at += end + 1;
  }
  return Read{std::move(out), closes_too_much, open_quotation};
}

}  // namespace

std::uint64_t regex_size(std::string_view regex) {
  // A class of Unicode (`\pL`) is a program of hundreds of steps.
  constexpr std::uint64_t unicode_class = 256, largest = std::uint64_t{1} << 40;
  struct Level {
    std::uint64_t before = 0, last = 0;
  };
  std::vector<Level> levels(1);
  const auto atom = [&](std::uint64_t size) {
    Level& level = levels.back();
    level.before = std::min(largest, level.before + level.last);
    level.last = size;
  };
  while (!regex.empty()) {
    std::size_t length = 1;
    if (regex.starts_with("\\Q")) {
      const std::size_t end = regex.find("\\E");
      length = end == std::string_view::npos ? regex.size() : end + 2;
      atom(length);
    } else if (regex.front() == '[') {
      length = class_length(regex);
      std::uint64_t classes = 0;
      for (std::size_t i = 0; i + 1 < length; ++i)
        classes += regex[i] == '\\' && (regex[i + 1] == 'p' || regex[i + 1] == 'P') ? 1 : 0;
      atom(length + classes * unicode_class);
    } else if (regex.front() == '\\') {
      length = std::min<std::size_t>(2, regex.size());
      const bool unicode = regex.starts_with("\\p") || regex.starts_with("\\P");
      const bool braces = (unicode || regex.starts_with("\\x")) && regex.substr(length).starts_with('{');
      if (const std::size_t end = regex.substr(0, 64).find('}'); braces && end != std::string_view::npos)
        length = end + 1;
      atom(length + (unicode ? unicode_class : 0));
    } else if (regex.front() == '(') {
      levels.push_back({1, 0});
    } else if (regex.front() == ')') {
      const std::uint64_t size = levels.back().before + levels.back().last + 1;
      if (levels.size() > 1) levels.pop_back();
      atom(size);
    } else if (const std::uint64_t most = most_repeated(regex, length); most > 0) {
      levels.back().last = std::min(largest, levels.back().last * most + length);
    } else {
      atom(1);
    }
    regex.remove_prefix(length);
  }
  std::uint64_t size = 0;
  for (const Level& level : levels) size = std::min(largest, size + level.before + level.last);
  return size;
}

std::string anchored_regex(std::string_view regex, Dialect dialect) {
  return (dialect == Dialect::prometheus3 ? "^(?s:" : "^(?:") + std::string(regex) + ")$";
}

std::expected<std::unique_ptr<const re2::RE2>, std::string> compile_regex(std::string_view text,
                                                                          Dialect dialect, RegexUse use) {
  if (!is_utf8(text)) return std::unexpected(message_of("invalid UTF-8", text));
  const auto read = as_go_reads(text, dialect);
  if (!read) return std::unexpected(read.error());
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  // 3 anchors what it has read, in which an open `\Q` ends with the text. 2.x and label_replace anchor the
  // text.
  const bool reads_first = dialect == Dialect::prometheus3 && use == RegexUse::matcher;
  std::string shown =
      anchored_regex(read->text + (reads_first && read->open_quotation ? "\\E" : ""), dialect);
  auto compiled = std::make_unique<const re2::RE2>(shown, options);
  if (compiled->ok() && (use == RegexUse::label_replace || !read->closes_too_much)) return compiled;
  // Both read the expression by itself too; 3 does so first, so that its errors show no wrapping.
  if (compiled->ok() || reads_first) {
    auto bare = std::make_unique<const re2::RE2>(read->text, options);
    if (!bare->ok()) {
      compiled = std::move(bare);
      shown = read->text;
    } else if (compiled->ok()) {
      return compiled;
    }
  }
  const re2::RE2::ErrorCode code = compiled->error_code();
  std::string_view part = compiled->error_arg();
  if (code == re2::RE2::ErrorMissingParen || code == re2::RE2::ErrorUnexpectedParen ||
      code == re2::RE2::ErrorPatternTooLarge)
    part = shown;
  if (code == re2::RE2::ErrorTrailingBackslash) part = "";
  return std::unexpected(message_of(go_regexp_error(*compiled), part));
}

}  // namespace fairway::promql
