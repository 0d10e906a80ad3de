// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/type.h"

#include <algorithm>
#include <utility>

namespace fairway::apiserver::apply {

const Type& TypeRef::resolve() const {
  return type != nullptr ? *type : Type::none();
}

const Type& Type::none() {
  static const Type none;
  return none;
}

void MapType::add(Field field) {
  const auto at = std::ranges::lower_bound(fields_, field.name, {}, &Field::name);
  if (at != fields_.end() && at->name == field.name) {
    *at = std::move(field);
  } else {
    fields_.insert(at, std::move(field));
  }
}

const MapType::Field* MapType::find(std::string_view name) const {
  const auto at = std::ranges::lower_bound(fields_, name, {}, &Field::name);
  return at != fields_.end() && at->name == name ? &*at : nullptr;
}

Types::Types() {
  Type& untyped = add();
  untyped.scalar = Scalar::untyped;
  untyped.list = ListType{{&untyped}, Relationship::atomic, {}};
  untyped.map.emplace();
  untyped.map->element = {&untyped};
  untyped.map->relationship = Relationship::atomic;
  untyped_ = &untyped;

  Type& deduced = add();
  deduced.scalar = Scalar::untyped;
  deduced.list = ListType{{&untyped}, Relationship::atomic, {}};
  deduced.map.emplace();
  deduced.map->element = {&deduced, true};
  deduced_ = &deduced;
}

Types::Types(Types&&) noexcept = default;
Types& Types::operator=(Types&&) noexcept = default;
Types::~Types() = default;

Type& Types::add() {
  return types_.emplace_back();
}

TypeRef Types::scalar(Scalar scalar) {
  Type& type = add();
  type.scalar = scalar;
  // structured-merge-diff takes an inlined untyped scalar for a deduced type.
  return {&type, scalar == Scalar::untyped};
}

TypeRef Types::object_meta() {
  if (object_meta_ != nullptr) return {object_meta_};
  Type& meta = add();
  MapType& map = meta.map.emplace();
  const TypeRef text = scalar(Scalar::string), number = scalar(Scalar::numeric),
                boolean = scalar(Scalar::boolean);
  for (const char* name : {"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"}) {
    map.add({name, text, {}});
  }
  // metav1.Time is a named type.
  Type& time = add();
  time.scalar = Scalar::untyped;
  for (const char* name : {"creationTimestamp", "deletionTimestamp"}) map.add({name, {&time}, {}});
  for (const char* name : {"generation", "deletionGracePeriodSeconds"}) map.add({name, number, {}});

  Type& texts = add();
  texts.map.emplace().element = text;
  for (const char* name : {"labels", "annotations"}) map.add({name, {&texts}, {}});

  Type& finalizers = add();
  finalizers.list = ListType{text, Relationship::associative, {}};
  map.add({"finalizers", {&finalizers}, {}});

  Type& owner = add();
  MapType& owner_map = owner.map.emplace();
  owner_map.relationship = Relationship::atomic;
  for (const char* name : {"apiVersion", "kind", "name", "uid"}) owner_map.add({name, text, {}});
  for (const char* name : {"controller", "blockOwnerDeletion"}) owner_map.add({name, boolean, {}});
  Type& owners = add();
  owners.list = ListType{{&owner}, Relationship::associative, {"uid"}};
  map.add({"ownerReferences", {&owners}, {}});

  Type& entry = add();
  MapType& entry_map = entry.map.emplace();
  for (const char* name : {"manager", "operation", "apiVersion", "fieldsType", "subresource"}) {
    entry_map.add({name, text, {}});
  }
  entry_map.add({"time", {&time}, {}});
  // FieldsV1 is an object without declared members.
  Type& fields = add();
  fields.map.emplace().element = deduced();
  entry_map.add({"fieldsV1", {&fields}, {}});
  Type& entries = add();
  entries.list = ListType{{&entry}, Relationship::atomic, {}};
  map.add({"managedFields", {&entries}, {}});

  object_meta_ = &meta;
  return {object_meta_};
}

}  // namespace fairway::apiserver::apply
