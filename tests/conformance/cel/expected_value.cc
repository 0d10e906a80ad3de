// SPDX-License-Identifier: Apache-2.0

#include "conformance/cel/expected_value.h"

#include <cmath>
#include <cstdlib>
#include <vector>

#include "cel/internal/values/map.h"

namespace fairway::test {

using namespace fairway::cel;

Value value_of_message(const TextMessage& message, Scratch& scratch, Keep& keep) {
  if (message.fields.empty()) return Value::null();
  const TextField& field = message.fields.front();
  const std::string& text = field.scalar;
  if (field.name == "null_value") return Value::null();
  if (field.name == "bool_value") return Value::boolean(text == "true");
  if (field.name == "int64_value") return Value::integer(std::strtoll(text.c_str(), nullptr, 0));
  if (field.name == "uint64_value") return Value::unsigned_integer(std::strtoull(text.c_str(), nullptr, 0));
  if (field.name == "double_value") return Value::floating(std::strtod(text.c_str(), nullptr));
  if (field.name == "string_value") return Value::string(keep.text(text));
  if (field.name == "bytes_value") return Value::bytes(keep.text(text));
  if (field.name == "type_value") {
    const TypePtr type = parse_type(text == "list" || text == "optional_type" ? text + "(dyn)"
                                    : text == "map"                           ? "map(dyn, dyn)"
                                                                              : text);
    static std::deque<TypePtr> kept;
    if (type) return Value::type(kept.emplace_back(type).get());
  }
  if (field.name == "list_value") {
    std::vector<Value> values;
    for (const TextField* item : field.message->all("values"))
      values.push_back(value_of_message(*item->message, scratch, keep));
    Value* items = scratch.allocate_array<Value>(values.size());
    std::uninitialized_copy(values.begin(), values.end(), items);
    return Value::list(items, values.size());
  }
  if (field.name == "map_value") {
    const auto entries = field.message->all("entries");
    MapBuilder builder(entries.size(), scratch);
    for (const TextField* entry : entries)
      builder.add(value_of_message(entry->message->message("key"), scratch, keep),
                  value_of_message(entry->message->message("value"), scratch, keep));
    return builder.take();
  }
  return Value::error(keep.error(field.name + " is not understood"));
}

TypePtr type_of_message(const TextMessage& message) {
  if (message.fields.empty()) return nullptr;
  const TextField& field = message.fields.front();
  if (field.name == "primitive") {
    if (field.scalar == "BOOL") return simple_type(TypeKind::boolean);
    if (field.scalar == "INT64") return simple_type(TypeKind::integer);
    if (field.scalar == "UINT64") return simple_type(TypeKind::unsigned_integer);
    if (field.scalar == "DOUBLE") return simple_type(TypeKind::floating);
    if (field.scalar == "STRING") return simple_type(TypeKind::string);
    if (field.scalar == "BYTES") return simple_type(TypeKind::bytes);
  }
  if (field.name == "well_known") {
    if (field.scalar == "TIMESTAMP") return simple_type(TypeKind::timestamp);
    if (field.scalar == "DURATION") return simple_type(TypeKind::duration);
  }
  if (field.name == "null") return simple_type(TypeKind::null_type);
  if (field.name == "dyn") return simple_type(TypeKind::dyn);
  if (field.name == "message_type") return parse_type(field.scalar);
  if (field.name == "type_param") return type_parameter(field.scalar);
  if (field.name == "list_type") {
    const TypePtr element = type_of_message(field.message->message("elem_type"));
    return element ? list_of(element) : nullptr;
  }
  if (field.name == "map_type") {
    const TypePtr key = type_of_message(field.message->message("key_type"));
    const TypePtr value = type_of_message(field.message->message("value_type"));
    return key && value ? map_of(key, value) : nullptr;
  }
  if (field.name == "type") {
    const TypePtr inside = type_of_message(*field.message);
    return inside ? cel::type_of(inside) : nullptr;
  }
  if (field.name == "abstract_type") {
    const auto parameters = field.message->all("parameter_types");
    if (field.message->text("name") == "optional_type" && parameters.size() == 1) {
      const TypePtr inside = type_of_message(*parameters[0]->message);
      return inside ? optional_of(inside) : nullptr;
    }
    if (parameters.empty()) return opaque_type(field.message->text("name"));
  }
  return nullptr;
}

bool identical(const Value& a, const Value& b, Scratch& scratch) {
  if (a.kind() != b.kind()) return false;
  if (a.is(ValueKind::floating) && std::isnan(a.floating())) return std::isnan(b.floating());
  if (a.is(ValueKind::list)) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!identical(a.at(i, scratch), b.at(i, scratch), scratch)) return false;
    return true;
  }
  if (a.is(ValueKind::map)) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto other = b.find(a.key_at(i), scratch);
      if (!other || !identical(a.value_at(i, scratch), *other, scratch)) return false;
    }
    return true;
  }
  return equal(a, b, scratch);
}

}  // namespace fairway::test
