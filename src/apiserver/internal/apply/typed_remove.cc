// SPDX-License-Identifier: Apache-2.0

// A value without some of its fields, or with some of them only.
#include <utility>

#include "apiserver/internal/apply/forms.h"
#include "apiserver/internal/apply/typed_value.h"

namespace fairway::apiserver::apply {

namespace {

enum class Keep : bool { others, named };

json::Value copy(const json::Value& value) {
  return json::Value(value, json::Storage{});
}

/// Keeps or removes the fields of a set. Null if nothing is left.
json::Value pick(const json::Value& value, const FieldSet& set, TypeRef ref, Keep keep);

json::Value pick_from_list(const json::Value& value, const FieldSet& set, const ListType& list, Keep keep) {
  const json::Array* array = value.if_array();
  if (array == nullptr) return nullptr;
  if (array->empty() || list.relationship == Relationship::atomic) {
    return keep == Keep::named ? copy(value) : json::Value();
  }
  json::Array out;
  for (const json::Value& item : *array) {
    const auto name = internal::name_item(list, item);
    if (!name) continue;
    const bool whole = set.has_member(*name);
    const FieldSet* below = set.child(*name);
    if (below != nullptr && below->empty()) below = nullptr;
    if (keep == Keep::named ? !whole && below == nullptr : whole) continue;
    out.push_back(below != nullptr ? pick(item, *below, list.element, keep) : copy(item));
  }
  return out.empty() ? json::Value() : json::Value(std::move(out));
}

json::Value pick_from_map(const json::Value& value, const FieldSet& set, const MapType& map, Keep keep) {
  const json::Object* object = value.if_object();
  if (object == nullptr) return nullptr;
  if (object->empty() || map.relationship == Relationship::atomic) {
    return keep == Keep::named ? copy(value) : json::Value();
  }
  json::Object out;
  for (const auto& member : *object) {
    const TypeRef type = internal::member_type(map, member.key());
    const FieldSet* below = set.child(std::string_view(member.key()));
    if (set.has_member(std::string_view(member.key()))) {
      if (keep == Keep::named) out.emplace(member.key(), pick(member.value(), set, type, keep));
    } else if (below != nullptr && !below->empty()) {
      out.emplace(member.key(), pick(member.value(), *below, type, keep));
    } else if (keep == Keep::others) {
      out.emplace(member.key(), copy(member.value()));
    }
  }
  return out.empty() ? json::Value() : json::Value(std::move(out));
}

json::Value pick(const json::Value& value, const FieldSet& set, TypeRef ref, Keep keep) {
  const Type& type = ref.resolve();
  switch (internal::first_form(internal::forms_of(type, &value))) {
    case internal::map_form:
      return pick_from_map(value, set, *type.map, keep);
    case internal::scalar_form:
      return copy(value);
    case internal::list_form:
      return pick_from_list(value, set, *type.list, keep);
    default:
      return nullptr;
  }
}

/// Returns the members that are the keys of the items on the paths.
FieldSet keys_on(const FieldSet& items, const FieldSet& present) {
  FieldSet keys;
  items.for_each([&](const Path& path) {
    if (!present.has(path)) return;
    for (std::size_t i = 0; i < path.size(); ++i) {
      const PathElement::Key* key = path[i].if_key();
      if (key == nullptr) continue;
      for (const auto& [name, value] : key->fields) {
        Path field(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        field.push_back(PathElement::field(name));
        keys.insert(field);
      }
    }
  });
  return keys;
}

}  // namespace

TypedValue TypedValue::remove_items(const FieldSet& items) const {
  return TypedValue(std::make_shared<const json::Value>(pick(*value_, items, type_, Keep::others)), type_);
}

TypedValue TypedValue::extract_items(const FieldSet& items, bool with_keys) const {
  FieldSet all = items;
  if (with_keys) {
    if (const auto present = to_field_set()) all = items.united(keys_on(items, *present));
  }
  return TypedValue(std::make_shared<const json::Value>(pick(*value_, all, type_, Keep::named)), type_);
}

}  // namespace fairway::apiserver::apply
