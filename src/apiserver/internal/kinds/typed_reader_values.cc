// SPDX-License-Identifier: Apache-2.0

// The types that are no objects in JSON.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "apiserver/internal/kinds/quantity_text.h"
#include "apiserver/internal/kinds/times.h"
#include "apiserver/internal/kinds/typed_reader.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::apiserver::kinds {

bool TypedReader::bytes(const json::Value* from, json::Value& into) {
  if (from == nullptr) return true;
  // Go takes a list of numbers too.
  if (const json::Array* array = from->if_array()) {
    std::string given;
    for (const json::Value& element : *array) {
      const bool fits = element.is_int64() && element.get_int64() >= 0 && element.get_int64() <= UINT8_MAX;
      const json::Value* one = element.is_null() ? nullptr : expect(fits, &element, "uint8");
      given += one != nullptr ? static_cast<char>(one->get_int64()) : '\0';
    }
    into.emplace_string() = base64_encode(given);
    return true;
  }
  if (from = expect(from->is_string(), from, "[]uint8"); from == nullptr) return true;
  const auto decoded = base64_decode(from->get_string());
  if (!decoded) {
    const std::string_view text = from->get_string();
    const std::size_t at =
        text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n");
    if (!saved_) {
      saved_ = Error{ErrorCode::invalid,
                     "illegal base64 data at input byte " + std::to_string(std::min(at, text.size()))};
    }
    return true;
  }
  into.emplace_string() = base64_encode(*decoded);
  return true;
}

bool TypedReader::quantity(const json::Value* from, json::Value& into) {
  const auto read = from == nullptr
                        ? Result<std::string>("0")
                        : canonical_quantity(from->is_string() ? trim(from->get_string())
                                                               : std::string_view(json::to_text(*from)));
  if (!read) return bad(read.error().message);
  into.emplace_string() = *read;
  return true;
}

bool TypedReader::moment(FieldType type, const json::Value* from, json::Value& into) {
  into = nullptr;
  if (from == nullptr) return true;
  if (!from->is_string()) return bad(mismatch(*from, "string"));
  const std::string_view text = from->get_string();
  auto moment = read_moment(text);
  // MicroTime has six digits behind the seconds.
  constexpr std::size_t point = 19, digits = 6;
  if (moment && type == FieldType::micro_time &&
      (text.find_first_not_of("0123456789", point + 1) != point + 1 + digits || text[point] != '.')) {
    moment.reset();
  }
  const bool micro = type == FieldType::micro_time;
  if (!moment) {
    return bad("parsing time " + quote(text) + " as \"2006-01-02T15:04:05" + (micro ? ".000000" : "") +
               "Z07:00\": cannot parse " + quote(text) + " as \"2006\"");
  }
  if (!micro) moment->nanoseconds = 0;
  if (moment->is_zero()) return true;
  const auto written = micro ? micro_time_text(*moment) : time_text(moment->seconds);
  if (!written) return bad("parsing time " + quote(text) + ": its year in UTC is beyond 9999");
  into.emplace_string() = *written;
  return true;
}

bool TypedReader::duration(const json::Value* from, json::Value& into) {
  if (from != nullptr && !from->is_string()) return bad(mismatch(*from, "string"));
  const auto read =
      from == nullptr ? Result<std::chrono::nanoseconds>(0) : parse_duration(from->get_string());
  if (!read) return bad("time: invalid duration " + quote(from->get_string()));
  into.emplace_string() = format_duration(*read);
  return true;
}

bool TypedReader::int_or_string(const json::Value* from, json::Value& into) {
  into = std::int64_t{0};
  if (from == nullptr) return true;
  const bool fits = from->is_string() ||
                    (from->is_int64() && from->get_int64() >= INT32_MIN && from->get_int64() <= INT32_MAX);
  if (!fits) return bad(mismatch(*from, "int32"));
  into = *from;
  return true;
}

bool TypedReader::schema(const Field& field, const json::Value* from, json::Value& into) {
  into = nullptr;
  if (field.type == FieldType::schema_or_bool && from == nullptr) into = false;
  if (from == nullptr) return true;
  // Go reads these by an UnmarshalJSON of their own: a mistake in it ends the reading, whatever was
  // remembered before, and is told with the structure that has the field.
  const std::optional<Error> before = std::exchange(saved_, std::nullopt);
  const std::string_view outer = unmarshaler_in_;
  if (outer.empty()) unmarshaler_in_ = structure_;
  const bool read = schema_members(field, *from, into);
  unmarshaler_in_ = outer;
  if (read && saved_) return bad(saved_->message);
  saved_ = before;
  return read;
}

bool TypedReader::schema_members(const Field& field, const json::Value& from, json::Value& into) {
  if (from.is_object()) return message(*field.message, &from, into.emplace_object());
  if (field.type == FieldType::schema_or_bool) {
    if (!from.is_bool()) return bad("boolean or JSON schema expected");
    into = from;
    return true;
  }
  const json::Array* array = from.if_array();
  if (array == nullptr || array->empty()) return true;
  json::Array& made = into.emplace_array();
  for (const json::Value& element : *array) {
    json::Value& one = made.emplace_back(nullptr);
    const json::Value* value = element.is_null() ? nullptr : &element;
    const bool read = field.type == FieldType::schema_or_array
                          ? message(*field.message, value, one.emplace_object())
                          : text("string", value, one);
    if (!read) return false;
  }
  return true;
}

}  // namespace fairway::apiserver::kinds
