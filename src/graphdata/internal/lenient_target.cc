// SPDX-License-Identifier: Apache-2.0

#include "graphdata/internal/lenient_target.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/text.h"

namespace fairway::graphdata {

namespace {

constexpr std::string_view version_characters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-";

constexpr std::string_view blanks = " \t\r";
constexpr int most_on_a_line = 100;
/// Longest anchor; those that people write are words.
constexpr std::size_t max_anchor_bytes = 100;
/// Longest text of a version, more than any has.
constexpr std::size_t max_version_bytes = 300;
/// Most characters that may be examined for each character of the text: texts that people write take two or
/// three.
constexpr std::size_t looks_per_byte = 16;

struct Position {
  std::size_t line = 0, column = 0;
};

/// A text that is not YAML as a whole, read line by line as if it were.
class Lines {
 public:
  explicit Lines(std::string_view text)
      : lines_(split(text, '\n')), looks_(looks_per_byte * (text.size() + 100)) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (lines_.front().starts_with(byte_order_mark)) lines_.front().remove_prefix(byte_order_mark.size());
    find_anchors();
  }

  std::size_t count() const { return lines_.size(); }
  std::string_view line(std::size_t number) const { return lines_[number]; }

  /// Returns the values of a `to` whose key begins at a place; nothing if it does not, or has no version.
  std::vector<RecoveredTarget> targets_at(Position key) const {
    std::vector<RecoveredTarget> targets;
    const std::optional<RecoveredTarget> first = target_at(key);
    if (!first) return targets;
    targets.push_back(*first);
    // More of them behind commas, up to what is none.
    std::string_view rest = lines_[static_cast<std::size_t>(first->mark.line - 1)].substr(
        static_cast<std::size_t>(first->mark.column - 1));
    for (int i = 0; i < most_on_a_line; ++i) {
      const std::size_t comma = rest.find(',');
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
      std::optional<Version> version = recover_version(rest);
      if (!version) break;
      targets.push_back({std::move(*version), first->mark});
    }
    return targets;
  }

 private:
  std::optional<RecoveredTarget> target_at(Position key) const {
    const std::optional<Position> value = find_value(key);
    std::optional<Position> content = value ? find_content(*value) : std::nullopt;
    if (content && from(*content).starts_with('*')) content = find_anchor(from(*content).substr(1));
    if (!content) return std::nullopt;
    std::optional<Version> version = recover_version(from(*content));
    if (!version) return std::nullopt;
    return RecoveredTarget{
        std::move(*version),
        {.line = static_cast<int>(content->line) + 1, .column = static_cast<int>(content->column) + 1}};
  }

  std::string_view from(Position at) const { return lines_[at.line].substr(at.column); }

  /// Spends from the budget, and returns whether the text may be examined further: a text made to be read
  /// again and again is given up.
  bool look(std::size_t characters) const {
    looks_ -= std::min(looks_, characters + 1);
    return looks_ > 0;
  }

  /// Returns the position after anchors and tags (`&a`, `!!str`) and blanks of the same line; npos at its
  /// end.
  std::size_t skip_properties(std::string_view line, std::size_t at) const {
    if (looks_ == 0) return std::string_view::npos;
    const std::size_t first = at;
    at = line.find_first_not_of(blanks, at);
    while (at != std::string_view::npos && (line[at] == '&' || line[at] == '!')) {
      const std::size_t end = line.find_first_of(blanks, at);
      if (!look(std::min(end, line.size()) - at)) return std::string_view::npos;
      at = line.find_first_not_of(blanks, end);
    }
    return look(std::min(at, line.size()) - std::min(first, line.size())) ? at : std::string_view::npos;
  }

  /// Returns where the value of a `to:` begins, or that of `? to` with its `:` on a later line.
  std::optional<Position> find_value(Position key) const {
    const std::string_view line = lines_[key.line];
    std::size_t at = key.column;
    if (looks_ == 0) return std::nullopt;
    if (at >= line.size() || blanks.contains(line[at])) return std::nullopt;
    const bool is_explicit = from(key).starts_with('?');
    at = skip_properties(line, is_explicit ? at + 1 : at);
    if (at == std::string_view::npos) return std::nullopt;
    const char quote = line[at] == '"' || line[at] == '\'' ? line[at] : '\0';
    if (quote != '\0') ++at;
    if (line.substr(at, 2) != "to") return std::nullopt;
    at += 2;
    if (quote != '\0') {
      if (at >= line.size() || line[at] != quote) return std::nullopt;
      ++at;
    }
    at = line.find_first_not_of(blanks, at);
    if (at != std::string_view::npos && line[at] == ':') return Position{key.line, at + 1};
    if (!is_explicit || (at != std::string_view::npos && line[at] != '#')) return std::nullopt;
    for (std::size_t next = key.line + 1; next < lines_.size(); ++next) {
      at = lines_[next].find_first_not_of(blanks);
      if (!look(std::min(at, lines_[next].size()))) return std::nullopt;
      if (at == std::string_view::npos || lines_[next][at] == '#') continue;
      return lines_[next][at] == ':' ? std::optional(Position{next, at + 1}) : std::nullopt;
    }
    return std::nullopt;
  }

