// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/typed_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "apiserver/internal/kinds/omit_empty.h"
#include "base/text.h"

namespace fairway::apiserver::kinds {

namespace {

/// Returns Go's name of one value's type.
std::string go_type(const Field& field) {
  if (!field.go_type.empty()) return std::string(field.go_type);
  switch (field.type) {
    case FieldType::boolean:
      return "bool";
    case FieldType::int32:
      return "int32";
    case FieldType::int64:
      return "int64";
    case FieldType::float64:
      return "float64";
    case FieldType::bytes:
      return "[]uint8";
    case FieldType::quantity:
      return "resource.Quantity";
    case FieldType::time:
      return "v1.Time";
    case FieldType::micro_time:
      return "v1.MicroTime";
    case FieldType::duration:
      return "v1.Duration";
    case FieldType::int_or_string:
      return "intstr.IntOrString";
    case FieldType::raw_extension:
      return "runtime.RawExtension";
    case FieldType::json:
      return "v1.JSON";
    case FieldType::message:
      return field.message->go_name();
    default:
      return "string";
  }
}

std::string go_collection(const Field& field) {
  if (!field.go_collection.empty()) return std::string(field.go_collection);
  return (field.shape == FieldShape::list ? "[]" : "map[string]") + go_type(field);
}

/// Returns whether `omitempty` omits an absent value.
bool is_omittable(const Field& field) {
  if (field.pointer || field.shape != FieldShape::one) return true;
  switch (field.type) {
    case FieldType::boolean:
    case FieldType::int32:
    case FieldType::int64:
    case FieldType::float64:
    case FieldType::string:
    case FieldType::bytes:
    case FieldType::strings:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool TypedReader::bad(std::string message) {
  error_ = {ErrorCode::invalid, std::move(message)};
  return false;
}

std::string TypedReader::mismatch(const json::Value& from, const std::string& type) const {
  std::string what = "object";
  if (from.is_array()) what = "array";
  if (from.is_string()) what = "string";
  if (from.is_bool()) what = "bool";
  if (from.is_number()) {
    // Go quotes the number where a number was wanted.
    const bool wanted = type == "int32" || type == "int64" || type == "float64" || type == "uint8";
    what = wanted ? "number " + json::to_text(from) : "number";
  }
  std::string path;
  for (const std::string_view name : names_) path += (path.empty() ? "" : ".") + std::string(name);
  const std::string_view structure = unmarshaler_in_.empty() ? structure_ : unmarshaler_in_;
  return "json: cannot unmarshal " + what +
         (names_.empty()
              ? " into Go value of type " + type
              : " into Go struct field " + std::string(structure) + "." + path + " of type " + type);
}

const json::Value* TypedReader::expect(bool fits, const json::Value* from, const std::string& type) {
  if (fits) return from;
  if (!saved_) saved_ = Error{ErrorCode::invalid, mismatch(*from, type)};
  return nullptr;
}

bool TypedReader::message(const MessageType& type, const json::Value* from, json::Object& into) {
  if (from != nullptr) from = expect(from->is_object(), from, type.go_name());
  std::vector<std::pair<const Field*, json::Value>> read;
  if (from != nullptr) {
    const std::string_view before = std::exchange(structure_, type.name());
    // In the order of the document, of which Go reports the first mistake.
    for (const auto& [key, member] : from->get_object()) {
      if (!this->member(type, key, member, read, into)) return false;
    }
    structure_ = before;
  }
  // As Go writes them.
  if (json::Value* api_version = into.if_contains("apiVersion"); api_version != nullptr && into.size() == 2) {
    json::Value kept = std::move(*api_version);
    into.erase("apiVersion");
    into.emplace("apiVersion", std::move(kept));
  }
  for (const Field* field : type.json_fields()) {
    const auto found = std::ranges::find(read, field, [](const auto& pair) { return pair.first; });
    if (found != read.end()) {
      write(*field, std::move(found->second), into);
    } else if (!field->omit_empty || !is_omittable(*field)) {
      json::Value zero(storage_);
      if (field->shape == FieldShape::one && !field->pointer && !value(*field, nullptr, zero)) return false;
      write(*field, std::move(zero), into);
    }
  }
  return true;
}

bool TypedReader::member(const MessageType& type, std::string_view key, const json::Value& from,
                         std::vector<std::pair<const Field*, json::Value>>& read, json::Object& into) {
  if (from.is_null()) return true;
  const std::size_t depth = names_.size();
  if (type.has_type_meta() && (key == "kind" || key == "apiVersion")) {
    names_.insert(names_.end(), {"TypeMeta", key});
    const json::Value* text = expect(from.is_string(), &from, "string");
    names_.resize(depth);
    if (text != nullptr && !text->get_string().empty()) into.emplace(key, *text);
    return true;
  }
  const Field* field = type.find(key);
  if (field == nullptr) return true;
  // Go's path has the structures that are inlined.
  for (const Field& outer : type.fields()) add_inlined(outer, *field);
  names_.push_back(field->name);
  json::Value made(storage_);
  const bool done = field->shape == FieldShape::one    ? value(*field, &from, made)
                    : field->shape == FieldShape::list ? list(*field, from, made)
                                                       : map(*field, from, made);
  names_.resize(depth);
  if (done) read.emplace_back(field, std::move(made));
  return done;
}

void TypedReader::add_inlined(const Field& outer, const Field& field) {
  if (!outer.inlined || outer.message->find(field.name) != &field) return;
  names_.push_back(outer.message->name());
  for (const Field& inner : outer.message->fields()) add_inlined(inner, field);
}

void TypedReader::write(const Field& field, json::Value value, json::Object& into) {
  const bool nil = value.is_null() && (field.pointer || field.shape != FieldShape::one);
  if (field.omit_empty &&
      (nil || (field.shape == FieldShape::one && !field.pointer && is_empty(field.type, value))))
    return;
  if (field.omit_zero && value.is_null()) return;
  into.emplace(field.name, std::move(value));
}

bool TypedReader::list(const Field& field, const json::Value& from, json::Value& into) {
  const json::Value* given = expect(from.is_array(), &from, go_collection(field));
  if (given == nullptr) return true;
  // The policies of an autoscaler have a default if they are absent, and are wrong if there are none.
  const bool keeps_empty = field.message != nullptr && field.message->name() == "HPAScalingPolicy";
  if (given->get_array().empty() && !keeps_empty) return true;
  json::Array& made = into.emplace_array();
  made.reserve(given->get_array().size());
  for (const json::Value& element : given->get_array()) {
    if (!value(field, element.is_null() ? nullptr : &element, made.emplace_back(nullptr))) return false;
  }
  return true;
}

bool TypedReader::map(const Field& field, const json::Value& from, json::Value& into) {
  const json::Value* given = expect(from.is_object(), &from, go_collection(field));
  if (given == nullptr || given->get_object().empty()) return true;
  // Read as they come, and written by key.
  std::vector<std::pair<std::string_view, json::Value>> read;
  for (const auto& [key, member] : given->get_object()) {
    json::Value& one = read.emplace_back(key, json::Value(storage_)).second;
    if (!value(field, member.is_null() ? nullptr : &member, one)) return false;
    // The stored form does not tell an empty value from an absent one here.
    if (one.is_null() && field.type == FieldType::bytes) one.emplace_string();
    if (one.is_null() && field.type == FieldType::strings) one.emplace_array();
  }
  std::ranges::sort(read, {}, [](const auto& pair) { return pair.first; });
  json::Object& made = into.emplace_object();
  made.reserve(read.size());
  for (auto& [key, one] : read) made.emplace(key, std::move(one));
  return true;
}

bool TypedReader::number(const Field& field, const json::Value* from, json::Value& into) {
  into = std::int64_t{0};
  if (field.type == FieldType::float64) {
    if (from != nullptr) from = expect(from->is_number(), from, go_type(field));
    if (from == nullptr) return true;
    constexpr double exact = 1e15;
    const double real = from->to_number<double>();
    if (from->is_double() && std::abs(real) < exact && real == std::trunc(real)) {
      into = static_cast<std::int64_t>(real);
    } else {
      into = *from;
    }
    return true;
  }
  if (from != nullptr) {
    const bool fits =
        from->is_int64() && (field.type == FieldType::int64 ||
                             (from->get_int64() >= INT32_MIN && from->get_int64() <= INT32_MAX));
    from = expect(fits, from, go_type(field));
  }
  if (from != nullptr) into = from->get_int64();
  return true;
}

bool TypedReader::text(std::string_view type, const json::Value* from, json::Value& into) {
  if (from != nullptr) from = expect(from->is_string(), from, std::string(type));
  boost::json::string& made = into.emplace_string();
  if (from != nullptr) made = from->get_string();
  return true;
}

bool TypedReader::strings(const Field& field, const json::Value* from, json::Value& into) {
  if (from != nullptr) from = expect(from->is_array(), from, go_type(field));
  if (from == nullptr || from->get_array().empty()) return true;
  json::Array& made = into.emplace_array();
  for (const json::Value& element : from->get_array()) {
    if (!text("string", element.is_null() ? nullptr : &element, made.emplace_back(nullptr))) return false;
  }
  return true;
}

bool TypedReader::value(const Field& field, const json::Value* from, json::Value& into) {
  switch (field.type) {
    case FieldType::boolean:
      if (from != nullptr) from = expect(from->is_bool(), from, go_type(field));
      into = from != nullptr && from->get_bool();
      return true;
    case FieldType::int32:
    case FieldType::int64:
    case FieldType::float64:
      return number(field, from, into);
    case FieldType::string:
      return text(go_type(field), from, into);
    case FieldType::bytes:
      return bytes(from, into);
    case FieldType::quantity:
      return quantity(from, into);
    case FieldType::time:
    case FieldType::micro_time:
      return moment(field.type, from, into);
    case FieldType::duration:
      return duration(from, into);
    case FieldType::int_or_string:
      return int_or_string(from, into);
    case FieldType::strings:
      return strings(field, from, into);
    case FieldType::raw_extension:
    case FieldType::json:
    case FieldType::fields:
      if (from != nullptr) into = *from;
      return true;
    case FieldType::schema_or_array:
    case FieldType::schema_or_bool:
    case FieldType::schema_or_strings:
      return schema(field, from, into);
    case FieldType::message:
      break;
  }
  return message(*field.message, from, into.emplace_object());
}

}  // namespace fairway::apiserver::kinds
