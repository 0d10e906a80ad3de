// JSON documents: Boost.JSON behind one door. Unknown fields survive, integers stay exact, key order is kept.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fairway::json {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;

/// Parses one JSON text. Errors name line and column. Nesting deeper than 64 and texts that are not UTF-8 are
/// errors.
Result<Value> parse(std::string_view text);

/// Compact text, as it goes over the wire. The same value gives the same bytes.
std::string to_text(const Value& value);
std::string to_text(const Object& object);
/// Indented by two spaces, for people; ends with a newline.
std::string to_pretty_text(const Value& value);
/// Appends the compact text of a string, quotes and escapes included, to `out`.
void append_quoted(std::string& out, std::string_view text);

/// A member of an object, or nullptr where `value` is no object or has no such key.
const Value* find(const Value& value, std::string_view key);
/// A member that is a string, or nothing.
std::optional<std::string_view> find_string(const Value& value, std::string_view key);

}  // namespace fairway::json
