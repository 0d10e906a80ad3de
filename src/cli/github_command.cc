// SPDX-License-Identifier: Apache-2.0

#include "cli/github_command.h"

#include <string_view>
#include <vector>

#include "base/text.h"

namespace fairway::cli {
namespace {

// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
std::string escape_command(std::string_view text, std::string_view special) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool steers = (static_cast<unsigned char>(c) < 0x20 && c != '\r' && c != '\n') || c == 0x7F;
    if (steers) {
      // It would reach the terminal of whoever reads the log.
      out += printable({&c, 1});
    } else if (c == '%' || c == '\r' || c == '\n' || special.contains(c)) {
      out += '%';
      out += digits[static_cast<unsigned char>(c) >> 4];
      out += digits[static_cast<unsigned char>(c) & 0xF];
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view name_of(GithubLevel level) {
  switch (level) {
    case GithubLevel::error:
      return "error";
    case GithubLevel::warning:
      return "warning";
    case GithubLevel::notice:
      break;
  }
  return "notice";
}

}  // namespace

std::string github_command(const GithubAnnotation& annotation) {
  constexpr std::string_view in_property = ":,";
  std::vector<std::string> properties;
  if (!annotation.file.empty()) properties.push_back("file=" + escape_command(annotation.file, in_property));
  if (annotation.line > 0) properties.push_back("line=" + std::to_string(annotation.line));
  if (annotation.column > 0) properties.push_back("col=" + std::to_string(annotation.column));
  properties.push_back("title=" + escape_command(annotation.title, in_property));
  return "::" + std::string(name_of(annotation.level)) + " " + join(properties, ",") +
         "::" + escape_command(annotation.text, "") + "\n";
}

}  // namespace fairway::cli
