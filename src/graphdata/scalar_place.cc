#include "graphdata/scalar_place.h"

#include <algorithm>

namespace fairway::graphdata {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

/// A walk through a text that knows line and column.
class Cursor {
 public:
  Cursor(std::string_view text, yaml::Mark mark) : text_(text), mark_(mark) {
    for (int line = 1; line < mark.line && at_ < text.size(); ++line) {
      const std::size_t end = text.find('\n', at_);
      at_ = end == std::string_view::npos ? text.size() : end + 1;
    }
    if (at_ == 0 && text.starts_with("\xEF\xBB\xBF")) at_ = 3;
    for (int column = 1; column < mark.column && at_ < text.size(); ++column) {
      ++at_;
      while (at_ < text.size() && !begins_character(text[at_])) ++at_;
    }
  }

  bool at_end() const { return at_ >= text_.size(); }
  char character() const { return text_[at_]; }
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
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

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  yaml::Mark mark_;
};

}  // namespace

graph::Place place_in_scalar(const std::string& file, std::string_view text, const yaml::Node& node,
                             std::size_t offset) {
  // Folding and indentation change white space only: both texts have the same visible characters in the same
  // order.
  const std::string_view before =
      std::string_view(node.scalar).substr(0, std::min(offset, node.scalar.size()));
  std::size_t wanted = 0;
  for (const char c : before) wanted += !is_space(c) && begins_character(c) ? 1 : 0;
  const bool on_space = offset >= node.scalar.size() || is_space(node.scalar[offset]);

  Cursor cursor(text, node.mark);
  const char style = cursor.at_end() || node.plain ? '\0' : cursor.character();
  if (style == '|' || style == '>') {
    cursor.skip_line();
  } else if (style == '"' || style == '\'') {
    cursor.step();
  }
  if (!on_space || wanted > 0) cursor.skip_space();
  while (wanted > 0 && !cursor.at_end()) {
    // An escape is two characters or more for one: the simple ones are followed.
    if ((style == '\'' && cursor.character() == '\'') || (style == '"' && cursor.character() == '\\'))
      cursor.step();
    if (cursor.at_end()) break;
    cursor.step();
    --wanted;
    if (wanted > 0 || !on_space) cursor.skip_space();
  }
  return {.file = file, .line = cursor.mark().line, .column = cursor.mark().column};
}

}  // namespace fairway::graphdata
