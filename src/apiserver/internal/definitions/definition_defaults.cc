// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/definition_defaults.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::apiserver::definitions {

namespace {

json::Object& member(json::Object& object, std::string_view name) {
  json::Value& value = object[name];
  if (!value.is_object()) value = json::Object();
  return value.get_object();
}

json::Object* find_member(json::Object& object, std::string_view name) {
  json::Value* value = object.if_contains(name);
  return value != nullptr && value->is_object() ? &value->get_object() : nullptr;
}

bool is_set(const json::Object& object, std::string_view name) {
  const json::Value* value = object.if_contains(name);
  return value != nullptr && value->is_string() && !value->get_string().empty();
}

/// Adds the storage version to `status.storedVersions`, if it is missing there.
void add_stored_versions(json::Object& definition, json::Array stored) {
  const json::Value* spec = definition.if_contains("spec");
  const json::Value* versions = spec == nullptr ? nullptr : json::find(*spec, "versions");
  if (versions != nullptr && versions->is_array()) {
    for (const json::Value& version : versions->get_array()) {
      const json::Value* stores = json::find(version, "storage");
      const json::Value* name = json::find(version, "name");
      if (stores == nullptr || name == nullptr || !stores->is_bool() || !stores->get_bool()) continue;
      if (std::ranges::find(stored, *name) == stored.end()) stored.push_back(*name);
      break;
    }
  }
  member(definition, "status")["storedVersions"] =
      stored.empty() ? json::Value(nullptr) : json::Value(std::move(stored));
}

}  // namespace

void fill_in_definition_defaults(json::Object& definition) {
  json::Object& spec = member(definition, "spec");
  json::Object& names = member(spec, "names");
  if (is_set(names, "kind")) {
    const std::string kind(names.at("kind").get_string());
    if (!is_set(names, "singular")) names["singular"] = to_lower(kind);
    if (!is_set(names, "listKind")) names["listKind"] = kind + "List";
  }
  if (find_member(spec, "conversion") == nullptr) spec["conversion"] = json::Object{{"strategy", "None"}};
  json::Object* webhook = find_member(member(spec, "conversion"), "webhook");
  json::Object* client = webhook == nullptr ? nullptr : find_member(*webhook, "clientConfig");
  json::Object* service = client == nullptr ? nullptr : find_member(*client, "service");
  if (service != nullptr && !service->contains("port")) (*service)["port"] = 443;
}

void prepare_definition_create(json::Object& definition) {
  definition["status"] = json::Object{{"conditions", nullptr},
                                      {"acceptedNames", json::Object{{"plural", ""}, {"kind", ""}}},
                                      {"storedVersions", nullptr}};
  add_stored_versions(definition, {});
}

void prepare_definition_update(json::Object& definition, const json::Object& old) {
  const json::Value* status = old.if_contains("status");
  definition["status"] = status == nullptr ? json::Value(json::Object()) : *status;
  json::Array stored;
  if (const json::Value* of_old = json::find(definition["status"], "storedVersions")) {
    if (of_old->is_array()) stored = of_old->get_array();
  }
  add_stored_versions(definition, std::move(stored));
}

}  // namespace fairway::apiserver::definitions
