// Reading JSON: Boost.JSON's parser, with a handler of ours that makes the document.
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "base/internal/json_number.h"
#include "base/json.h"
#include "base/json_unambiguous.h"
#include "base/text.h"

namespace fairway::json {

namespace {

/// API servers take documents that are nested deeper than people would, schemas of schemas among them; but
/// each level costs stack in whoever walks a document.
constexpr std::size_t max_depth = 512;

/// Makes the document, as Boost.JSON's own handler does, but with exact numbers.
struct Builder {
  using Text = boost::json::string_view;
  using Code = boost::json::error_code;

  static constexpr std::size_t max_object_size = Object::max_size(), max_array_size = Array::max_size(),
                               max_key_size = boost::json::string::max_size(),
                               max_string_size = boost::json::string::max_size();

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
  bool on_number_part(Text, Code&) { return true; }
  bool on_int64(std::int64_t number, Text, Code&) { return stack.push_int64(number), true; }
  bool on_uint64(std::uint64_t number, Text, Code&) { return stack.push_uint64(number), true; }
  bool on_double(double number, Text text, Code&) {
    // All of the text is here: it is handed to the parser in one piece.
    return stack.push_double(nearest_double(text, number)), true;
  }
  bool on_bool(bool flag, Code&) { return stack.push_bool(flag), true; }
  bool on_null(Code&) { return stack.push_null(), true; }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }

  boost::json::value_stack stack;
};

/// Remembers the keys of the objects that are open, and stops at one that its object has already.
struct UnambiguousBuilder : Builder {
  using Builder::Builder;

  bool on_object_begin(Code& code) {
    open.push_back({keys.size(), {}});
    return Builder::on_object_begin(code);
  }
  bool on_object_end(std::size_t size, Code& code) {
    keys.resize(open.back().begin);
    open.pop_back();
    return Builder::on_object_end(size, code);
  }
  bool on_key_part(Text text, std::size_t size, Code& code) {
    part.append(text.data(), text.size());
    return Builder::on_key_part(text, size, code);
  }
  bool on_key(Text text, std::size_t size, Code& code) {
    part.append(text.data(), text.size());
    if (knows(open.back())) {
      twice = part;
      code = boost::json::error::syntax;
      return false;
    }
    keys.push_back(std::hash<std::string_view>()(part));
    part.clear();
    return Builder::on_key(text, size, code);
  }

  /// By hashes alone: two keys of the same hash are taken for the same, which refuses what need not be
  /// refused. An object of many keys would cost their square, so that those are looked up in a set.
  struct Open {
    std::size_t begin;  ///< where its keys begin
    std::unordered_set<std::size_t> many;
  };
  bool knows(Open& object) const {
    const std::size_t hash = std::hash<std::string_view>()(part);
    constexpr std::size_t few = 32;
    const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(object.begin);
    if (keys.size() - object.begin < few) return std::find(begin, keys.end(), hash) != keys.end();
    if (object.many.empty()) object.many.insert(begin, keys.end());
    return !object.many.insert(hash).second;
  }

  std::vector<std::size_t> keys;  ///< hashes, of the outermost object first
  std::vector<Open> open;
  std::string part;
  std::optional<std::string> twice;
};

std::string position(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column = offset - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

template <class Handler>
Result<Value> parse_with(std::string_view text, const Storage& storage) {
  boost::json::parse_options options;
  options.max_depth = max_depth;
  unsigned char buffer[4096];
  boost::json::basic_parser<Handler> parser(options, storage, buffer, sizeof buffer);
  boost::json::error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (!error && text.find_first_not_of(" \t\r\n", read) != std::string_view::npos) {
    error = boost::json::error::extra_data;
  }
  if constexpr (std::is_same_v<Handler, UnambiguousBuilder>) {
    if (const auto& twice = parser.handler().twice) {
      return fail(ErrorCode::invalid, "ambiguous JSON: " + position(text, read) + ": the key '" +
                                          printable(*twice, 80) + "' stands twice in one object");
    }
  }
  if (error) {
    const bool cut = error == boost::json::error::incomplete;
    return fail(ErrorCode::invalid, "not JSON: " + position(text, cut ? text.size() : read) + ": " +
                                        (cut ? std::string("the text ends too early") : error.message()));
  }
  return parser.handler().stack.release();
}

}  // namespace

double nearest_double(std::string_view text, double otherwise) {
  double exact = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exact);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size() ? exact : otherwise;
}

Result<Value> parse(std::string_view text, const Storage& storage) {
  return parse_with<Builder>(text, storage);
}

Result<Value> parse_unambiguous(std::string_view text, const Storage& storage) {
  return parse_with<UnambiguousBuilder>(text, storage);
}

}  // namespace fairway::json
