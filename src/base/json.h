// JSON documents, by Boost.JSON. Unknown fields survive, integers stay exact, key order is kept.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/storage_ptr.hpp>
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
/// Where a document is allocated: the heap, or the memory of one request (`json::Arena`).
using Storage = boost::json::storage_ptr;

/// Parses one JSON text. Errors name line and column. Nesting deeper than 512 and texts that are not UTF-8
/// are errors. Numbers with a fraction are read exactly: the nearest double, so that they survive being
/// written.
Result<Value> parse(std::string_view text, const Storage& storage = {});

/// Compact text, for the wire. Deterministic: the same value gives the same bytes.
std::string to_text(const Value& value);
std::string to_text(const Object& object);
/// Indented by two spaces, for people; ends with a newline.
std::string to_pretty_text(const Value& value);
/// Appends compact text to `out`: two to three times as fast as `to_text`, and numbers with a fraction in
/// their shortest form ("1.5", "1.0").
void append_text(std::string& out, const Value& value);
void append_text(std::string& out, const Object& object);
/// Appends the compact text of a string, quotes and escapes included, to `out`.
void append_quoted(std::string& out, std::string_view text);

/// A member of an object, or nullptr if `value` is not an object or has no such key.
const Value* find(const Value& value, std::string_view key);
/// A member that is a string, or std::nullopt.
std::optional<std::string_view> find_string(const Value& value, std::string_view key);

}  // namespace fairway::json
