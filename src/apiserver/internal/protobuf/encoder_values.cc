// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/protobuf/encoder_values.h"

#include <bit>
#include <optional>

#include "apiserver/internal/kinds/times.h"
#include "base/base64.h"
#include "base/clock.h"

namespace fairway::apiserver::protobuf {
namespace {

using kinds::FieldType;

constexpr std::string_view fine = {}, not_a_number = "it is not an integer", not_a_text = "it is not a text";

std::optional<std::int64_t> integer(const json::Value& value) {
  if (value.is_null()) return 0;
  if (value.is_int64()) return value.get_int64();
  return std::nullopt;
}

std::string_view append_moment(std::string& out, const json::Value& value) {
  // Go's time that is not set has no fields.
  if (value.is_null()) return fine;
  if (!value.is_string()) return not_a_text;
  const auto moment = kinds::read_moment(value.get_string());
  if (!moment) return "it is not a time of RFC 3339";
  append_varint_field(out, 1, static_cast<std::uint64_t>(moment->seconds));
  append_varint_field(out, 2, static_cast<std::uint64_t>(moment->nanoseconds));
  return fine;
}

std::string_view append_duration(std::string& out, const json::Value& value) {
  std::chrono::nanoseconds duration{};
  if (!value.is_null()) {
    if (!value.is_string()) return not_a_text;
    const auto read = parse_duration(value.get_string());
    if (!read) return "it is not a duration";
    duration = *read;
  }
  append_varint_field(out, 1, static_cast<std::uint64_t>(duration.count()));
  return fine;
}

std::string_view append_int_or_string(std::string& out, const json::Value& value) {
  const bool is_text = value.is_string();
  const auto number = is_text ? std::optional<std::int64_t>(0) : integer(value);
  if (!number) return "it is neither an integer nor a text";
  append_varint_field(out, 1, is_text ? 1 : 0);
  append_varint_field(out, 2, static_cast<std::uint64_t>(*number));
  wire::append_bytes(out, 3, is_text ? std::string_view(value.get_string()) : std::string_view{});
  return fine;
}

std::string_view append_strings(std::string& out, const json::Value& value) {
  if (value.is_null()) return fine;
  const json::Array* items = value.if_array();
  if (items == nullptr) return "it is not a list";
  for (const json::Value& item : *items) {
    if (!item.is_string()) return "it has an item that is not a text";
    wire::append_bytes(out, 1, item.get_string());
  }
  return fine;
}

}  // namespace

void append_tag(std::string& out, std::uint32_t number, wire::Type type) {
  wire::append_varint(out, std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type));
}

void append_varint_field(std::string& out, std::uint32_t number, std::uint64_t value) {
  append_tag(out, number, wire::Type::varint);
  wire::append_varint(out, value);
}

std::string_view append_scalar(std::string& out, std::uint32_t number, FieldType type,
                               const json::Value& value) {
  switch (type) {
    case FieldType::boolean:
      if (!value.is_null() && !value.is_bool()) return "it is neither true nor false";
      append_varint_field(out, number, value.is_bool() && value.get_bool() ? 1 : 0);
      return fine;
    case FieldType::int32:
    case FieldType::int64: {
      const auto read = integer(value);
      if (!read) return not_a_number;
      append_varint_field(out, number, static_cast<std::uint64_t>(*read));
      return fine;
    }
    case FieldType::float64: {
      if (!value.is_null() && !value.is_number()) return "it is not a number";
      const auto bits = std::bit_cast<std::uint64_t>(value.is_null() ? 0.0 : value.to_number<double>());
      append_tag(out, number, wire::Type::fixed64);
      for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(bits >> shift & 0xff);
      return fine;
    }
    case FieldType::bytes: {
      if (!value.is_null() && !value.is_string()) return not_a_text;
      const auto decoded = value.is_null() ? std::string() : base64_decode(value.get_string());
      if (!decoded) return "it is not base64";
      wire::append_bytes(out, number, *decoded);
      return fine;
    }
    default:
      if (!value.is_null() && !value.is_string()) return not_a_text;
      wire::append_bytes(out, number,
                         value.is_null() ? std::string_view{} : std::string_view(value.get_string()));
      return fine;
  }
}

std::string_view append_content(std::string& out, FieldType type, const json::Value& value) {
  switch (type) {
    case FieldType::quantity:
      if (!value.is_null() && !value.is_string()) return not_a_text;
      wire::append_bytes(out, 1,
                         value.is_null() ? std::string_view("0") : std::string_view(value.get_string()));
      return fine;
    case FieldType::time:
    case FieldType::micro_time:
      return append_moment(out, value);
    case FieldType::duration:
      return append_duration(out, value);
    case FieldType::int_or_string:
      return append_int_or_string(out, value);
    case FieldType::strings:
      return append_strings(out, value);
    default:
      // Any JSON. Where the field is no pointer, null is Go's nil.
      if (!value.is_null()) wire::append_bytes(out, 1, json::to_text(value));
      return fine;
  }
}

}  // namespace fairway::apiserver::protobuf
