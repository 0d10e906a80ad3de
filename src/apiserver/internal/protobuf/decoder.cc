// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/protobuf/decoder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "apiserver/internal/kinds/omit_empty.h"
#include "apiserver/internal/protobuf/place.h"
#include "base/text.h"

namespace fairway::apiserver::protobuf {

namespace {

/// Returns the wire type of a field type's values.
wire::Type wire_type(kinds::FieldType type) {
  switch (type) {
    case kinds::FieldType::boolean:
    case kinds::FieldType::int32:
    case kinds::FieldType::int64:
      return wire::Type::varint;
    case kinds::FieldType::float64:
      return wire::Type::fixed64;
    default:
      return wire::Type::bytes;
  }
}

/// Returns the parts of a message as one: repeated parts add up.
std::string_view joined(std::span<const wire::Entry> parts, std::string& room) {
  if (parts.empty()) return {};
  if (parts.size() == 1) return parts.front().bytes;
  for (const wire::Entry& part : parts) room += part.bytes;
  return room;
}

}  // namespace

bool Decoder::bad(std::string_view problem) {
  error_ = {ErrorCode::invalid,
            "protobuf: " + (path_.empty() ? "" : printable(path_, 400) + ": ") + std::string(problem)};
  return false;
}

bool Decoder::count(std::size_t values) {
  values_ += values;
  if (values_ <= limits_.values) return true;
  error_ = {ErrorCode::too_large,
            "the protobuf body has more than " + std::to_string(limits_.values) + " values"};
  return false;
}

bool Decoder::message(const kinds::MessageType& type, std::string_view bytes, json::Object& into) {
  std::vector<std::pair<const kinds::Field*, wire::Entry>> found;
  for (wire::Reader reader(bytes); !reader.at_end();) {
    const auto entry = reader.next();
    if (!entry) return bad(reader.problem());
    if (const kinds::Field* field = type.find(entry->number)) {
      found.emplace_back(field, *entry);
    } else if (constexpr std::size_t most = 100; unknown_.size() < most) {
      unknown_.push_back((path_.empty() ? "" : printable(path_) + ": ") + "field " +
                         std::to_string(entry->number));
    }
  }
  // Fields lie in the order of JSON.
  std::ranges::stable_sort(found, {}, [](const auto& pair) { return pair.first; });
  std::vector<wire::Entry> entries;
  entries.reserve(found.size());
  for (const auto& pair : found) entries.push_back(pair.second);
  std::size_t at = 0;
  for (const kinds::Field& one : type.fields()) {
    const std::size_t begin = at;
    while (at < found.size() && found[at].first == &one) ++at;
    if (!field(one, Entries(entries).subspan(begin, at - begin), into)) return false;
  }
  return true;
}

bool Decoder::field(const kinds::Field& field, Entries found, json::Object& into) {
  if (field.inlined) {
    std::string room;
    for (const wire::Entry& entry : found) {
      if (entry.type != wire::Type::bytes) return bad("a message has the wire type of a number");
    }
    return message(*field.message, joined(found, room), into);
  }
  // A field without a number is in no message, and never on the wire.
  if (field.number == 0 && field.omit_empty) return true;
  const Place place(*this, field.name);
  if (!place.fits()) return false;
  for (const wire::Entry& entry : found) {
    const bool packed = field.shape == kinds::FieldShape::list && entry.type == wire::Type::bytes;
    const wire::Type wanted =
        field.shape == kinds::FieldShape::map ? wire::Type::bytes : wire_type(field.type);
    if (entry.type != wanted && !packed) {
      return bad("it has wire type " + std::to_string(static_cast<int>(entry.type)) + " in place of " +
                 std::to_string(static_cast<int>(wanted)));
    }
  }
  if (field.shape == kinds::FieldShape::one) return member(field, found, into);
  json::Value value(storage_);
  if (!(field.shape == kinds::FieldShape::list ? list(field, found, value) : map(field, found, value)))
    return false;
  const bool empty =
      field.shape == kinds::FieldShape::list ? value.get_array().empty() : value.get_object().empty();
  if (empty && field.omit_empty) return true;
  // Go's nil: what has no elements is not on the wire at all.
  if (empty) value = nullptr;
  into.emplace(field.name, std::move(value));
  return count();
}

bool Decoder::member(const kinds::Field& field, Entries found, json::Object& into) {
  json::Value made(storage_);
  // Go's nil.
  const bool may_be_nil =
      field.pointer || field.type == kinds::FieldType::bytes || field.type == kinds::FieldType::strings;
  if (found.empty() && may_be_nil) {
    if (field.omit_empty) return true;
  } else {
    if (!value(field, found, made)) return false;
    if (field.omit_empty && !field.pointer && kinds::is_empty(field.type, made)) return true;
    if (field.omit_zero && made.is_null()) return true;
  }
  into.emplace(field.name, std::move(made));
  return count();
}

bool Decoder::list(const kinds::Field& field, Entries found, json::Value& into) {
  json::Array& array = into.emplace_array();
  const wire::Type wanted = wire_type(field.type);
  for (const wire::Entry& entry : found) {
    if (entry.type == wire::Type::bytes && wanted != wire::Type::bytes) {
      for (wire::Reader packed(entry.bytes); !packed.at_end();) {
        const auto number = wanted == wire::Type::varint ? packed.varint() : packed.fixed(8);
        if (!number) return bad(packed.problem());
        json::Value element(storage_);
        if (!this->number(field.type, *number, element) || !count()) return false;
        array.push_back(std::move(element));
      }
      continue;
    }
    const Place place(*this, array.size());
    if (!place.fits()) return false;
    json::Value element(storage_);
    if (!value(field, Entries(&entry, 1), element) || !count()) return false;
    array.push_back(std::move(element));
  }
  return true;
}

bool Decoder::map(const kinds::Field& field, Entries found, json::Value& into) {
  std::vector<std::pair<std::string, json::Value>> pairs;
  for (const wire::Entry& entry : found) {
    auto& [key, value] = pairs.emplace_back(std::string(), json::Value(storage_));
    if (!map_entry(field, entry.bytes, key, value) || !count()) return false;
  }
  // As Go writes them; of two with the same key the later one is kept.
  std::ranges::stable_sort(pairs, {}, [](const auto& pair) -> const std::string& { return pair.first; });
  json::Object& object = into.emplace_object();
  object.reserve(pairs.size());
  for (auto& [key, value] : pairs) object.insert_or_assign(key, std::move(value));
  return true;
}

bool Decoder::map_entry(const kinds::Field& field, std::string_view bytes, std::string& key,
                        json::Value& value) {
  std::vector<wire::Entry> values;
  for (wire::Reader reader(bytes); !reader.at_end();) {
    const auto entry = reader.next();
    if (!entry) return bad(reader.problem());
    if (entry->number == 1) {
      if (entry->type != wire::Type::bytes) return bad("a key has another wire type");
      if (!is_utf8(entry->bytes)) return bad("a key is not UTF-8");
      key = entry->bytes;
    } else if (entry->number == 2) {
      if (entry->type != wire_type(field.type)) return bad("a value of the map has another wire type");
      values.push_back(*entry);
    }
  }
  const Place place(*this, key);
  if (!place.fits()) return false;
  // The last one is kept, but all must be well-formed.
  for (const wire::Entry& entry : values) {
    if (!this->value(field, Entries(&entry, 1), value)) return false;
  }
  if (values.empty() && !this->value(field, {}, value)) return false;
  // Go makes the message before it reads it: the list is empty, not nil.
  if (field.type == kinds::FieldType::strings && value.is_null()) value.emplace_array();
  return true;
}

bool Decoder::number(kinds::FieldType type, std::uint64_t value, json::Value& into) {
  switch (type) {
    case kinds::FieldType::boolean:
      into = value != 0;
      return true;
    // Numbers that are too large are truncated, as in Go.
    case kinds::FieldType::int32:
      into = static_cast<std::int64_t>(static_cast<std::int32_t>(value));
      return true;
    case kinds::FieldType::int64:
      into = static_cast<std::int64_t>(value);
      return true;
    default:
      break;
  }
  const auto real = std::bit_cast<double>(value);
  if (!std::isfinite(real)) return bad("it is no finite number");
  // Go writes 2.0 as 2.
  constexpr double exact = 1e15;
  if (std::abs(real) < exact && real == std::trunc(real)) {
    into = static_cast<std::int64_t>(real);
  } else {
    into = real;
  }
  return true;
}

bool Decoder::value(const kinds::Field& field, Entries found, json::Value& into) {
  const std::string_view last = found.empty() ? std::string_view{} : found.back().bytes;
  std::string room;
  switch (field.type) {
    case kinds::FieldType::boolean:
    case kinds::FieldType::int32:
    case kinds::FieldType::int64:
    case kinds::FieldType::float64:
      return number(field.type, found.empty() ? 0 : found.back().value, into);
    case kinds::FieldType::string:
      return text(last, into);
    case kinds::FieldType::bytes:
      return bytes(last, into);
    case kinds::FieldType::quantity:
    case kinds::FieldType::time:
    case kinds::FieldType::micro_time:
      // The last one is kept, but all must be well-formed.
      for (std::size_t i = 0; i + 1 < found.size(); ++i) {
        if (!value(field, found.subspan(i, 1), into)) return false;
      }
      if (field.type != kinds::FieldType::quantity) return moment(field.type, last, into);
      return found.empty() ? text("0", into) : quantity(last, into);
    case kinds::FieldType::duration:
      return duration(joined(found, room), into);
    case kinds::FieldType::int_or_string:
      return int_or_string(joined(found, room), into);
    case kinds::FieldType::strings:
      return strings(joined(found, room), into);
    case kinds::FieldType::raw_extension:
    case kinds::FieldType::json:
    case kinds::FieldType::fields:
      return any_json(field.type, joined(found, room), into);
    case kinds::FieldType::schema_or_array:
    case kinds::FieldType::schema_or_bool:
    case kinds::FieldType::schema_or_strings:
      return schema(field, joined(found, room), into);
    case kinds::FieldType::message:
      break;
  }
  return message(*field.message, joined(found, room), into.emplace_object());
}

}  // namespace fairway::apiserver::protobuf
