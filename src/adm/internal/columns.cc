// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/columns.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace fairway::adm {
namespace {

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

class Layout {
 public:
  Layout(std::vector<std::vector<std::string_view>> lines, const ColumnLayout& layout)
      : lines_(std::move(lines)), layout_(layout) {}

  std::string text() {
    for (std::size_t column = 0; lay_out(column); ++column) {
    }
    std::string out;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (i > 0) out += '\n';
      for (std::size_t j = 0; j < lines_[i].size(); ++j) {
        out += lines_[i][j];
        if (j + 1 < lines_[i].size()) out.append(widths_[i][j] - width_of(lines_[i][j]), ' ');
      }
    }
    return out;
  }

 private:
  bool has_cell(std::size_t line, std::size_t column) const { return column + 1 < lines_[line].size(); }

  /// Sets the widths of one column in all its blocks. Returns false if no line has it.
  bool lay_out(std::size_t column) {
    widths_.resize(lines_.size());
    bool any = false;
    for (std::size_t begin = 0; begin < lines_.size();) {
      if (!has_cell(begin, column)) {
        ++begin;
        continue;
      }
      any = true;
      std::size_t end = begin, width = layout_.min_width;
      for (; end < lines_.size() && has_cell(end, column); ++end)
        width = std::max(width, width_of(lines_[end][column]) + layout_.padding);
      for (; begin < end; ++begin) widths_[begin].push_back(width);
    }
    return any;
  }

  std::vector<std::vector<std::string_view>> lines_;
  std::vector<std::vector<std::size_t>> widths_;
  ColumnLayout layout_;
};

}  // namespace

std::string lay_out_columns(std::string_view text, const ColumnLayout& layout) {
  std::vector<std::vector<std::string_view>> lines;
  for (const std::string_view line : split(text, '\n')) lines.push_back(split(line, '\t'));
  return Layout(std::move(lines), layout).text();
}

}  // namespace fairway::adm
