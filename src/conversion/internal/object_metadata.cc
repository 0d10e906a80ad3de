// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/object_metadata.h"

#include <string>

#include "base/text.h"
#include "conversion/internal/lost_fields.h"
#include "conversion/step.h"
#include "k8s/names.h"

namespace fairway::conversion {

namespace {

constexpr std::string_view labels = "labels", annotations = "annotations";

Result<void> check_entry(std::string_view field, std::string_view key, const json::Value& value) {
  const std::string path = "metadata." + std::string(field) + "[\"" + printable(key, 80) + "\"]";
  if (!value.is_string()) return invalid_field(path, "it must be a text");
  k8s::Faults faults = field == labels ? k8s::check_qualified_name(key) : k8s::check_annotation_key(key);
  if (faults.empty() && field == labels) faults = k8s::check_label_value(value.get_string());
  if (!faults.empty()) return invalid_field(path, join(faults, "; "));
  return {};
}

Result<void> check_total(const json::Object& entries) {
  std::size_t bytes = 0;
  std::string_view longest;
  std::size_t most = 0;
  for (const auto& member : entries) {
    const std::size_t size = member.key().size() + member.value().get_string().size();
    bytes += size;
    if (size > most) {
      most = size;
      longest = member.key();
    }
  }
  if (bytes <= max_annotation_bytes) return {};
  return fail(ErrorCode::too_large, "metadata.annotations: they would have " + std::to_string(bytes) +
                                        " bytes, and may have " + std::to_string(max_annotation_bytes) +
                                        "; the longest is " + std::string(longest) + " with " +
                                        std::to_string(most));
}

}  // namespace

Result<void> check_annotations(const k8s::Dynamic& object) {
  const json::Value* entries = object.find("metadata.annotations");
  if (entries == nullptr || !entries->is_object()) return {};
  for (const auto& member : entries->get_object()) {
    if (auto valid = check_entry(annotations, member.key(), member.value()); !valid) return valid;
  }
  return check_total(entries->get_object());
}

void set_headers(k8s::Dynamic& object, std::string_view group, std::string_view version,
                 std::string_view kind) {
  json::Value& api_version = object.json()["apiVersion"];
  boost::json::string& text =
      api_version.is_string() ? api_version.get_string() : api_version.emplace_string();
  text.assign(group);
  text.push_back('/');
  text.append(version);
  object.json()["kind"] = kind;
}

Result<ObjectMetadata> ObjectMetadata::take(k8s::Dynamic& object) {
  json::Value* metadata = object.json().if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) {
    return invalid_field("metadata", "it is not there, or no object");
  }
  ObjectMetadata taken(std::move(metadata->get_object()));
  json::Object& copy = metadata->emplace_object();
  copy.reserve(taken.original_.size());
  for (const auto& member : taken.original_) {
    if (member.key() != "managedFields") copy.emplace(member.key(), member.value());
  }
  return taken;
}

void ObjectMetadata::keep_if_dropped(k8s::Dynamic& object) const {
  if (object.has("metadata")) return;
  json::Object& metadata = object.object("metadata");
  for (const std::string_view field : {labels, annotations}) {
    if (const json::Value* kept = original_.if_contains(field)) metadata[field] = *kept;
  }
}

Result<void> ObjectMetadata::replace(std::string_view field, const json::Object& current) {
  const json::Value* now = current.if_contains(field);
  if (now == nullptr || now->is_null()) {
    if (const auto found = original_.find(field); found != original_.end()) original_.stable_erase(found);
    return {};
  }
  const std::string path = "metadata." + std::string(field);
  if (!now->is_object()) return invalid_field(path, "it must be an object");
  json::Value& own = original_[field];
  const json::Object* before = own.if_object();
  bool changed = before == nullptr || before->size() != now->get_object().size();
  for (const auto& member : now->get_object()) {
    const json::Value* old = before != nullptr ? before->if_contains(member.key()) : nullptr;
    if (old != nullptr && *old == member.value() && old->is_string()) continue;
    changed = true;
    if (auto valid = check_entry(field, member.key(), member.value()); !valid) return valid;
  }
  if (!changed) return {};
  if (field == annotations) {
    if (auto fits = check_total(now->get_object()); !fits) return fits;
  }
  own = *now;
  return {};
}

Result<void> ObjectMetadata::put_back(k8s::Dynamic& object) {
  json::Value& metadata = object.json()["metadata"];
  if (const json::Object* current = metadata.if_object()) {
    for (const std::string_view field : {labels, annotations}) {
      if (auto replaced = replace(field, *current); !replaced) return replaced;
    }
  } else if (!metadata.is_null()) {
    return invalid_field("metadata", "it must be an object");
  }
  metadata = std::move(original_);
  return {};
}

}  // namespace fairway::conversion
