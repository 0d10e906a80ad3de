// SPDX-License-Identifier: Apache-2.0

#include "schema/list_types.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "base/go_text.h"
#include "schema/internal/go_text.h"
#include "schema/internal/keywords.h"
#include "schema/internal/place.h"
#include "schema/schema.h"

namespace fairway::schema {

namespace {

using internal::Place;

/// Returns equal texts for values that are equal to the API server: numbers with and without a fraction are
/// different.
std::string identity(const json::Value& value) {
  std::string text;
  if (value.is_double() || value.is_uint64()) text = "float ";
  append_go_json(text, value);
  return text;
}

/// Returns the indexes at which values occur for the second time, not the third.
std::vector<std::size_t> find_repeated(const std::vector<std::string>& identities) {
  std::vector<std::size_t> repeated;
  std::unordered_map<std::string_view, int> times;
  for (std::size_t i = 0; i < identities.size(); ++i) {
    if (++times[identities[i]] == 2) repeated.push_back(i);
  }
  return repeated;
}

class ListTypes {
 public:
  explicit ListTypes(std::string_view prefix) : prefix_(prefix) {}
  Violations take() { return std::move(problems_); }

  void run_members(const json::Object& object, const json::Object& schema, const Place& place) {
    const json::Object* others = internal::object_at(schema, "additionalProperties");
    for (const auto& member : object) {
      if (others != nullptr) run(member.value(), *others, place.key(member.key()));
      if (const json::Object* property = internal::property_of(schema, member.key())) {
        run(member.value(), *property, place.member(member.key()));
      }
    }
  }

 private:
  void run(const json::Value& value, const json::Object& schema, const Place& place) {
    if (const json::Object* object = value.if_object()) run_members(*object, schema, place);
    const json::Array* list = value.if_array();
    if (list == nullptr) return;
    const std::string_view type = internal::text_at(schema, "x-kubernetes-list-type");
    if (type == "set") check_set(*list, place);
    if (type == "map") check_map(*list, schema, place);
    const json::Object* items = item_schema(schema);
    for (std::size_t i = 0; items != nullptr && i < list->size(); ++i) run((*list)[i], *items, place.item(i));
  }

  void report(const Place& place, std::size_t item, const json::Value& value) {
    problems_.push_back(duplicate(place.item(item).field(prefix_), value));
  }

  void check_set(const json::Array& list, const Place& place) {
    std::vector<std::string> identities;
    for (const json::Value& item : list) identities.push_back(identity(item));
    for (const std::size_t i : find_repeated(identities)) report(place, i, list[i]);
  }

  void check_map(const json::Array& list, const json::Object& schema, const Place& place) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i].is_object() || list[i].is_null()) continue;
      problems_.push_back(
          invalid(place.item(i).field(prefix_), list[i], "must be an object for an array of list-type map"));
      return;
    }
    const std::vector<std::string> names = list_keys(schema);
    std::vector<json::Object> keys;
    std::vector<std::string> identities;
    for (const json::Value& item : list) {
      json::Object& key = keys.emplace_back();
      std::string& text = identities.emplace_back();
      for (const std::string& name : names) {
        const json::Value* value = json::find(item, name);
        if (value == nullptr) continue;
        key[name] = *value;
        text += name + '=' + identity(*value) + ',';
      }
    }
    for (const std::size_t i : find_repeated(identities)) report(place, i, keys[i]);
  }

  std::string_view prefix_;
  Violations problems_;
};

}  // namespace

Violations check_list_types(const json::Object& object, const json::Object& schema, std::string_view prefix) {
  ListTypes types(prefix);
  types.run_members(object, schema, Place::root());
  return types.take();
}

}  // namespace fairway::schema
