// SPDX-License-Identifier: Apache-2.0

// The strings extension, version 2. Positions count code points.
#include <algorithm>
#include <string>
#include <vector>

#include "cel/internal/library/libraries.h"
#include "cel/internal/library/text_format.h"
#include "cel/internal/syntax/utf8.h"
#include "cel/internal/values/call_context.h"

namespace fairway::cel {

namespace {

/// Returns the byte at which a code point starts; text.size() for the end.
std::size_t byte_of(std::string_view text, std::int64_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += code_point_size(text[at]);
  return std::min(at, text.size());
}
std::int64_t length(std::string_view text) {
  return static_cast<std::int64_t>(count_code_points(text));
}

Value char_at(CallContext& context, const Value* a) {
  const std::string_view text = a[0].text();
  const std::int64_t index = a[1].integer();
  const std::int64_t count = length(text);
  if (index < 0 || index > count) return context.error("index out of range: " + std::to_string(index));
  if (index == count) return Value::string("");
  const std::size_t at = byte_of(text, index);
  return Value::string(text.substr(at, code_point_size(text[at])));
}

// From beyond the end nothing is found: an error only in later versions of the extension.
Value index_of(CallContext&, const Value* a) {
  const std::size_t found = a[0].text().find(a[1].text());
  if (found == std::string_view::npos) return Value::integer(-1);
  return Value::integer(length(a[0].text().substr(0, found)));
}
Value index_of_from(CallContext& context, const Value* a) {
  const std::string_view text = a[0].text();
  const std::int64_t from = a[2].integer();
  if (a[1].text().empty()) return a[2];
  if (from < 0) return context.error("index out of range: " + std::to_string(from));
  if (from >= length(text)) return Value::integer(-1);
  const std::size_t found = text.find(a[1].text(), byte_of(text, from));
  if (found == std::string_view::npos) return Value::integer(-1);
  return Value::integer(length(text.substr(0, found)));
}
Value last_index_of(CallContext&, const Value* a) {
  const std::size_t found = a[0].text().rfind(a[1].text());
  if (found == std::string_view::npos) return Value::integer(-1);
  return Value::integer(length(a[0].text().substr(0, found)));
}
Value last_index_of_from(CallContext& context, const Value* a) {
  const std::string_view text = a[0].text();
  const std::int64_t from = a[2].integer();
  if (a[1].text().empty()) return a[2];
  if (from < 0) return context.error("index out of range: " + std::to_string(from));
  if (from >= length(text)) return Value::integer(-1);
  const std::size_t found = text.rfind(a[1].text(), byte_of(text, from));
  if (found == std::string_view::npos) return Value::integer(-1);
  return Value::integer(length(text.substr(0, found)));
}

Value join_with(CallContext& context, const Value& list, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value item = list.at(i, context.scratch());
    if (!item.is(ValueKind::string)) return context.no_such_overload();
    if (i > 0) out += separator;
    out += item.text();
    if (out.size() > Scratch::default_limit) return context.out_of_memory();
  }
  return context.string(out);
}
Value join_list(CallContext& context, const Value* a) {
  return join_with(context, a[0], "");
}
Value join_separated(CallContext& context, const Value* a) {
  return join_with(context, a[0], a[1].text());
}

Value lower_ascii(CallContext& context, const Value* a) {
  std::string text(a[0].text());
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return context.string(text);
}
Value upper_ascii(CallContext& context, const Value* a) {
  std::string text(a[0].text());
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return context.string(text);
}

Value replace_some(CallContext& context, const Value* a, std::int64_t most) {
  const std::string_view text = a[0].text(), from = a[1].text(), to = a[2].text();
  std::string out;
  std::size_t at = 0;
  for (std::int64_t done = 0; most < 0 || done < most; ++done) {
    if (from.empty()) {
      // Before each character, and at the end.
      out += to;
      if (at >= text.size()) break;
      const std::size_t size = code_point_size(text[at]);
      out += text.substr(at, size);
      at += size;
    } else {
      const std::size_t found = text.find(from, at);
      if (found == std::string_view::npos) break;
      out += text.substr(at, found - at);
      out += to;
      at = found + from.size();
    }
    if (out.size() > Scratch::default_limit) return context.out_of_memory();
  }
  if (at < text.size()) out += text.substr(at);
  return context.string(out);
}
Value replace_all(CallContext& context, const Value* a) {
  return replace_some(context, a, -1);
}
Value replace_counted(CallContext& context, const Value* a) {
  return replace_some(context, a, a[3].integer());
}

Value split_some(CallContext& context, const Value* a, std::int64_t most) {
  const std::string_view text = a[0].text(), separator = a[1].text();
  std::vector<std::string_view> parts;
  std::size_t at = 0;
  if (most != 0) {
    while (most < 0 || static_cast<std::int64_t>(parts.size()) + 1 < most) {
      if (separator.empty()) {
        if (at >= text.size() || at + code_point_size(text[at]) >= text.size()) break;
        parts.push_back(text.substr(at, code_point_size(text[at])));
        at += parts.back().size();
        continue;
      }
      const std::size_t found = text.find(separator, at);
      if (found == std::string_view::npos) break;
      parts.push_back(text.substr(at, found - at));
      at = found + separator.size();
    }
    // No part of an empty text, where each character is one.
    if (!separator.empty() || at < text.size()) parts.push_back(text.substr(at));
  }
  Value* items = context.items(parts.size());
  if (!items) return context.out_of_memory();
  for (std::size_t i = 0; i < parts.size(); ++i) new (&items[i]) Value(Value::string(parts[i]));
  return Value::list(items, parts.size());
}
Value split_all(CallContext& context, const Value* a) {
  return split_some(context, a, -1);
}
Value split_counted(CallContext& context, const Value* a) {
  return split_some(context, a, a[2].integer());
}

Value between(CallContext& context, std::string_view text, std::int64_t from, std::int64_t to) {
  const std::int64_t count = length(text);
  if (from < 0 || from > count) return context.error("index out of range: " + std::to_string(from));
  if (to < 0 || to > count) return context.error("index out of range: " + std::to_string(to));
  if (from > to)
    return context.error("invalid substring range. start: " + std::to_string(from) +
                         ", end: " + std::to_string(to));
  const std::size_t begin = byte_of(text, from);
  return Value::string(text.substr(begin, byte_of(text, to) - begin));
}
Value substring(CallContext& context, const Value* a) {
  return between(context, a[0].text(), a[1].integer(), length(a[0].text()));
}
Value substring_to(CallContext& context, const Value* a) {
  return between(context, a[0].text(), a[1].integer(), a[2].integer());
}

/// Returns whether a code point is Unicode's White_Space.
bool is_space(std::uint32_t code) {
  return (code >= 9 && code <= 13) || code == 0x20 || code == 0x85 || code == 0xa0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 || code == 0x202f ||
         code == 0x205f || code == 0x3000;
}
Value trim_space(CallContext&, const Value* a) {
  std::string_view text = a[0].text();
  while (!text.empty() && is_space(code_point_at(text, 0))) text.remove_prefix(code_point_size(text[0]));
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xc0) == 0x80) --last;
    if (!is_space(code_point_at(text, last))) break;
    text = text.substr(0, last);
  }
  return Value::string(text);
}

