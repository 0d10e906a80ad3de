// SPDX-License-Identifier: Apache-2.0

// Compiled alone: in a larger file g++ inlines less of the parser.
// Reading JSON: Boost.JSON's parser, with a handler of ours that makes the document.
#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <vector>

#include "base/internal/json_builder.h"
#include "base/json.h"
#include "base/json_unambiguous.h"
#include "base/text.h"

namespace fairway::json {

namespace {

/// API servers accept documents that are nested deeper than people write them, schemas of schemas among them;
/// but each level costs stack in code that walks a document.
constexpr std::size_t max_depth = 512;

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

  /// An open object. Keys are compared by their hashes alone: two keys of the same hash count as the same,
  /// which may refuse a valid document. In an object of many keys the hashes are in a set, because comparing
  /// each pair would take quadratic time.
  struct Open {
    std::size_t begin;  ///< index of its first key
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
  if (const Builder& builder = parser.handler(); !builder.refused.empty()) {
    // The text was handed over in one piece, and the number's is within it.
    const auto offset = static_cast<std::size_t>(builder.refused_at - text.data());
    return fail(ErrorCode::invalid, position(text, offset) + ": " + builder.refused);
  }
  if (error) {
    const bool cut = error == boost::json::error::incomplete;
    return fail(ErrorCode::invalid, "not JSON: " + position(text, cut ? text.size() : read) + ": " +
                                        (cut ? std::string("the text ends too early") : error.message()));
  }
  return parser.handler().stack.release();
}

}  // namespace

Result<Value> parse(std::string_view text, const Storage& storage) {
  return parse_with<Builder>(text, storage);
}

Result<Value> parse_unambiguous(std::string_view text, const Storage& storage) {
  return parse_with<UnambiguousBuilder>(text, storage);
}

}  // namespace fairway::json
