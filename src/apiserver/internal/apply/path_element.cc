// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/path_element.h"

#include <algorithm>
#include <charconv>

#include "apiserver/internal/apply/parse_path_element.h"
#include "apiserver/internal/apply/values.h"
#include "base/go_text.h"

namespace fairway::apiserver::apply {

namespace {

using KeyFields = std::vector<std::pair<std::string, json::Value>>;

int compare_keys(const KeyFields& a, const KeyFields& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const int difference = a[i].first.compare(b[i].first); difference != 0) return difference;
    if (const int difference = internal::compare(a[i].second, b[i].second); difference != 0)
      return difference;
  }
  return a.size() < b.size() ? -1 : (a.size() > b.size() ? 1 : 0);
}

}  // namespace

PathElement PathElement::key(KeyFields fields) {
  std::ranges::stable_sort(fields, {}, &KeyFields::value_type::first);
  return PathElement(Key{std::move(fields)});
}

PathElement PathElement::item(const json::Value& value) {
  // Not in the memory of the request that the value may come from.
  return PathElement(Item{json::Value(value, json::Storage{})});
}

const std::string* PathElement::field_name() const {
  const Field* field = std::get_if<Field>(&element_);
  return field == nullptr ? nullptr : &field->name;
}

int PathElement::compare(const PathElement& other) const {
  if (element_.index() != other.element_.index()) return element_.index() < other.element_.index() ? -1 : 1;
  if (const Field* field = std::get_if<Field>(&element_)) {
    return field->name.compare(std::get<Field>(other.element_).name);
  }
  if (const Key* key = if_key()) return compare_keys(key->fields, std::get<Key>(other.element_).fields);
  if (const Item* item = std::get_if<Item>(&element_)) {
    return internal::compare(item->value, std::get<Item>(other.element_).value);
  }
  const std::int64_t a = std::get<Index>(element_).index, b = std::get<Index>(other.element_).index;
  return a < b ? -1 : (a > b ? 1 : 0);
}

std::string PathElement::to_string() const {
  if (const Field* field = std::get_if<Field>(&element_)) return "." + field->name;
  if (const Key* key = if_key()) {
    std::string out = "[";
    for (const auto& [name, value] : key->fields) {
      if (out.size() > 1) out += ',';
      out += name + "=" + internal::to_string(value);
    }
    return out + "]";
  }
  if (const Item* item = std::get_if<Item>(&element_)) return "[=" + internal::to_string(item->value) + "]";
  return "[" + std::to_string(std::get<Index>(element_).index) + "]";
}

std::string PathElement::serialize() const {
  if (const Field* field = std::get_if<Field>(&element_)) return "f:" + field->name;
  if (const Key* key = if_key()) {
    std::string out = "k:{";
    bool first = true;
    for (const auto& [name, value] : key->fields) {
      if (!std::exchange(first, false)) out += ',';
      json::append_quoted(out, name);
      out += ':';
      append_go_json(out, value, GoEncoder::json_iterator);
    }
    return out + "}";
  }
  if (const Item* item = std::get_if<Item>(&element_)) {
    std::string out = "v:";
    append_go_json(out, item->value, GoEncoder::json_iterator);
    return out;
  }
  return "i:" + std::to_string(std::get<Index>(element_).index);
}

std::string to_string(const Path& path) {
  std::string out;
  for (const PathElement& element : path) out += element.to_string();
  return out;
}

Path path_of(const std::vector<std::string_view>& names) {
  Path path;
  for (const std::string_view name : names) path.push_back(PathElement::field(name));
  return path;
}

namespace internal {

Result<std::optional<PathElement>> parse_path_element(std::string_view text) {
  const auto refuse = [&](std::string_view why) {
    std::string shown;
    json::append_quoted(shown, text.substr(0, 100));
    return fail(ErrorCode::invalid, "path element " + shown + ": " + std::string(why));
  };
  if (text.size() < 2) return refuse("key must be 2 characters long");
  if (text[1] != ':') return refuse("missing colon");
  const std::string_view rest = text.substr(2);
  switch (text[0]) {
    case 'f':
      return PathElement::field(rest);
    case 'i': {
      std::int64_t index = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
      if (error != std::errc{} || end != rest.data() + rest.size()) return refuse("the index is no integer");
      return PathElement::index(index);
    }
    case 'v': {
      const auto value = json::parse(rest);
      if (!value) return refuse(value.error().message);
      return PathElement::item(*value);
    }
    case 'k': {
      const auto value = json::parse(rest);
      if (!value) return refuse(value.error().message);
      const json::Object* object = value->if_object();
      if (object == nullptr) return refuse("the key is no object");
      KeyFields fields;
      for (const auto& member : *object) fields.emplace_back(member.key(), member.value());
      return PathElement::key(std::move(fields));
    }
    default:
      return std::nullopt;
  }
}

}  // namespace internal

}  // namespace fairway::apiserver::apply
