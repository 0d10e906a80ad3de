// SPDX-License-Identifier: Apache-2.0

#include "cli/adm/paint.h"

#include <vector>

#include "base/text.h"

namespace fairway::cli {
namespace {

std::string painted_line(std::string_view line, const command_line::Style& style) {
  if (line.starts_with("Failing=True") || line.starts_with("Failing=Unknown")) return style.red(line);
  if (line.starts_with("Upgradeable=") || line.starts_with("ReleaseAccepted=") ||
      line.starts_with("  Recommended: ") || line.starts_with("  Recommended="))
    return style.yellow(line);
  const bool is_section = line.starts_with("= ") && line.ends_with(" =");
  if (is_section || (line.ends_with(':') && !line.starts_with(' '))) return style.bold(line);
  return std::string(line);
}

/// Returns a line without its end; that of Windows stays.
std::string line_without_controls(std::string_view line) {
  const bool has_return = line.ends_with('\r');
  if (has_return) line.remove_suffix(1);
  std::vector<std::string> parts;
  for (const std::string_view part : split(line, '\t')) parts.push_back(printable(part, std::string::npos));
  return join(parts, "\t") + (has_return ? "\r" : "");
}

}  // namespace

std::string without_controls(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.push_back(line_without_controls(line));
  return join(lines, "\n");
}

std::string painted(std::string_view text, const command_line::Style& style) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) out += painted_line(line, style) + "\n";
  out.pop_back();
  return out;
}

}  // namespace fairway::cli
