// SPDX-License-Identifier: Apache-2.0

#include "command_line/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>

#include "base/redact.h"
#include "base/text.h"

namespace fairway::command_line {

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void warn(std::string_view text) {
  std::fprintf(stderr, "warning: %s\n", printable(redact_urls(text), std::string::npos).c_str());
}

Style::Style() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  colour_ = isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0') && term != nullptr &&
            std::string_view(term) != "dumb";
}

std::string Style::paint(const char* code, std::string_view text) const {
  if (!colour_) return std::string(text);
  return std::string("\x1b[") + code + "m" + std::string(text) + "\x1b[0m";
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::size_t text_width() {
  constexpr std::size_t least = 40, most = 100;
  std::size_t columns = 0;
  const char* wanted = std::getenv("COLUMNS");
  const std::string_view text = wanted != nullptr ? wanted : "";
  const auto read = std::from_chars(text.data(), text.data() + text.size(), columns);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) columns = 0;
  winsize size = {};
  if (columns == 0 && isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    columns = size.ws_col;
  }
  return columns == 0 ? most : std::clamp(columns, least, most);
}

std::string paragraph(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  const std::size_t room = width > indent + 20 ? width - indent : 20;
  for (const std::string_view raw : split(text, '\n')) {
    std::string line;
    for (const std::string_view raw_word : split(raw, ' ')) {
      if (raw_word.empty()) continue;
      const std::string word = printable(raw_word, 4096);
      if (!line.empty() && line.size() + 1 + word.size() > room) {
        out += std::string(indent, ' ') + line + "\n";
        line.clear();
      }
      if (!line.empty()) line += ' ';
      line += word;
    }
    if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
  }
  return out;
}

std::string count(std::size_t number, std::string_view noun) {
  return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

}  // namespace fairway::command_line
