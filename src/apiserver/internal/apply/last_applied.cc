// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "apiserver/internal/apply/last_applied.h"
#include "base/go_text.h"

namespace fairway::apiserver::apply::internal {

namespace {

json::Object* object_at(json::Value& value, std::string_view key) {
  json::Object* object = value.if_object();
  json::Value* member = object != nullptr ? object->if_contains(key) : nullptr;
  return member != nullptr ? member->if_object() : nullptr;
}

json::Object* annotations_of(json::Value& object) {
  json::Object* root = object.if_object();
  json::Value* metadata = root != nullptr ? root->if_contains("metadata") : nullptr;
  return metadata != nullptr ? object_at(*metadata, "annotations") : nullptr;
}

}  // namespace

std::optional<std::string_view> last_applied_of(const json::Value& object) {
  const json::Value* metadata = json::find(object, "metadata");
  const json::Value* annotations = metadata != nullptr ? json::find(*metadata, "annotations") : nullptr;
  if (annotations == nullptr) return std::nullopt;
  const auto text = json::find_string(*annotations, last_applied_annotation);
  return text && !text->empty() ? text : std::nullopt;
}

void set_last_applied(json::Value& object, const json::Value& document) {
  json::Value applied(document, json::Storage{});
  if (json::Object* annotations = annotations_of(applied)) annotations->erase(last_applied_annotation);
  std::string text;
  append_go_json(text, applied);
  json::Object* annotations = annotations_of(object);
  if (annotations == nullptr) return;
  (*annotations)[last_applied_annotation] = text + "\n";
  constexpr std::size_t limit = 256 * 1024;
  std::size_t size = 0;
  for (const auto& annotation : *annotations) {
    const auto* value = annotation.value().if_string();
    size += annotation.key().size() + (value != nullptr ? value->size() : 0);
  }
  if (size > limit) annotations->erase(last_applied_annotation);
}

}  // namespace fairway::apiserver::apply::internal
