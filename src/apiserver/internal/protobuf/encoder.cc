// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/protobuf/encoder.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "apiserver/internal/protobuf/encoder_values.h"
#include "base/protobuf_wire.h"
#include "base/text.h"

namespace fairway::apiserver::protobuf {
namespace {

using kinds::Field;
using kinds::FieldShape;
using kinds::FieldType;

/// Appends a message with its length, whose content `write` appends. Most messages are shorter than 128
/// bytes, so that the place of a length of one byte is kept for it.
template <class Write>
bool append_message(std::string& out, std::uint32_t number, Write write) {
  append_tag(out, number, wire::Type::bytes);
  const std::size_t place = out.size();
  out += '\0';
  if (!write()) return false;
  const std::size_t size = out.size() - place - 1;
  if (size < 0x80) {
    out[place] = static_cast<char>(size);
    return true;
  }
  std::string length;
  wire::append_varint(length, size);
  out.replace(place, 1, length);
  return true;
}

bool is_message(FieldType type) {
  switch (type) {
    case FieldType::boolean:
    case FieldType::int32:
    case FieldType::int64:
    case FieldType::float64:
    case FieldType::string:
    case FieldType::bytes:
      return false;
    default:
      return true;
  }
}

}  // namespace

std::string Encoder::error() const {
  return (path_.empty() ? "" : printable(path_, 400) + ": ") + problem_;
}

bool Encoder::bad(std::string_view problem) {
  problem_ = problem;
  return false;
}

bool Encoder::at(std::string_view step) {
  const bool joins = path_.empty() || path_.starts_with('[');
  path_ = std::string(step) + (joins ? "" : ".") + path_;
  return false;
}

bool Encoder::message(const kinds::MessageType& type, const json::Object& object, std::string& out) {
  return std::ranges::all_of(type.numbered_fields(),
                             [&](const Field* one) { return field(*one, object, out); });
}

bool Encoder::field(const Field& field, const json::Object& object, std::string& out) {
  if (field.inlined) {
    return append_message(out, field.number, [&] { return message(*field.message, object, out); });
  }
  const json::Value* found = object.if_contains(field.name);
  static const json::Value null;
  const json::Value& value = found != nullptr ? *found : null;
  if (field.shape != FieldShape::one) {
    if (value.is_null()) return true;
    return (field.shape == FieldShape::list ? list(field, value, out) : map(field, value, out)) ||
           at(field.name);
  }
  // Go's nil.
  const bool may_be_nil = field.pointer || field.type == FieldType::bytes || field.type == FieldType::strings;
  if (value.is_null() && may_be_nil) return true;
  return this->value(field, field.number, value, out) || at(field.name);
}

bool Encoder::list(const Field& field, const json::Value& value, std::string& out) {
  const json::Array* items = value.if_array();
  if (items == nullptr) return bad("it is not a list");
  for (const json::Value& item : *items) {
    if (!this->value(field, field.number, item, out)) {
      return at("[" + std::to_string(&item - items->data()) + "]");
    }
  }
  return true;
}

bool Encoder::map(const Field& field, const json::Value& value, std::string& out) {
  const json::Object* object = value.if_object();
  if (object == nullptr) return bad("it is not an object");
  std::vector<const json::Object::value_type*> members;
  members.reserve(object->size());
  for (const auto& member : *object) members.push_back(&member);
  std::ranges::sort(members, {}, [](const auto* member) { return std::string_view(member->key()); });
  for (const auto* member : members) {
    const std::string_view key = member->key();
    const bool done = append_message(out, field.number, [&] {
      wire::append_bytes(out, 1, key);
      // Go's nil.
      if (field.type == FieldType::bytes && member->value().is_null()) return true;
      return this->value(field, 2, member->value(), out);
    });
    if (!done) return at(key);
  }
  return true;
}

bool Encoder::value(const Field& field, std::uint32_t number, const json::Value& value, std::string& out) {
  if (is_message(field.type)) {
    return append_message(out, number, [&] { return content(field, value, out); });
  }
  const std::string_view problem = append_scalar(out, number, field.type, value);
  return problem.empty() || bad(problem);
}

bool Encoder::content(const Field& field, const json::Value& value, std::string& out) {
  switch (field.type) {
    case FieldType::message: {
      if (value.is_null()) return message(*field.message, {}, out);
      const json::Object* object = value.if_object();
      return object != nullptr ? message(*field.message, *object, out) : bad("it is not an object");
    }
    case FieldType::schema_or_array:
    case FieldType::schema_or_bool:
    case FieldType::schema_or_strings:
      return schema(field, value, out);
    default:
      break;
  }
  const std::string_view problem = append_content(out, field.type, value);
  return problem.empty() || bad(problem);
}

bool Encoder::schema(const Field& field, const json::Value& value, std::string& out) {
  const bool or_bool = field.type == FieldType::schema_or_bool;
  const std::uint32_t of_schema = or_bool ? 2 : 1, of_item = 2;
  // `allows` is true beside a schema, as Go's JSON reads it.
  if (or_bool)
    append_varint_field(out, 1, value.is_object() || (value.is_bool() && value.get_bool()) ? 1 : 0);
  if (const json::Object* object = value.if_object()) {
    return append_message(out, of_schema, [&] { return message(*field.message, *object, out); });
  }
  const json::Array* items = value.if_array();
  if (items == nullptr) return or_bool || value.is_null() || bad("it is neither an object nor a list");
  for (const json::Value& item : *items) {
    if (field.type == FieldType::schema_or_strings) {
      if (!item.is_string()) return bad("it has an item that is not a text");
      wire::append_bytes(out, of_item, item.get_string());
      continue;
    }
    const json::Object* object = item.if_object();
    if (object == nullptr) return bad("it has an item that is not an object");
    if (!append_message(out, of_item, [&] { return message(*field.message, *object, out); })) return false;
  }
  return true;
}

}  // namespace fairway::apiserver::protobuf
