// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/kind_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace fairway::apiserver::kinds {

namespace {

/// Cuts the part before `end` off `text`, and `end` with it; all of it if there is no `end`.
std::string_view cut(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view head = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return head;
}

constexpr std::array scalar_types{
    std::pair{std::string_view("bool"), FieldType::boolean},
    std::pair{std::string_view("int32"), FieldType::int32},
    std::pair{std::string_view("int64"), FieldType::int64},
    std::pair{std::string_view("float64"), FieldType::float64},
    std::pair{std::string_view("string"), FieldType::string},
    std::pair{std::string_view("bytes"), FieldType::bytes},
    std::pair{std::string_view("quantity"), FieldType::quantity},
    std::pair{std::string_view("time"), FieldType::time},
    std::pair{std::string_view("micro-time"), FieldType::micro_time},
    std::pair{std::string_view("duration"), FieldType::duration},
    std::pair{std::string_view("int-or-string"), FieldType::int_or_string},
    std::pair{std::string_view("strings"), FieldType::strings},
    std::pair{std::string_view("raw"), FieldType::raw_extension},
    std::pair{std::string_view("json"), FieldType::json},
    std::pair{std::string_view("fields"), FieldType::fields},
    std::pair{std::string_view("schema-or-array"), FieldType::schema_or_array},
    std::pair{std::string_view("schema-or-bool"), FieldType::schema_or_bool},
    std::pair{std::string_view("schema-or-strings"), FieldType::schema_or_strings},
};

[[noreturn]] void bad(std::string_view line) {
  throw std::logic_error("the tables of built-in kinds: cannot read '" + std::string(line) + "'");
}

/// Reads a word after the type of a field.
void read_word(Field& field, std::string_view word, std::string_view line) {
  const std::string_view key = cut(word, '=');
  if (key == "pointer") {
    field.pointer = true;
  } else if (key == "omitempty") {
    field.omit_empty = true;
  } else if (key == "omitzero") {
    field.omit_zero = true;
  } else if (key == "required") {
    field.required = true;
  } else if (key == "as") {
    field.go_collection = word;
  } else if (key == "patch") {
    while (!word.empty()) {
      const std::string_view strategy = cut(word, ',');
      (strategy == "merge"        ? field.patch_merge
       : strategy == "replace"    ? field.patch_replace
       : strategy == "retainKeys" ? field.patch_retain_keys
                                  : throw std::logic_error("unknown patch strategy: " + std::string(line))) =
          true;
    }
  } else if (key == "key") {
    field.merge_key = word;
  } else if (key == "list") {
    field.list_type = word == "map"      ? ListType::map
                      : word == "set"    ? ListType::set
                      : word == "atomic" ? ListType::atomic
                                         : throw std::logic_error("unknown list type: " + std::string(line));
  } else if (key == "keys") {
    while (!word.empty()) field.list_keys.push_back(cut(word, ','));
  } else if (key == "map") {
    field.atomic = word == "atomic";
  } else {
    bad(line);
  }
}

}  // namespace

KindTable::KindTable(std::string_view text, const Others& others) {
  std::vector<std::pair<std::string_view, std::string_view>> kinds;
  std::vector<std::vector<std::string_view>> lines;
  // Messages refer to each other: their names come first.
  while (!text.empty()) {
    std::string_view line = cut(text, '\n');
    if (line.empty()) continue;
    if (line.starts_with(' ')) {
      if (lines.empty()) bad(line);
      lines.back().push_back(line.substr(1));
      continue;
    }
    std::string_view rest = line;
    const std::string_view first = cut(rest, ' ');
    if (first == "group") {
      group_ = cut(rest, ' ');
      if (group_ == "-") group_ = {};
      version_ = rest;
    } else if (first == "kind") {
      const std::string_view name = cut(rest, ' ');
      kinds.emplace_back(name, rest.empty() ? name : rest);
    } else if (first == "message") {
      MessageType& type = messages_.emplace_back();
      type.name_ = cut(rest, ' ');
      type.group_ = group_;
      type.go_package_ = version_;
      type.atomic_ = rest == "map=atomic";
      by_name_[type.name_] = &type;
      lines.emplace_back();
    } else {
      bad(line);
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    messages_[i].fields_.reserve(lines[i].size());
    for (const std::string_view line : lines[i]) {
      if (line == "<TypeMeta>") {
        messages_[i].has_type_meta_ = true;
      } else {
        messages_[i].fields_.push_back(read_field(line, others));
      }
    }
  }
  for (MessageType& type : messages_) index(type);
  for (const auto& [name, type] : kinds) kinds_[name] = &resolve(type, others);
}

const MessageType* KindTable::message(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found != by_name_.end() ? found->second : nullptr;
}

const MessageType* KindTable::kind(std::string_view name) const {
  const auto found = kinds_.find(name);
  return found != kinds_.end() ? found->second : nullptr;
}

const MessageType& KindTable::resolve(std::string_view name, const Others& others) const {
  std::string_view own = name;
  const std::string_view table =
      name.find('.') == std::string_view::npos ? std::string_view{} : cut(own, '.');
  const MessageType* type = table.empty() ? message(own) : others(table).message(own);
  if (type == nullptr) bad(name);
  return *type;
}

Field KindTable::read_field(std::string_view line, const Others& others) const {
  Field field;
  std::string_view rest = line;
  field.name = cut(rest, ' ');
  if (field.name.starts_with('<')) {
    field.inlined = true;
    field.name = {};
  }
  const std::string_view number = cut(rest, ' ');
  if (std::from_chars(number.data(), number.data() + number.size(), field.number).ec != std::errc{})
    bad(line);
  std::string_view type = cut(rest, ' ');
  if (type.starts_with("[]") || type.starts_with("{}")) {
    field.shape = type.starts_with('[') ? FieldShape::list : FieldShape::map;
    type.remove_prefix(2);
  }
  std::string_view go_type = type;
  const std::string_view scalar = cut(go_type, ':');
  const auto found = std::ranges::find(scalar_types, scalar, [](const auto& pair) { return pair.first; });
  if (found == scalar_types.end()) {
    field.type = FieldType::message;
    field.message = &resolve(type, others);
  } else {
    field.type = found->second;
    field.go_type = go_type;
    if (scalar.starts_with("schema-or-")) field.message = &resolve("JSONSchemaProps", others);
  }
  while (!rest.empty()) {
    // A default may have spaces, and is the last word.
    if (rest.starts_with("default=")) {
      field.default_json = rest.substr(std::string_view("default=").size());
      break;
    }
    read_word(field, cut(rest, ' '), line);
  }
  return field;
}

void KindTable::index(MessageType& type) {
  if (!type.json_fields_.empty() || type.fields_.empty()) return;
  for (const Field& field : type.fields_) {
    if (field.number != 0) type.by_number_.push_back(&field);
    if (!field.inlined) {
      type.json_fields_.push_back(&field);
      continue;
    }
    // Only types of the same table are inlined.
    MessageType& inner = *by_name_.at(field.message->name());
    index(inner);
    type.json_fields_.insert(type.json_fields_.end(), inner.json_fields_.begin(), inner.json_fields_.end());
  }
  type.by_name_ = type.json_fields_;
  std::ranges::sort(type.by_name_, {}, &Field::name);
  std::ranges::sort(type.by_number_, {}, &Field::number);
}

}  // namespace fairway::apiserver::kinds
