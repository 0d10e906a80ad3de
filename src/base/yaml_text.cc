// SPDX-License-Identifier: Apache-2.0

#include "base/yaml_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace fairway {
namespace {

/// Most characters of a key before its colon; a longer one needs a question mark. Bytes are counted, which
/// are no fewer.
constexpr std::size_t longest_simple_key = 1024;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Returns whether a text is the same text in YAML without quotes.
bool is_plain(std::string_view text) {
  // Words that YAML 1.1 or 1.2 read as a boolean or null.
  constexpr std::array<std::string_view, 9> words{"true", "false", "null", "yes", "no",
                                                  "on",   "off",   "y",    "n"};
  if (text.empty() || !is_letter(text.front()) || text.ends_with(':')) return false;
  if (std::ranges::find(words, to_lower(text)) != words.end()) return false;
  return std::ranges::all_of(text, [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || std::string_view("./:@-_").contains(c);
  });
}

/// A character that YAML must have escaped and JSON has not.
struct Unprintable {
  unsigned code = 0;
  /// Bytes in UTF-8; 0: there is none.
  std::size_t size = 0;
};

/// Finds DEL, the controls above it, line breaks, the byte order mark and what is no character, at the start
/// of a text.
Unprintable unprintable_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) == 0x7F) return {0x7F, 1};
  // U+0080 to U+009F.
  if (byte(0) == 0xC2 && text.size() > 1 && byte(1) < 0xA0) return {byte(1), 2};
  if (byte(0) < 0xE2 || text.size() < 3) return {};
  const unsigned code = ((byte(0) & 0x0FU) << 12U) | ((byte(1) & 0x3FU) << 6U) | (byte(2) & 0x3FU);
  const bool is_break = code == 0x2028 || code == 0x2029;
  const bool is_no_character = code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
  const bool has_three_bytes = byte(0) < 0xF0;
  return has_three_bytes && (is_break || is_no_character) ? Unprintable{code, 3} : Unprintable{};
}

/// Appends a text in double quotes. What JSON escapes, YAML reads alike.
void append_escaped(std::string& out, std::string_view text) {
  std::string quoted;
  json::append_quoted(quoted, text);
  std::size_t raw = 0;
  for (std::size_t i = 0; i < quoted.size();) {
    // Most text is ASCII.
    const auto first = static_cast<unsigned char>(quoted[i]);
    const Unprintable found =
        first < 0x7F ? Unprintable{} : unprintable_at(std::string_view(quoted).substr(i));
    if (found.size == 0) {
      ++i;
      continue;
    }
    out.append(quoted, raw, i - raw);
    out += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out += "0123456789ABCDEF"[found.code >> shift & 0xFU];
    raw = i += found.size;
  }
  out.append(quoted, raw);
}

void append_text(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out += text;
  } else {
    append_escaped(out, text);
  }
}

void append_scalar(std::string& out, const json::Value& value) {
  if (value.is_string()) {
    append_text(out, value.get_string());
  } else {
    json::append_text(out, value);
  }
}

bool is_block(const json::Value& value) {
  return (value.is_object() && !value.get_object().empty()) ||
         (value.is_array() && !value.get_array().empty());
}

/// Writes one document.
class Writer {
 public:
  explicit Writer(KeyOrder order) : order_(order) {}

  void append(const json::Value& value, std::size_t indent) {
    if (value.is_object()) {
      append_members(value.get_object(), indent);
    } else {
      append_items(value.get_array(), indent);
    }
  }
  std::string take() { return std::move(out_); }

 private:
  void append_members(const json::Object& object, std::size_t indent) {
    // The first key of a list's item follows its dash.
    bool first = out_.ends_with("- ");
    const auto append_next = [&](const json::Object::value_type& member) {
      if (!first) out_.append(indent, ' ');
      first = false;
      append_member(member, indent);
    };
    if (order_ == KeyOrder::as_given) {
      for (const auto& member : object) append_next(member);
      return;
    }
    std::vector<const json::Object::value_type*> members;
    for (const auto& member : object) members.push_back(&member);
    std::ranges::sort(members, {}, [](const auto* member) { return std::string_view(member->key()); });
    for (const auto* member : members) append_next(*member);
  }

  void append_member(const json::Object::value_type& member, std::size_t indent) {
    const std::size_t begin = out_.size();
    append_text(out_, member.key());
    const bool is_long = out_.size() - begin > longest_simple_key;
    if (is_long) {
      out_.insert(begin, "? ");
      out_ += '\n';
      out_.append(indent, ' ');
    }
    out_ += ':';
    const json::Value& value = member.value();
    if (is_block(value)) {
      out_ += '\n';
      append(value, indent + (value.is_array() && !is_long ? 0 : 2));
    } else {
      out_ += ' ';
      append_scalar(out_, value);
      out_ += '\n';
    }
  }

  void append_items(const json::Array& items, std::size_t indent) {
    for (const json::Value& item : items) {
      out_.append(indent, ' ');
      out_ += "- ";
      if (!is_block(item)) {
        append_scalar(out_, item);
        out_ += '\n';
        continue;
      }
      if (item.is_array()) out_.back() = '\n';
      append(item, indent + 2);
    }
  }

  KeyOrder order_;
  std::string out_;
};

}  // namespace

std::string to_yaml(const json::Value& value, KeyOrder order) {
  if (is_block(value)) {
    Writer writer(order);
    writer.append(value, 0);
    return writer.take();
  }
  std::string out;
  append_scalar(out, value);
  return out + "\n";
}

}  // namespace fairway
