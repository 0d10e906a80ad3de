// SPDX-License-Identifier: Apache-2.0

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
/// The memory in which a document is allocated: the heap, or that of one request (`json::Arena`).
using Storage = boost::json::storage_ptr;

/// Parses one JSON text. Errors name line and column: nesting deeper than 512, text that is not UTF-8,
/// numbers beyond the largest double, integers beyond 64 bits. A number with a fraction or an exponent is the
/// nearest double, and stays one: 2.0 is written as 2.0.
Result<Value> parse(std::string_view text, const Storage& storage = {});

/// Compact text, for the wire. Deterministic: the same value gives the same bytes. Numbers: `append_text`.
std::string to_text(const Value& value);
std::string to_text(const Object& object);
/// Indented by two spaces, for people; ends with a newline.
std::string to_pretty_text(const Value& value);
/// Appends compact text to `out`. Doubles get the shortest text that Go and JavaScript read alike, and stay
/// doubles: 0.5, 2.0, 1e-7 (exponents below 1e-6 and from 1e21 on). Infinities and NaN are written as null.
void append_text(std::string& out, const Value& value);
void append_text(std::string& out, const Object& object);
/// Appends the compact text of a string, quotes and escapes included, to `out`.
void append_quoted(std::string& out, std::string_view text);

/// A member of an object, or nullptr if `value` is not an object or has no such key.
const Value* find(const Value& value, std::string_view key);
/// A member that is a string, or std::nullopt.
std::optional<std::string_view> find_string(const Value& value, std::string_view key);

}  // namespace fairway::json
