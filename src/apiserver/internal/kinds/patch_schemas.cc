// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/patch_schemas.h"

#include <map>
#include <mutex>

#include "apiserver/internal/kinds/kinds.h"

namespace fairway::apiserver::kinds {

namespace {

class Schemas {
 public:
  const k8s::PatchSchema& of(const MessageType& type) {
    const std::lock_guard lock(mutex_);
    return make(type);
  }

 private:
  const k8s::PatchSchema& make(const MessageType& type) {
    const auto [found, is_new] = schemas_.try_emplace(&type);
    k8s::PatchSchema& schema = found->second;
    // A type may hold itself: it is there before its fields are.
    if (!is_new) return schema;
    for (const Field* field : type.json_fields()) {
      const bool is_object = field->type == FieldType::message;
      k8s::PatchSchema::Field made;
      if (field->shape == FieldShape::list && field->patch_merge) {
        made.merge = true;
        made.merge_key = field->merge_key;
      } else if (field->shape != FieldShape::one || !is_object) {
        // Lists without a strategy, maps and scalars are merged as usual.
        continue;
      }
      made.replace = field->patch_replace;
      if (is_object) made.type = &make(*field->message);
      schema.add(field->name, std::move(made));
    }
    return schema;
  }

  std::mutex mutex_;
  std::map<const MessageType*, k8s::PatchSchema> schemas_;
};

}  // namespace

const k8s::PatchSchema* find_patch_schema(const k8s::GroupVersionKind& kind) {
  static Schemas schemas;
  const MessageType* type = Kinds::find(kind);
  return type != nullptr ? &schemas.of(*type) : nullptr;
}

}  // namespace fairway::apiserver::kinds
