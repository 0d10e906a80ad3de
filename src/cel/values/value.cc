// SPDX-License-Identifier: Apache-2.0

#include "cel/values/value.h"

#include <charconv>
#include <cmath>

#include "base/base64.h"
#include "cel/internal/values/map.h"
#include "cel/internal/values/numbers.h"
#include "cel/internal/values/opaque.h"
#include "cel/internal/values/time.h"

namespace fairway::cel {

Value Value::of_json(const json::Value& value, const Type& type, Scratch& scratch) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return null();
    case boost::json::kind::bool_:
      return boolean(value.get_bool());
    case boost::json::kind::int64:
      if (type.kind == TypeKind::floating) return floating(static_cast<double>(value.get_int64()));
      if (type.kind == TypeKind::unsigned_integer && value.get_int64() >= 0)
        return unsigned_integer(static_cast<std::uint64_t>(value.get_int64()));
      return integer(value.get_int64());
    case boost::json::kind::uint64:
      // Beyond int64: Kubernetes reads such a number as a double.
      if (type.kind == TypeKind::unsigned_integer) return unsigned_integer(value.get_uint64());
      return floating(static_cast<double>(value.get_uint64()));
    case boost::json::kind::double_: {
      const double number = value.get_double();
      if (type.kind == TypeKind::integer && number == std::trunc(number) && std::abs(number) < 9e15)
        return integer(static_cast<std::int64_t>(number));
      return floating(number);
    }
    case boost::json::kind::string: {
      const std::string_view text = value.get_string();
      if (type.kind == TypeKind::timestamp) {
        // Of the format `date` there is only the day.
        constexpr std::size_t day_size = 10;
        const auto time = text.size() == day_size ? parse_timestamp(std::string(text) + "T00:00:00Z")
                                                  : parse_timestamp(text);
        return time ? timestamp(*time) : error_value("invalid timestamp", scratch);
      }
      if (type.kind == TypeKind::duration) {
        const auto duration_value = parse_go_duration(text);
        return duration_value ? duration(*duration_value) : error_value("invalid duration", scratch);
      }
      if (type.kind == TypeKind::bytes) {
        const auto decoded = base64_decode(text);
        if (!decoded) return error_value("invalid base64", scratch);
        Value copy = copied_string(*decoded, scratch);
        if (copy.is(ValueKind::string)) copy.kind_ = ValueKind::bytes;
        return copy;
      }
      return string(text);
    }
    case boost::json::kind::array: {
      Value made(ValueKind::list);
      made.document_ = true;
      made.array_ = &value.get_array();
      if (type.kind == TypeKind::list) made.declared_ = &type;
      return made;
    }
    case boost::json::kind::object: {
      Value made(type.kind == TypeKind::object ? ValueKind::object : ValueKind::map);
      made.document_ = true;
      made.members_ = &value.get_object();
      if (type.kind == TypeKind::map || type.kind == TypeKind::object) made.declared_ = &type;
      return made;
    }
  }
  return null();
}

Value Value::of_json(const json::Value& value, Scratch& scratch) {
  return of_json(value, *simple_type(TypeKind::dyn), scratch);
}

std::size_t Value::size() const {
  switch (kind_) {
    case ValueKind::list:
      return document_ ? array_->size() : count_;
    case ValueKind::map:
      return document_ ? members_->size() : map_->count;
    case ValueKind::object:
      return members_->size();
    default:
      return 0;
  }
}

namespace {

const Type& dyn() {
  static const Type& type = *simple_type(TypeKind::dyn);
  return type;
}

}  // namespace

Value Value::at(std::size_t index, Scratch& scratch) const {
  if (!document_) return items_[index];
  return of_json((*array_)[index], declared_ ? *declared_->parameters[0] : dyn(), scratch);
}

Value Value::key_at(std::size_t index) const {
  if (!document_) return map_->entries[index].key;
  return string((members_->begin() + static_cast<std::ptrdiff_t>(index))->key());
}

Value Value::value_at(std::size_t index, Scratch& scratch) const {
  if (!document_) return map_->entries[index].value;
  const auto& member = *(members_->begin() + static_cast<std::ptrdiff_t>(index));
  if (kind_ == ValueKind::map)
    return of_json(member.value(), declared_ ? *declared_->parameters[1] : dyn(), scratch);
  for (const auto& [name, field] : declared_->fields)
    if (field.key == member.key()) return of_json(member.value(), *field.type, scratch);
  return of_json(member.value(), dyn(), scratch);
}

std::optional<Value> Value::find(std::string_view key, Scratch& scratch) const {
  if (!document_) {
    const Entry* entry = find_entry(*map_, string(key));
    return entry ? std::optional(entry->value) : std::nullopt;
  }
  const Type* type = &dyn();
  if (kind_ == ValueKind::object) {
    const Field* field = declared_->find_field(key);
    if (field == nullptr) return std::nullopt;
    key = field->key;
    type = field->type.get();
  } else if (declared_) {
    type = declared_->parameters[1].get();
  }
  const json::Value* found = members_->if_contains(key);
  if (!found) return std::nullopt;
  return of_json(*found, *type, scratch);
}

std::optional<Value> Value::find(const Value& key, Scratch& scratch) const {
  if (key.is(ValueKind::string)) return find(key.text(), scratch);
  if (document_) return std::nullopt;
  const Entry* entry = find_entry(*map_, key);
  return entry ? std::optional(entry->value) : std::nullopt;
}

Value copied_string(std::string_view text, Scratch& scratch) {
  char* place = scratch.allocate_array<char>(text.size());
  if (!place || text.size() > UINT32_MAX) {
    static constexpr EvaluationError no_room{"evaluation needs too much memory"};
    return Value::error(&no_room);
  }
  if (!text.empty()) std::memcpy(place, text.data(), text.size());
  return Value::string({place, text.size()});
}

Value error_value(std::string_view message, Scratch& scratch) {
  static constexpr EvaluationError no_room{"evaluation needs too much memory"};
  const Value copy = copied_string(message, scratch);
  void* place = scratch.allocate(sizeof(EvaluationError));
  if (!place || copy.is(ValueKind::error)) return Value::error(&no_room);
  return Value::error(new (place) EvaluationError{copy.text(), 0});
}

const Type& type_of_value(const Value& value) {
  const auto simple = [](TypeKind kind) -> const Type& { return *simple_type(kind); };
  switch (value.kind()) {
    case ValueKind::null_value:
      return simple(TypeKind::null_type);
    case ValueKind::boolean:
      return simple(TypeKind::boolean);
    case ValueKind::integer:
      return simple(TypeKind::integer);
    case ValueKind::unsigned_integer:
      return simple(TypeKind::unsigned_integer);
    case ValueKind::floating:
      return simple(TypeKind::floating);
    case ValueKind::string:
      return simple(TypeKind::string);
    case ValueKind::bytes:
      return simple(TypeKind::bytes);
    case ValueKind::timestamp:
      return simple(TypeKind::timestamp);
    case ValueKind::duration:
      return simple(TypeKind::duration);
    case ValueKind::list:
      return simple(TypeKind::list);
    case ValueKind::map:
      return simple(TypeKind::map);
    case ValueKind::object:
      return *value.declared();
    case ValueKind::type:
      return simple(TypeKind::type);
    case ValueKind::optional:
      return simple(TypeKind::optional);
    case ValueKind::opaque:
      return opaque_type_of(value.opaque());
    case ValueKind::error:
      break;
  }
  return simple(TypeKind::dyn);
}

}  // namespace fairway::cel
