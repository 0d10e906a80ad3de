// SPDX-License-Identifier: Apache-2.0

// Text for people: colour if the terminal supports it, tables, wrapped paragraphs.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::command_line {

/// Writes to standard output. Write errors are reported by main.
void print(std::string_view text);
/// Writes "warning: ..." to standard error.
void warn(std::string_view text);

/// Colours for standard output: none if it is not a terminal, if NO_COLOR is set (https://no-color.org), or
/// if TERM is "dumb".
class Style {
 public:
  Style();
  std::string bold(std::string_view text) const { return paint("1", text); }
  std::string dim(std::string_view text) const { return paint("2", text); }
  std::string red(std::string_view text) const { return paint("31", text); }
  std::string green(std::string_view text) const { return paint("32", text); }
  std::string yellow(std::string_view text) const { return paint("33", text); }

 private:
  std::string paint(const char* code, std::string_view text) const;
  bool colour_ = false;
};

/// Rows of cells as aligned columns, two spaces between them, no spaces at the ends of lines. The first row
/// is the header.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// Returns the columns that text for people may have: what $COLUMNS says, or else the terminal that standard
/// output is, at least 40 and at most 100; without either 100.
std::size_t text_width();

/// Wraps text at spaces to lines of at most `width`, indented by `indent` spaces; existing line breaks are
/// kept. Control characters are escaped: untrusted text must not control the terminal.
std::string paragraph(std::string_view text, std::size_t indent, std::size_t width = text_width());

/// "1 release", "3 releases".
std::string count(std::size_t number, std::string_view noun);

}  // namespace fairway::command_line
