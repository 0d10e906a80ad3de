// SPDX-License-Identifier: Apache-2.0

#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdint>
#include <variant>

#include "base/clock.h"
#include "base/json.h"
#include "base/log_level.h"
#include "base/redact.h"
#include "base/text.h"

namespace fairway::log {

namespace {

std::atomic<Format> chosen_format{Format::text};

spdlog::logger& logger() {
  // Never destroyed: threads may log while the process exits.
  static spdlog::logger* const instance = [] {
    auto* made = new spdlog::logger("fairway", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *instance;
}

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
    case Level::off:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

std::string_view name_of(Level level) {
  switch (level) {
    case Level::debug:
      return "debug";
    case Level::info:
      return "info";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
    case Level::off:
      break;
  }
  return "info";
}

std::string quoted_if_needed(const std::string& text) {
  const std::string value = redact_urls(text);
  const bool simple = !value.empty() && value.find_first_of(" \"=\n\r\t") == std::string::npos;
  if (simple) return printable(value, 2000);
  std::string quoted;
  json::append_quoted(quoted, printable(value, 2000));
  return quoted;
}

std::string plain_text(const Field::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
  return quoted_if_needed(std::get<std::string>(value));
}

json::Value json_value(const Field::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* number = std::get_if<std::uint64_t>(&value)) return *number;
  const std::string text = redact_urls(std::get<std::string>(value));
  return json::Value(is_utf8(text) ? text : printable(text, 2000));
}

}  // namespace

void configure(Level level, Format format) {
  chosen_format = format;
  logger().set_level(to_spdlog(level));
}

bool is_enabled(Level level) {
  return logger().should_log(to_spdlog(level));
}

Result<Level> parse_level(std::string_view text) {
  for (const Level level : {Level::debug, Level::info, Level::warning, Level::error}) {
    if (text == name_of(level)) return level;
  }
  return fail(ErrorCode::invalid,
              "'" + printable(text, 40) + "' is no log level: debug, info, warning or error");
}

Result<Format> parse_format(std::string_view text) {
  if (text == "text") return Format::text;
  if (text == "json") return Format::json;
  return fail(ErrorCode::invalid, "'" + printable(text, 40) + "' is no log format: text or json");
}

void write(Level level, std::string_view message, std::initializer_list<Field> fields) {
  write(level, message, std::span<const Field>(fields.begin(), fields.size()));
}

void write(Level level, std::string_view message, std::span<const Field> fields) {
  if (!is_enabled(level)) return;
  const std::string time = format_time(Clock::system().now());
  std::string line;
  if (chosen_format == Format::json) {
    json::Object object{{"time", time}, {"level", name_of(level)}, {"message", redact_urls(message)}};
    for (const Field& field : fields) object[field.key] = json_value(field.value);
    line = json::to_text(object);
  } else {
    line = time + " " + std::string(name_of(level)) + " " + printable(redact_urls(message), 4000);
    for (const Field& field : fields) line += " " + std::string(field.key) + "=" + plain_text(field.value);
  }
  logger().log(to_spdlog(level), "{}", line);
}

}  // namespace fairway::log
