// The log: one line per event, as text for people or JSON for machines, on standard error.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace fairway::log {

/// `off` is for commands that print their results and errors themselves.
enum class Level { debug, info, warning, error, off };
enum class Format { text, json };

/// One `key=value` after the message.
using Field = std::pair<std::string_view, std::string>;

/// Chooses what is written; the default is info and text. Safe to call at any time.
void configure(Level level, Format format);
Result<Level> parse_level(std::string_view text);
Result<Format> parse_format(std::string_view text);

void write(Level level, std::string_view message, std::initializer_list<Field> fields = {});
/// The same, for a number of fields known only at run time.
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