  /// Returns where a value's own text begins: after anchors, tags, comments, the header of a block scalar
  /// (`|`, `>-`) and line ends.
  std::optional<Position> find_content(Position at) const {
    bool in_block_scalar = false;
    for (; at.line < lines_.size(); at = {at.line + 1, 0}) {
      const std::string_view line = lines_[at.line];
      at.column =
          in_block_scalar ? line.find_first_not_of(blanks, at.column) : skip_properties(line, at.column);
      if (!look(1)) return std::nullopt;
      if (at.column == std::string_view::npos) continue;
      if (in_block_scalar) return at;
      const char first = line[at.column];
      if (first == '#') continue;
      if (first != '|' && first != '>') return at;
      in_block_scalar = true;
    }
    return std::nullopt;
  }

  /// Returns where the text begins that an alias stands for.
  std::optional<Position> find_anchor(std::string_view alias) const {
    const auto anchor = anchors_.find(alias.substr(0, alias.find_first_of(" \t\r,]}")));
    return anchor == anchors_.end() ? std::nullopt : find_content(anchor->second);
  }

  void find_anchors() {
    for (std::size_t number = 0; number < lines_.size(); ++number) {
      const std::string_view line = lines_[number];
      for (std::size_t at = line.find('&'); at != std::string_view::npos; at = line.find('&', at + 1)) {
        const std::string_view name = line.substr(at + 1, max_anchor_bytes);
        const std::size_t size = name.find_first_of(blanks);
        if (size == std::string_view::npos && name.size() == max_anchor_bytes) continue;
        const std::size_t end = at + 1 + std::min(size, name.size());
        anchors_.emplace(line.substr(at + 1, end - at - 1), Position{number, end});
      }
    }
  }

  std::vector<std::string_view> lines_;
  mutable std::size_t looks_;                     ///< characters that may still be examined
  std::map<std::string_view, Position> anchors_;  ///< positions of the values of anchors, by name
};

}  // namespace

std::optional<Version> recover_version(std::string_view text) {
  text = trim(text).substr(0, max_version_bytes);
  while (!text.empty() && (text.front() == '"' || text.front() == '\'' || text.front() == ' '))
    text.remove_prefix(1);
  if (!text.empty() && (text.front() == 'v' || text.front() == 'V')) text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_not_of(version_characters), text.size());
  // The next character must end the value; 4.1.2_3 is not 4.1.2.
  constexpr std::string_view ends = " \t\r\"',}]#";
  if (end < text.size() && !ends.contains(text[end])) return std::nullopt;
  Result<Version> version = Version::parse(text.substr(0, end));
  if (!version) return std::nullopt;
  return std::move(*version);
}

std::vector<Version> recover_versions(std::string_view text) {
  // A version each in two bytes is more than anybody means.
  constexpr std::size_t most_bytes = 4096;
  constexpr std::string_view separators = " \t\r\n,;|/&\"'[]{}()";
  text = text.substr(0, most_bytes);
  std::vector<Version> versions;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (const auto version = recover_version(text.substr(0, end))) versions.push_back(*version);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return versions;
}

std::vector<RecoveredTarget> scan_for_targets(std::string_view text) {
  const Lines lines(text);
  std::vector<RecoveredTarget> targets;
  for (std::size_t number = 0; number < lines.count(); ++number) {
    std::ranges::move(lines.targets_at({number, 0}), std::back_inserter(targets));
  }
  if (!targets.empty()) return targets;
  for (std::size_t number = 0; number < lines.count(); ++number) {
    const std::string_view line = lines.line(number);
    for (std::size_t key = line.find_first_not_of(" \t-{[,"); key < line.size();) {
      if (auto found = lines.targets_at({number, key}); !found.empty()) return found;
      const std::size_t separator = line.find_first_of("{,", key);
      key = separator == std::string_view::npos ? separator : line.find_first_not_of(" \t{,", separator);
    }
  }
  return targets;
}

}  // namespace fairway::graphdata
