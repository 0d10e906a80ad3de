// SPDX-License-Identifier: Apache-2.0

// Makes a document of what Boost.JSON's parser reads, with exact numbers.
#pragma once

#include <boost/json/error.hpp>
#include <boost/json/string_view.hpp>
#include <boost/json/value_stack.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/internal/json_number.h"
#include "base/json.h"

namespace fairway::json {

/// The text of the number that is being read, which may come in pieces.
class NumberText {
 public:
  void add(std::string_view piece) { text_ += piece; }
  void clear() { text_.clear(); }
  /// Returns the result of `read_double` for the whole text, of which `last` is the last piece.
  std::expected<double, std::string> read(std::string_view last) {
    if (text_.empty()) return read_double(last, hint);
    add(last);
    return read_double(std::exchange(text_, {}), hint);
  }

 private:
  static constexpr std::string_view hint = "; write it as a text";
  std::string text_;
};

/// A handler for `boost::json::basic_parser`. Does as Boost.JSON's own handler does, but reads doubles
/// exactly, which Boost.JSON 1.81 does not, and refuses numbers that `read_double` refuses.
struct Builder {
  using Text = boost::json::string_view;
  using Code = boost::json::error_code;

  static constexpr std::size_t max_object_size = Object::max_size(), max_array_size = Array::max_size(),
                               max_key_size = boost::json::string::max_size(),
                               max_string_size = boost::json::string::max_size();

  Builder() { stack.reset(); }
  Builder(const Storage& storage, unsigned char* buffer, std::size_t size) : stack({}, buffer, size) {
    stack.reset(storage);
  }

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code&) { return true; }
  bool on_object_end(std::size_t size, Code&) { return stack.push_object(size), true; }
  bool on_array_begin(Code&) { return true; }
  bool on_array_end(std::size_t size, Code&) { return stack.push_array(size), true; }
  bool on_key_part(Text text, std::size_t, Code&) { return stack.push_chars(text), true; }
  bool on_key(Text text, std::size_t, Code&) { return stack.push_key(text), true; }
  bool on_string_part(Text text, std::size_t, Code&) { return stack.push_chars(text), true; }
  bool on_string(Text text, std::size_t, Code&) { return stack.push_string(text), true; }
  bool on_number_part(Text text, Code&) { return number.add(text), true; }
  bool on_int64(std::int64_t value, Text, Code&) {
    number.clear();
    return stack.push_int64(value), true;
  }
  bool on_uint64(std::uint64_t value, Text, Code&) {
    number.clear();
    return stack.push_uint64(value), true;
  }
  bool on_double(double, Text text, Code& code) {
    auto value = number.read(text);
    if (value) return stack.push_double(*value), true;
    refused = std::move(value.error());
    refused_at = text.data();
    code = boost::json::error::exponent_overflow;
    return false;
  }
  bool on_bool(bool flag, Code&) { return stack.push_bool(flag), true; }
  bool on_null(Code&) { return stack.push_null(), true; }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }

  boost::json::value_stack stack;
  NumberText number;
  /// The reason why a number was refused, or empty; and the beginning of (the last piece of) its text.
  std::string refused;
  const char* refused_at = nullptr;
};

}  // namespace fairway::json