Value quote(CallContext& context, const Value* a) {
  std::string out = "\"";
  for (const char c : a[0].text()) {
    static constexpr std::string_view special = "\a\b\f\n\r\t\v\\\"";
    static constexpr std::string_view letters = "abfnrtv\\\"";
    const std::size_t at = special.find(c);
    if (at == std::string_view::npos) {
      out += c;
    } else {
      out += '\\';
      out += letters[at];
    }
  }
  return context.string(out + "\"");
}

Value format(CallContext& context, const Value* a) {
  std::string wrong;
  const std::optional<std::string> text = format_text(a[0].text(), a[1], context.scratch(), wrong);
  return text ? context.string(*text) : context.error(wrong);
}

constexpr Overload strings_rows[] = {
    {"charAt", true, "string, int -> string", char_at},
    {"format", true, "string, list(dyn) -> string", format, CallCost::traverse},
    {"indexOf", true, "string, string -> int", index_of, CallCost::traverse_deep},
    {"indexOf", true, "string, string, int -> int", index_of_from, CallCost::traverse_deep},
    {"join", true, "list(string) -> string", join_list, CallCost::join},
    {"join", true, "list(string), string -> string", join_separated, CallCost::join},
    {"lastIndexOf", true, "string, string -> int", last_index_of, CallCost::traverse_deep},
    {"lastIndexOf", true, "string, string, int -> int", last_index_of_from, CallCost::traverse_deep},
    {"lowerAscii", true, "string -> string", lower_ascii, CallCost::traverse},
    {"replace", true, "string, string, string -> string", replace_all, CallCost::replace},
    {"replace", true, "string, string, string, int -> string", replace_counted, CallCost::replace},
    {"split", true, "string, string -> list(string)", split_all, CallCost::split},
    {"split", true, "string, string, int -> list(string)", split_counted, CallCost::split},
    {"strings.quote", false, "string -> string", quote, CallCost::traverse},
    {"substring", true, "string, int -> string", substring, CallCost::traverse},
    {"substring", true, "string, int, int -> string", substring_to, CallCost::traverse},
    {"trim", true, "string -> string", trim_space, CallCost::traverse},
    {"upperAscii", true, "string -> string", upper_ascii, CallCost::traverse},
};

}  // namespace

std::span<const Overload> string_overloads() {
  return strings_rows;
}

}  // namespace fairway::cel
