// SPDX-License-Identifier: Apache-2.0

// The log: one line per event, as text for people or JSON for machines, on standard error.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/result.h"

namespace fairway::log {

/// `off` is for commands that print their results and errors themselves.
enum class Level { debug, info, warning, error, off };
enum class Format { text, json };

/// One `key=value` after the message. A number is one in JSON, too; a value that only looks like one (a
/// version, an ID) is a text.
struct Field {
  using Value = std::variant<std::string, std::int64_t, std::uint64_t>;

  Field(std::string_view field_key, std::string text) : key(field_key), value(std::move(text)) {}
  template <std::signed_integral Number>
  Field(std::string_view field_key, Number number) : key(field_key), value(std::int64_t{number}) {}
  template <std::unsigned_integral Number>
    requires(!std::same_as<Number, bool>)
  Field(std::string_view field_key, Number number) : key(field_key), value(std::uint64_t{number}) {}

  std::string_view key = {};
  Value value = {};
};

/// Sets level and format; the default is info and text. Safe to call at any time.
void configure(Level level, Format format);
Result<Level> parse_level(std::string_view text);
Result<Format> parse_format(std::string_view text);

void write(Level level, std::string_view message, std::initializer_list<Field> fields = {});
/// Writes an event with a number of fields known only at run time.
void write(Level level, std::string_view message, std::span<const Field> fields);
inline void debug(std::string_view m, std::initializer_list<Field> f = {}) {
  write(Level::debug, m, f);
}
inline void info(std::string_view m, std::initializer_list<Field> f = {}) {
  write(Level::info, m, f);
}
inline void warning(std::string_view m, std::initializer_list<Field> f = {}) {
  write(Level::warning, m, f);
}
inline void error(std::string_view m, std::initializer_list<Field> f = {}) {
  write(Level::error, m, f);
}

}  // namespace fairway::log
