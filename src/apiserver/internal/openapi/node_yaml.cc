// SPDX-License-Identifier: Apache-2.0

// Follows the states of yaml.v3's emitter, so that line breaks and indents come out alike in all nestings.
#include "apiserver/internal/openapi/node_yaml.h"

#include <cstddef>
#include <string_view>
#include <utility>

#include "apiserver/internal/openapi/yaml_characters.h"
#include "apiserver/internal/openapi/yaml_plain_text.h"

namespace fairway::apiserver::openapi {
namespace {

constexpr int best_indent = 4;
/// Bytes of the longest key that stands before its value in the same line.
constexpr std::size_t longest_key = 128;

enum class Style { plain, single_quoted, double_quoted, literal };
/// The place of a value within the value around it.
enum class Place { root, item, member };

Style style_of(std::string_view text, const ScalarTraits& traits, bool is_simple_key) {
  if (text.find('\n') != std::string_view::npos) {
    return traits.block_allowed && !is_simple_key ? Style::literal : Style::double_quoted;
  }
  if (!is_plain_text(text)) return Style::double_quoted;
  if (traits.plain_allowed) return Style::plain;
  return traits.single_quoted_allowed ? Style::single_quoted : Style::double_quoted;
}

int deeper(int indent, Place place) {
  if (place == Place::item) return indent + 2;
  return best_indent * ((indent + best_indent) / best_indent);
}

class Emitter {
 public:
  void value(const json::Value& value, int indent, Place place) {
    if (const json::Object* object = value.if_object()) return mapping(*object, indent, place);
    if (const json::Array* array = value.if_array()) return sequence(*array, indent, place);
    const int inner = indent < 0 ? best_indent : deeper(indent, place);
    if (const auto* text = value.if_string()) return scalar(*text, inner, false);
    plain(json::to_text(value));
  }

  std::string finished() {
    break_for(0);
    return std::move(out_);
  }

 private:
  void mapping(const json::Object& object, int indent, Place place) {
    if (object.empty()) return indicator("{}", false);
    const int inner = indent < 0 ? 0 : deeper(indent, place);
    for (const auto& member : object) {
      break_for(inner);
      const std::string_view key = member.key();
      const bool is_simple = key.size() <= longest_key && !traits_of(key).multiline;
      if (!is_simple) indicator("?", true);
      scalar(key, deeper(inner, Place::member), is_simple);
      if (!is_simple) break_for(inner);
      if (is_simple) {
        write(":");
        whitespace_ = indention_ = false;
      } else {
        indicator(":", true);
      }
      value(member.value(), inner, Place::member);
    }
  }

  void sequence(const json::Array& array, int indent, Place place) {
    if (array.empty()) return indicator("[]", false);
    const int inner = indent < 0 ? 0 : deeper(indent, place);
    for (const json::Value& item : array) {
      break_for(inner);
      indicator("-", true);
      value(item, inner, Place::item);
    }
  }

  void scalar(std::string_view text, int indent, bool is_simple_key) {
    switch (style_of(text, traits_of(text), is_simple_key)) {
      case Style::plain:
        return plain(text);
      case Style::double_quoted:
        return indicator(double_quoted(text), false);
      case Style::single_quoted:
        indicator("'", false);
        lines(text, indent, false);
        write("'");
        return;
      case Style::literal:
        indicator("|" + block_hints(text, best_indent), false);
        newline();
        whitespace_ = true;
        return lines(text, indent, true);
    }
  }

  void plain(std::string_view text) {
    if (!text.empty() && !whitespace_) write(" ");
    write(text);
    if (!text.empty()) whitespace_ = false;
    indention_ = false;
  }

  /// Writes the lines of a text, each at the indent; quotes are doubled where the text is in quotes.
  void lines(std::string_view text, int indent, bool is_literal) {
    bool breaks = is_literal;
    for (std::size_t at = 0; at < text.size();) {
      const std::string_view character = text.substr(at, width_at(text, at));
      at += character.size();
      if (is_break(character)) {
        if (character == "\n") {
          newline();
        } else {
          out_ += character;
          column_ = 0;
          indention_ = true;
        }
        breaks = true;
        continue;
      }
      if (breaks) break_for(indent);
      if (!is_literal && character == "'") write("'");
      write(character);
      indention_ = breaks = false;
    }
    if (!is_literal) whitespace_ = indention_ = false;
  }

  /// Writes a mark, or a value that is written as it is, with a space before it where one is needed.
  void indicator(std::string_view mark, bool is_indention) {
    if (!whitespace_) write(" ");
    write(mark);
    whitespace_ = false;
    indention_ = indention_ && is_indention;
  }

  /// Begins a line at the indent, if this one is not there yet.
  void break_for(int indent) {
    if (!indention_ || column_ > indent || (column_ == indent && !whitespace_)) newline();
    while (column_ < indent) write(" ");
    whitespace_ = true;
  }

  void newline() {
    out_ += '\n';
    column_ = 0;
    indention_ = true;
  }

  void write(std::string_view text) {
    out_ += text;
    for (const char c : text) column_ += (c & 0xC0) != 0x80 ? 1 : 0;
  }

  std::string out_;
  int column_ = 0;
  /// The last character was white space; all since the line's begin is indent and marks of nesting.
  bool whitespace_ = true, indention_ = true;
};

}  // namespace

std::string node_yaml(const json::Value& value) {
  Emitter emitter;
  emitter.value(value, -1, Place::root);
  return emitter.finished();
}

}  // namespace fairway::apiserver::openapi
