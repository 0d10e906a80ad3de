// SPDX-License-Identifier: Apache-2.0

#include "cli/man/roff.h"

#include <cstddef>

#include "base/text.h"

namespace fairway::cli {
namespace {

/// Longest line of a page's source, which people may read, too.
constexpr std::size_t source_width = 80;

/// Returns escaped text as it may stand at the beginning of a line, where a full stop begins a request.
std::string at_line_begin(const std::string& text) {
  return text.starts_with('.') ? "\\&" + text : text;
}

}  // namespace

std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string roff_bold(std::string_view text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string roff_italic(std::string_view text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string roff_paragraph(std::string_view text) {
  std::string out, line;
  for (const std::string_view raw : split(text, ' ')) {
    const std::string word = roff(trim(raw));
    if (word.empty()) continue;
    if (!line.empty() && line.size() + 1 + word.size() > source_width) {
      out += at_line_begin(line) + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return out + at_line_begin(line) + "\n";
}

std::string roff_section(std::string_view title) {
  return ".SH " + roff(title) + "\n";
}

std::string roff_subsection(std::string_view title) {
  return ".SS " + roff(title) + "\n";
}

std::string roff_entry(std::string_view term, std::string_view text) {
  return ".TP\n" + std::string(term) + "\n" + roff_paragraph(text);
}

std::string roff_example(std::string_view lines) {
  std::string out = ".RS 4\n.EX\n";
  for (const std::string_view line : split(lines, '\n')) out += at_line_begin(roff(line)) + "\n";
  return out + ".EE\n.RE\n";
}

}  // namespace fairway::cli
