// SPDX-License-Identifier: Apache-2.0

#include "base/json.h"

namespace fairway::json {

namespace {

void append_pretty(std::string& out, const Value& value, std::size_t indent) {
  const std::string inner(indent + 2, ' ');
  if (const Object* object = value.if_object(); object != nullptr && !object->empty()) {
    out += "{\n";
    std::size_t left = object->size();
    for (const auto& [key, member] : *object) {
      out += inner;
      append_quoted(out, key);
      out += ": ";
      append_pretty(out, member, indent + 2);
      out += --left > 0 ? ",\n" : "\n";
    }
    out.append(indent, ' ') += '}';
  } else if (const Array* array = value.if_array(); array != nullptr && !array->empty()) {
    out += "[\n";
    std::size_t left = array->size();
    for (const Value& item : *array) {
      out += inner;
      append_pretty(out, item, indent + 2);
      out += --left > 0 ? ",\n" : "\n";
    }
    out.append(indent, ' ') += ']';
  } else {
    append_text(out, value);
  }
}

}  // namespace

std::string to_text(const Value& value) {
  std::string out;
  append_text(out, value);
  return out;
}

std::string to_text(const Object& object) {
  std::string out;
  append_text(out, object);
  return out;
}

std::string to_pretty_text(const Value& value) {
  std::string out;
  append_pretty(out, value, 0);
  out += '\n';
  return out;
}

const Value* find(const Value& value, std::string_view key) {
  const Object* object = value.if_object();
  return object != nullptr ? object->if_contains(key) : nullptr;
}

std::optional<std::string_view> find_string(const Value& value, std::string_view key) {
  const Value* member = find(value, key);
  if (member == nullptr || !member->is_string()) return std::nullopt;
  return std::string_view(member->get_string());
}

}  // namespace fairway::json
