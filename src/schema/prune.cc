// SPDX-License-Identifier: Apache-2.0

#include "schema/prune.h"

#include "k8s/members.h"
#include "schema/internal/dropped_paths.h"
#include "schema/internal/keywords.h"
#include "schema/internal/place.h"

namespace fairway::schema {

namespace {

using internal::Place;

/// The rule for members that no schema names. It is inherited by the items of lists, not by members.
enum class Unknown { goes, stays };

class Pruner {
 public:
  std::vector<std::string> take() { return dropped_.take(); }

  /// Prunes a value; nullptr: it has no schema.
  void run(json::Value& value, const json::Object* schema, const Place& place,
           Unknown unknown = Unknown::goes) {
    if (schema != nullptr && internal::keeps_unknown(*schema)) unknown = Unknown::stays;
    if (schema == nullptr && unknown == Unknown::stays) return;
    if (json::Object* object = value.if_object()) {
      run_members(*object, schema, place, unknown, schema != nullptr && internal::is_embedded(*schema));
    } else if (json::Array* array = value.if_array()) {
      const json::Object* items = schema != nullptr ? internal::object_at(*schema, "items") : nullptr;
      for (std::size_t i = 0; i < array->size(); ++i) run((*array)[i], items, place.item(i), unknown);
    }
  }

  void run_members(json::Object& object, const json::Object* schema, const Place& place, Unknown unknown,
                   bool is_object) {
    const json::Object* properties = schema != nullptr ? internal::object_at(*schema, "properties") : nullptr;
    const json::Value* additional = schema != nullptr ? schema->if_contains("additionalProperties") : nullptr;
    const json::Object* others = additional != nullptr ? additional->if_object() : nullptr;
    const bool may_have_others = others != nullptr || (additional != nullptr && additional->is_bool());
    const auto is_gone = [&](std::string_view name) {
      return unknown == Unknown::goes && !may_have_others && !(is_object && internal::is_header(name)) &&
             (properties == nullptr || !properties->contains(name));
    };
    bool has_unknown = false;
    for (auto& member : object) {
      const std::string_view name = member.key();
      if (is_object && internal::is_header(name)) continue;
      if (const json::Value* property = properties != nullptr ? properties->if_contains(name) : nullptr) {
        run(member.value(), property->if_object(), place.member(name));
      } else if (may_have_others) {
        run(member.value(), others, place.member(name));
      } else if (unknown == Unknown::goes) {
        has_unknown = true;
        dropped_.add_in_document(place.member(name));
      }
    }
    if (has_unknown) k8s::erase_members(object, is_gone);
  }

 private:
  internal::DroppedPaths dropped_;
};

}  // namespace

std::vector<std::string> prune(json::Object& object, const json::Object& schema) {
  Pruner pruner;
  const Unknown unknown = internal::keeps_unknown(schema) ? Unknown::stays : Unknown::goes;
  pruner.run_members(object, &schema, Place::root(), unknown, true);
  return pruner.take();
}

std::vector<std::string> prune_part(json::Value& value, const json::Object& schema) {
  Pruner pruner;
  pruner.run(value, &schema, Place::root());
  return pruner.take();
}

}  // namespace fairway::schema
