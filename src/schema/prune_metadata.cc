// SPDX-License-Identifier: Apache-2.0

#include "schema/prune_metadata.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "k8s/members.h"
#include "k8s/object_meta.h"
#include "schema/internal/dropped_paths.h"
#include "schema/internal/keywords.h"
#include "schema/internal/place.h"
#include "schema/schema.h"

namespace fairway::schema {

namespace {

using internal::Place;

// Fields of OwnerReference and ManagedFieldsEntry of meta/v1.
constexpr std::string_view owner_fields[] = {"apiVersion", "kind",       "name",
                                             "uid",        "controller", "blockOwnerDeletion"};
constexpr std::string_view manager_fields[] = {"manager",    "operation", "apiVersion", "time",
                                               "fieldsType", "fieldsV1",  "subresource"};

class MetadataPruner {
 public:
  std::vector<std::string> take() { return dropped_.take(); }

  void run_metadata(json::Object& object, const Place& place) {
    json::Value* metadata = object.if_contains("metadata");
    if (metadata == nullptr || !metadata->is_object()) return;
    const Place own = place.member("metadata");
    run_fields(metadata->get_object(), k8s::object_meta_fields, own);
    run_list(metadata->get_object(), "ownerReferences", owner_fields, own);
    run_list(metadata->get_object(), "managedFields", manager_fields, own);
  }

  void run_members(json::Object& object, const json::Object& schema, const Place& place) {
    for (auto& member : object) {
      const json::Object* property = internal::property_of(schema, member.key());
      const json::Object* inner = property != nullptr ? property : member_schema(schema, member.key());
      if (inner == nullptr) continue;
      run(member.value(), *inner, property != nullptr ? place.member(member.key()) : place.key(member.key()));
    }
  }

 private:
  void run(json::Value& value, const json::Object& schema, const Place& place) {
    if (json::Object* object = value.if_object()) {
      if (internal::is_embedded(schema)) run_metadata(*object, place);
      run_members(*object, schema, place);
    } else if (json::Array* array = value.if_array()) {
      const json::Object* items = item_schema(schema);
      for (std::size_t i = 0; items != nullptr && i < array->size(); ++i)
        run((*array)[i], *items, place.item(i));
    }
  }

  void run_list(json::Object& metadata, std::string_view name, std::span<const std::string_view> known,
                const Place& place) {
    json::Value* value = metadata.if_contains(name);
    json::Array* list = value != nullptr ? value->if_array() : nullptr;
    const Place own = place.member(name);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      if (json::Object* item = (*list)[i].if_object()) run_fields(*item, known, own.item(i));
    }
  }

  void run_fields(json::Object& object, std::span<const std::string_view> known, const Place& place) {
    const auto is_unknown = [&](std::string_view name) {
      return std::ranges::find(known, name) == known.end();
    };
    for (const auto& member : object) {
      if (is_unknown(member.key())) dropped_.add_field(place.member(member.key()));
    }
    k8s::erase_members(object, is_unknown);
  }

  internal::DroppedPaths dropped_;
};

}  // namespace

std::vector<std::string> prune_metadata(json::Object& object, const json::Object& schema) {
  MetadataPruner own, embedded;
  own.run_metadata(object, Place::root());
  embedded.run_members(object, schema, Place::root());
  std::vector<std::string> dropped = own.take();
  for (std::string& path : embedded.take()) dropped.push_back(std::move(path));
  return dropped;
}

}  // namespace fairway::schema
