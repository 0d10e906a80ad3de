#include "graphdata/lenient_target.h"

#include "base/text.h"

namespace fairway::graphdata {

namespace {

constexpr std::string_view version_characters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-";

// Where the value of a `to:` key begins that stands at `at` of the line; npos where there is no such key.
std::size_t find_value(std::string_view line, std::size_t at) {
  const char quote = at < line.size() && (line[at] == '"' || line[at] == '\'') ? line[at] : '\0';
  if (quote != '\0') ++at;
  if (line.substr(at, 2) != "to") return std::string_view::npos;
  at += 2;
  if (quote != '\0') {
    if (at >= line.size() || line[at] != quote) return std::string_view::npos;
    ++at;
  }
  at = line.find_first_not_of(" \t", at);
  return at != std::string_view::npos && line[at] == ':' ? at + 1 : std::string_view::npos;
}

struct Lines {
  std::vector<std::string_view> lines;

  explicit Lines(std::string_view text) : lines(split(text, '\n')) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (lines.front().starts_with(byte_order_mark)) lines.front().remove_prefix(byte_order_mark.size());
  }

  std::optional<RecoveredTarget> value(std::size_t line, std::size_t at) const {
    std::size_t begin = lines[line].find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos ||
        lines[line][begin] == '#') {  // the value may stand on the next line
      if (++line >= lines.size()) return std::nullopt;
      begin = lines[line].find_first_not_of(" \t\r");
      if (begin == std::string_view::npos) return std::nullopt;
    }
    std::optional<Version> version = recover_version(lines[line].substr(begin));
    if (!version) return std::nullopt;
    return RecoveredTarget{std::move(*version),
                           {.line = static_cast<int>(line) + 1, .column = static_cast<int>(begin) + 1}};
  }
};

}  // namespace

std::optional<Version> recover_version(std::string_view text) {
  text = trim(text);
  while (!text.empty() && (text.front() == '"' || text.front() == '\'' || text.front() == ' '))
    text.remove_prefix(1);
  if (!text.empty() && (text.front() == 'v' || text.front() == 'V')) text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_not_of(version_characters), text.size());
  // What follows must end the value; 4.1.2_3 is not 4.1.2.
  constexpr std::string_view ends = " \t\r\"',}]#";
  if (end < text.size() && !ends.contains(text[end])) return std::nullopt;
  Result<Version> version = Version::parse(text.substr(0, end));
  if (!version) return std::nullopt;
  return std::move(*version);
}

std::vector<RecoveredTarget> scan_for_targets(std::string_view text) {
  const Lines lines(text);
  std::vector<RecoveredTarget> targets;
  for (std::size_t line = 0; line < lines.lines.size(); ++line) {
    const std::size_t at = find_value(lines.lines[line], 0);
    if (at == std::string_view::npos) continue;
    if (std::optional<RecoveredTarget> target = lines.value(line, at)) targets.push_back(std::move(*target));
  }
  if (!targets.empty()) return targets;
  for (std::size_t line = 0; line < lines.lines.size(); ++line) {
    const std::string_view content = lines.lines[line];
    for (std::size_t key = content.find_first_not_of(" \t-?{[,"); key < content.size();) {
      if (const std::size_t at = find_value(content, key); at != std::string_view::npos) {
        if (std::optional<RecoveredTarget> target = lines.value(line, at)) return {std::move(*target)};
      }
      const std::size_t separator = content.find_first_of("{,", key);
      key = separator == std::string_view::npos ? separator : content.find_first_not_of(" \t{,", separator);
    }
  }
  return targets;
}

}  // namespace fairway::graphdata
