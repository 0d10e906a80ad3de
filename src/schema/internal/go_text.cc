#include "schema/internal/go_text.h"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace fairway::schema::internal {

namespace {

/// Bytes of the UTF-8 character that `text` begins with; 0 where it is none.
std::size_t character_length(std::string_view text) {
  static const re2::RE2 one_character(R"((?s)^(.))");
  re2::StringPiece found;
  const std::string_view head = text.substr(0, 4);
  if (!re2::RE2::PartialMatch(re2::StringPiece(head.data(), head.size()), one_character, &found)) return 0;
  return found.size();
}

bool is_printable(std::string_view character) {
  static const re2::RE2 printable(R"([\pL\pM\pN\pP\pS])");
  return re2::RE2::FullMatch(re2::StringPiece(character), printable);
}

std::uint32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  std::uint32_t code = byte(0) & (0xffu >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i) code = (code << 6) | (byte(i) & 0x3fu);
  return code;
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out += "0123456789abcdef"[(value >> shift) & 0xf];
}

void append_json_text(std::string& out, std::string_view text) {
  std::string quoted;
  json::append_quoted(quoted, text);
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    const char c = quoted[i];
    if (c == '<' || c == '>' || c == '&') {
      out += "\\u00";
      append_hex(out, static_cast<unsigned char>(c), 2);
    } else if (quoted.compare(i, 3, "\u2028") == 0 || quoted.compare(i, 3, "\u2029") == 0) {
      out += quoted[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
}

std::string shortest(double value, std::chars_format format) {
  char text[400];
  return {text, std::to_chars(text, text + sizeof text, value, format).ptr};
}

int exponent_of(const std::string& scientific) {
  const std::size_t e = scientific.find('e');
  return e == std::string::npos ? 0 : std::atoi(scientific.c_str() + e + 1);
}

std::string json_number(double value) {
  const double size = std::abs(value);
  if (size == 0 || (size >= 1e-6 && size < 1e21)) return shortest(value, std::chars_format::fixed);
  std::string text = shortest(value, std::chars_format::scientific);
  if (const std::size_t zero = text.find("e-0"); zero != std::string::npos) text.erase(zero + 2, 1);
  return text;
}

}  // namespace

std::string go_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text[0]);
    std::size_t taken = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text[0];
    } else if (c >= 0x20 && c < 0x7f) {
      out += text[0];
    } else if (c >= '\a' && c <= '\r') {
      out += '\\';
      out += "abtnvfr"[c - '\a'];
    } else if (c < 0x80) {
      out += "\\x";
      append_hex(out, c, 2);
    } else if (taken = character_length(text); taken == 0) {
      out += "\\x";
      append_hex(out, c, 2);
      taken = 1;
    } else if (is_printable(text.substr(0, taken))) {
      out += text.substr(0, taken);
    } else {
      const std::uint32_t code = code_point(text.substr(0, taken));
      out += code < 0x10000 ? "\\u" : "\\U";
      append_hex(out, code, code < 0x10000 ? 4 : 8);
    }
    text.remove_prefix(taken);
  }
  return out + '"';
}

std::string go_number(double value) {
  std::string scientific = shortest(value, std::chars_format::scientific);
  const int exponent = exponent_of(scientific);
  if (exponent < -4 || exponent >= 6) return scientific;
  return shortest(value, std::chars_format::fixed);
}

std::string go_value(const json::Value& value) {
  if (value.is_string()) return go_quoted(value.get_string());
  if (value.is_int64()) return std::to_string(value.get_int64());
  // Integers beyond int64 are float64 to the API server.
  if (value.is_uint64()) return go_number(static_cast<double>(value.get_uint64()));
  if (value.is_double()) return go_number(value.get_double());
  std::string out;
  append_go_json(out, value);
  return out;
}

void append_go_json(std::string& out, const json::Value& value) {
  if (const json::Object* object = value.if_object()) {
    std::vector<std::string_view> keys;
    keys.reserve(object->size());
    for (const auto& member : *object) keys.emplace_back(member.key());
    std::ranges::sort(keys);
    char before = '{';
    for (const std::string_view key : keys) {
      out += before;
      before = ',';
      append_json_text(out, key);
      out += ':';
      append_go_json(out, object->at(key));
    }
    out += object->empty() ? "{}" : "}";
  } else if (const json::Array* array = value.if_array()) {
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i != 0) out += ',';
      append_go_json(out, (*array)[i]);
    }
    out += ']';
  } else if (value.is_string()) {
    append_json_text(out, value.get_string());
  } else if (value.is_double() || value.is_uint64()) {
    out += json_number(value.is_double() ? value.get_double() : static_cast<double>(value.get_uint64()));
  } else {
    json::append_text(out, value);
  }
}

}  // namespace fairway::schema::internal
