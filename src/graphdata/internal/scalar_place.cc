// SPDX-License-Identifier: Apache-2.0

#include "graphdata/internal/scalar_place.h"

#include <algorithm>
#include <charconv>

namespace fairway::graphdata {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

/// A position that moves through a text and knows its line and column.
class Cursor {
 public:
  Cursor(IndexedText& text, yaml::Mark mark) : text_(text.text()), at_(text.offset_of(mark)), mark_(mark) {}

  bool at_end() const { return at_ >= text_.size(); }
  char character() const { return text_[at_]; }
  std::string_view rest() const { return text_.substr(at_); }
  yaml::Mark mark() const { return mark_; }

  void step() {
    if (text_[at_] == '\n') {
      ++mark_.line;
      mark_.column = 1;
      ++at_;
      return;
    }
    ++mark_.column;
    ++at_;
    while (at_ < text_.size() && !begins_character(text_[at_])) ++at_;
  }
  void skip_line() {
    while (!at_end() && character() != '\n') step();
    if (!at_end()) step();
  }
  void skip_space() {
    while (!at_end() && is_space(character())) step();
  }
  void skip(std::size_t characters) {
    for (; characters > 0 && !at_end(); --characters) step();
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  yaml::Mark mark_;
};

/// One escape of a double-quoted scalar: its length in characters, and whether it stands for white space (a
/// folded line end included).
struct Escape {
  std::size_t characters = 2;
  bool space = false;
};

Escape escape_at(std::string_view text) {
  const char kind = text.size() > 1 ? text[1] : '\0';
  const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  if (digits == 0) return {.space = is_space(kind) || kind == 'n' || kind == 't' || kind == 'r'};
  unsigned int code = 0;
  const std::string_view hex = text.substr(2, digits);
  std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
  return {.characters = 2 + digits, .space = code < 0x80 && is_space(static_cast<char>(code))};
}

/// Skips characters that are white space in the scalar's text.
void skip_blank(Cursor& cursor, char style) {
  while (!cursor.at_end()) {
    cursor.skip_space();
    if (style != '"' || cursor.at_end() || cursor.character() != '\\') return;
    const Escape escape = escape_at(cursor.rest());
    if (!escape.space) return;
    cursor.skip(escape.characters);
  }
}

}  // namespace

IndexedText::IndexedText(std::string_view text) : text_(text), lines_{0} {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1))
    lines_.push_back(end + 1);
  if (text.starts_with("\xEF\xBB\xBF")) lines_.front() = 3;
  last_offset_ = lines_.front();
}

std::size_t IndexedText::offset_of(yaml::Mark mark) {
  const auto line = static_cast<std::size_t>(mark.line - 1);
  if (line >= lines_.size()) return text_.size();
  if (mark.line != last_.line || mark.column < last_.column) {
    last_ = {.line = mark.line, .column = 1};
    last_offset_ = lines_[line];
  }
  for (; last_.column < mark.column && last_offset_ < text_.size(); ++last_.column) {
    ++last_offset_;
    while (last_offset_ < text_.size() && !begins_character(text_[last_offset_])) ++last_offset_;
  }
  return last_offset_;
}

graph::Place place_in_scalar(const std::string& file, IndexedText& text, const yaml::Node& node,
                             std::size_t offset) {
  // Folding and indentation change white space only: both texts have the same visible characters in the same
  // order.
  const std::string_view before =
      std::string_view(node.scalar).substr(0, std::min(offset, node.scalar.size()));
  std::size_t wanted = 0;
  for (const char c : before) wanted += !is_space(c) && begins_character(c) ? 1 : 0;
  const bool on_space = offset >= node.scalar.size() || is_space(node.scalar[offset]);

  Cursor cursor(text, node.mark);
  if (!cursor.at_end() && cursor.character() == '*')
    return {.file = file, .line = node.mark.line, .column = node.mark.column};
  // Tags and anchors stand before what they belong to. No plain scalar begins as they or as other styles do.
  while (!cursor.at_end() && (cursor.character() == '!' || cursor.character() == '&')) {
    while (!cursor.at_end() && !is_space(cursor.character())) cursor.step();
    cursor.skip_space();
  }
  const char style = cursor.at_end() ? '\0' : cursor.character();
  if (style == '|' || style == '>') {
    cursor.skip_line();
  } else if (style == '"' || style == '\'') {
    cursor.step();
  }
  if (!on_space || wanted > 0) skip_blank(cursor, style);
  while (wanted > 0 && !cursor.at_end()) {
    std::size_t characters = 1;
    if (style == '\'' && cursor.character() == '\'') characters = 2;
    if (style == '"' && cursor.character() == '\\') characters = escape_at(cursor.rest()).characters;
    cursor.skip(characters);
    --wanted;
    if (wanted > 0 || !on_space) skip_blank(cursor, style);
  }
  return {.file = file, .line = cursor.mark().line, .column = cursor.mark().column};
}

}  // namespace fairway::graphdata
