// SPDX-License-Identifier: Apache-2.0

// The difference of two releases as JSON.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "payload/release_diff.h"

namespace fairway::payload {

namespace {

/// Returns the identity of an object, and adds what is said of it.
json::Object object_json(const ObjectId& id, json::Object more = {}) {
  json::Object object{
      {"group", id.group}, {"kind", id.kind}, {"namespace", id.namespace_name}, {"name", id.name}};
  for (auto& [key, value] : more) object.emplace(key, std::move(value));
  return object;
}

json::Value text_json(const std::optional<std::string>& text) {
  return text ? json::Value(*text) : json::Value(nullptr);
}

template <class T, class Convert>
json::Array list_json(const std::vector<T>& items, Convert convert) {
  json::Array list;
  for (const T& item : items) list.push_back(convert(item));
  return list;
}

json::Array list_json(const std::vector<std::string>& texts) {
  return json::Array(texts.begin(), texts.end());
}

json::Object field_json(const FieldChange& field) {
  return {{"path", field.path},
          {"before", text_json(field.before)},
          {"after", text_json(field.after)},
          {"orderOnly", field.order_only}};
}

json::Object definition_json(const DefinitionChange& change) {
  return {{"name", change.name},
          {"storageBefore", change.storage_before},
          {"storageAfter", change.storage_after},
          {"servedGone", list_json(change.served_gone)},
          {"servedAdded", list_json(change.served_added)},
          {"versionsGone", list_json(change.versions_gone)},
          {"removed", change.removed}};
}

json::Object rights_json(const GrownRights& grown) {
  const auto subject_json = [](const BoundSubject& subject) {
    return json::Object{
        {"kind", subject.kind}, {"namespace", subject.namespace_name}, {"name", subject.name}};
  };
  const auto rule_json = [](const k8s::RbacRule& rule) { return rule.to_json(); };
  return object_json(grown.object, {{"rules", list_json(grown.rules, rule_json)},
                                    {"notCompared", list_json(grown.not_compared, rule_json)},
                                    {"aggregatedTo", list_json(grown.aggregated_to)},
                                    {"aggregates", list_json(grown.aggregates)},
                                    {"role", grown.role},
                                    {"subjects", list_json(grown.subjects, subject_json)}});
}

json::Object text_change_json(const TextChange& change) {
  return {{"key", change.key}, {"before", text_json(change.before)}, {"after", text_json(change.after)}};
}

}  // namespace

json::Object to_json(const ReleaseDiff& diff) {
  const auto id_json = [](const ObjectId& id) { return object_json(id); };
  const auto changed_json = [](const ChangedObject& one) {
    return object_json(one.object, {{"createOnly", one.create_only},
                                    {"fields", list_json(one.changes.fields, field_json)},
                                    {"fieldCount", one.changes.count}});
  };
  const auto left_json = [](const LeftObject& one) { return object_json(one.object, {{"why", one.why}}); };
  return {{"listed", diff.listed},
          {"added", list_json(diff.added, id_json)},
          {"changed", list_json(diff.changed, changed_json)},
          {"removed", list_json(diff.removed, id_json)},
          {"left", list_json(diff.left, left_json)},
          {"definitions", list_json(diff.definitions, definition_json)},
          {"rights", list_json(diff.rights, rights_json)},
          {"capabilitiesAdded", list_json(diff.capabilities_added)},
          {"capabilitiesGone", list_json(diff.capabilities_gone)},
          {"images", list_json(diff.images, text_change_json)},
          {"metadata", list_json(diff.metadata, text_change_json)},
          {"leftOutBefore", diff.left_out_before},
          {"leftOutAfter", diff.left_out_after}};
}

}  // namespace fairway::payload
