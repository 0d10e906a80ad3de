// SPDX-License-Identifier: Apache-2.0

// The types that are no objects in JSON.
#include <algorithm>
#include <chrono>

#include "apiserver/internal/kinds/quantity_text.h"
#include "apiserver/internal/kinds/times.h"
#include "apiserver/internal/protobuf/decoder.h"
#include "apiserver/internal/protobuf/place.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/text.h"

namespace fairway::apiserver::protobuf {

namespace {

std::size_t depth_of(const json::Value& value) {
  std::size_t depth = 0;
  if (const json::Array* array = value.if_array()) {
    for (const json::Value& element : *array) depth = std::max(depth, depth_of(element));
    return depth + 1;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return 0;
  for (const auto& member : *object) depth = std::max(depth, depth_of(member.value()));
  return depth + 1;
}

}  // namespace

template <class Take>
bool Decoder::entries(std::string_view bytes, Take take) {
  for (wire::Reader reader(bytes); !reader.at_end();) {
    const auto entry = reader.next();
    if (!entry) return bad(reader.problem());
    if (!take(*entry)) return bad("a field has another wire type");
  }
  return true;
}

bool Decoder::text(std::string_view bytes, json::Value& into) {
  if (!is_utf8(bytes)) return bad("it is not UTF-8");
  into.emplace_string() = bytes;
  return true;
}

bool Decoder::bytes(std::string_view bytes, json::Value& into) {
  into.emplace_string() = base64_encode(bytes);
  return true;
}

bool Decoder::quantity(std::string_view bytes, json::Value& into) {
  std::string_view written;
  const bool read = entries(bytes, [&](const wire::Entry& entry) {
    if (entry.number == 1) written = entry.bytes;
    return entry.number != 1 || entry.type == wire::Type::bytes;
  });
  if (!read) return false;
  // Go's zero quantity, which only stands in a message without fields.
  if (bytes.empty()) return text("0", into);
  const auto canonical = kinds::canonical_quantity(written);
  if (!canonical) return bad(canonical.error().message);
  return text(*canonical, into);
}

bool Decoder::moment(kinds::FieldType type, std::string_view bytes, json::Value& into) {
  into = nullptr;
  if (bytes.empty()) return true;
  kinds::Moment moment;
  const bool read = entries(bytes, [&](const wire::Entry& entry) {
    if (entry.number == 1) moment.seconds = static_cast<std::int64_t>(entry.value);
    if (entry.number == 2) moment.nanoseconds = static_cast<std::int32_t>(entry.value);
    return entry.number > 2 || entry.type == wire::Type::varint;
  });
  if (!read) return false;
  constexpr std::int32_t second = 1'000'000'000;
  if (type == kinds::FieldType::time) moment.nanoseconds = 0;
  if (moment.nanoseconds < 0 || moment.nanoseconds >= second)
    return bad("its nanoseconds are more than a second");
  moment.nanoseconds -= moment.nanoseconds % 1000;
  if (moment.is_zero()) return true;
  const auto written =
      type == kinds::FieldType::time ? kinds::time_text(moment.seconds) : kinds::micro_time_text(moment);
  if (!written) return bad("it is a time outside of the years 0 to 9999");
  return text(*written, into);
}

bool Decoder::duration(std::string_view bytes, json::Value& into) {
  std::int64_t nanoseconds = 0;
  const bool read = entries(bytes, [&](const wire::Entry& entry) {
    if (entry.number == 1) nanoseconds = static_cast<std::int64_t>(entry.value);
    return entry.number != 1 || entry.type == wire::Type::varint;
  });
  return read && text(format_duration(std::chrono::nanoseconds(nanoseconds)), into);
}

bool Decoder::int_or_string(std::string_view bytes, json::Value& into) {
  std::int64_t type = 0;
  std::int32_t number = 0;
  std::string_view written;
  const bool read = entries(bytes, [&](const wire::Entry& entry) {
    if (entry.number == 1) type = static_cast<std::int64_t>(entry.value);
    if (entry.number == 2) number = static_cast<std::int32_t>(entry.value);
    if (entry.number == 3) written = entry.bytes;
    return entry.number > 3 || entry.type == (entry.number == 3 ? wire::Type::bytes : wire::Type::varint);
  });
  if (!read) return false;
  if (type == 1) return text(written, into);
  if (type != 0) return bad("it is neither a number nor text");
  into = static_cast<std::int64_t>(number);
  return true;
}

bool Decoder::strings(std::string_view bytes, json::Value& into) {
  std::vector<std::string_view> found;
  const bool read = entries(bytes, [&](const wire::Entry& entry) {
    if (entry.number != 1) return true;
    found.emplace_back(entry.bytes);
    return entry.type == wire::Type::bytes;
  });
  if (!read || !count(found.size())) return false;
  if (found.empty()) return true;
  json::Array& array = into.emplace_array();
  for (const std::string_view element : found) {
    if (!text(element, array.emplace_back(nullptr))) return false;
  }
  return true;
}

bool Decoder::any_json(kinds::FieldType type, std::string_view bytes, json::Value& into) {
  std::optional<std::string_view> raw;
  const bool read = entries(bytes, [&](const wire::Entry& entry) {
    if (entry.number == 1) raw = entry.bytes;
    return entry.number != 1 || entry.type == wire::Type::bytes;
  });
  if (!read) return false;
  if (!raw || (raw->empty() && type != kinds::FieldType::raw_extension)) return true;
  auto parsed = json::parse(*raw, storage_);
  if (!parsed) return bad("what it embeds is not JSON: " + parsed.error().message);
  depth_ += depth_of(*parsed);
  const bool fits = depth_ <= limits_.depth;
  depth_ -= depth_of(*parsed);
  if (!fits) {
    error_ = {ErrorCode::too_large,
              "the protobuf body is nested deeper than " + std::to_string(limits_.depth)};
    return false;
  }
  into = *std::move(parsed);
  return true;
}

bool Decoder::schema(const kinds::Field& field, std::string_view bytes, json::Value& into) {
  bool allows = false, has_schema = false;
  std::string schema;
  std::vector<std::string_view> rest;
  const std::uint32_t of_schema = field.type == kinds::FieldType::schema_or_bool ? 2 : 1;
  const bool read = entries(bytes, [&](const wire::Entry& entry) {
    if (entry.number > 2) return true;
    if (entry.number != of_schema && field.type == kinds::FieldType::schema_or_bool) {
      allows = entry.value != 0;
      return entry.type == wire::Type::varint;
    }
    if (entry.number == of_schema) {
      has_schema = true;
      schema += entry.bytes;
    } else {
      rest.push_back(entry.bytes);
    }
    return entry.type == wire::Type::bytes;
  });
  if (!read) return false;
  if (rest.empty()) {
    if (has_schema) return schema_object(*field.message, schema, into);
    if (field.type == kinds::FieldType::schema_or_bool) into = allows;
    return true;
  }
  json::Array& array = into.emplace_array();
  for (const std::string_view element : rest) {
    json::Value made(storage_);
    if (!count()) return false;
    if (!(field.type == kinds::FieldType::schema_or_array ? schema_object(*field.message, element, made)
                                                          : text(element, made))) {
      return false;
    }
    array.push_back(std::move(made));
  }
  return true;
}

bool Decoder::schema_object(const kinds::MessageType& type, std::string_view bytes, json::Value& into) {
  const Place place(*this, std::string_view{});
  return place.fits() && message(type, bytes, into.emplace_object());
}

}  // namespace fairway::apiserver::protobuf
