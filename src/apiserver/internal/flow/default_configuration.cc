// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/flow/default_configuration.h"

#include <string>
#include <string_view>
#include <utility>

#include "default-configuration.json.h"
#include "k8s/equality.h"
#include "k8s/set_condition.h"

namespace fairway::apiserver::flow {
namespace {

constexpr std::string_view autoupdate = "apf.kubernetes.io/autoupdate-spec",
                           group = "flowcontrol.apiserver.k8s.io", schema_kind = "FlowSchema";

/// Returns whether an object has the server's spec, whatever its annotation says. The shares of the exempt
/// level are an admin's to choose; the rest of it is fixed by its validation.
bool is_mandatory(const k8s::Dynamic& object) {
  return object.name() == "catch-all" || (object.name() == "exempt" && object.kind() == schema_kind);
}

/// Returns whether the annotation lets the server write the spec, or, where it says nothing, the generation:
/// 1 is that of an object which nobody has changed.
bool may_write_spec(const k8s::Dynamic& stored) {
  const auto said = stored.annotations().find(autoupdate);
  if (said == "true") return true;
  if (said == "false") return false;
  return stored.integer("metadata.generation") == 1;
}

storage::DefaultObject object_of(const json::Value& entry, WallTime now) {
  const auto text = [&](std::string_view key) { return json::find_string(entry, key).value_or(""); };
  k8s::Dynamic object(json::Object{{"apiVersion", std::string(group) + "/v1"}, {"kind", text("kind")}});
  object.set_name(text("name"));
  object.set("metadata.generation", 1);
  object.set("metadata.annotations", json::Object{{autoupdate, "true"}});
  if (const json::Value* spec = json::find(entry, "spec")) object.set("spec", *spec);
  const bool is_schema = object.kind() == schema_kind;
  if (is_schema) {
    write_dangling(object, true, now);
  } else {
    object.set("status", json::Object{});
  }
  const std::string_view resource = is_schema ? "flowschemas" : "prioritylevelconfigurations";
  storage::Key key{std::string(group) + "/" + std::string(resource), "", std::string(object.name())};
  return {.key = std::move(key), .object = std::move(object)};
}

}  // namespace

std::vector<storage::DefaultObject> default_configuration(WallTime now) {
  std::vector<storage::DefaultObject> objects;
  const auto entries = json::parse(default_flow_configuration_json);
  if (!entries) return objects;  // a test reads all of it
  for (const json::Value& entry : entries->get_array()) objects.push_back(object_of(entry, now));
  return objects;
}

std::optional<k8s::Dynamic> revised(const k8s::Dynamic& stored, const k8s::Dynamic& wanted) {
  if (!is_mandatory(wanted) && !may_write_spec(stored)) return std::nullopt;
  if (k8s::equal_with_null_as_absent(stored, wanted, "spec")) return std::nullopt;
  k8s::Dynamic object(stored);
  object.set("spec", *wanted.find("spec"));
  object.set("metadata.generation", stored.integer("metadata.generation") + 1);
  return object;
}

bool write_dangling(k8s::Dynamic& schema, bool level_exists, WallTime now) {
  const std::string level(schema.text("spec.priorityLevelConfiguration.name"));
  const std::string message = "This FlowSchema references the PriorityLevelConfiguration object named \"" +
                              level + "\" " +
                              (level_exists ? "and it exists" : "but there is no such object");
  const std::string_view reason = level_exists ? "Found" : "NotFound";
  const auto status = level_exists ? k8s::ConditionStatus::is_false : k8s::ConditionStatus::is_true;
  const auto found = k8s::find_condition(schema, "Dangling");
  if (found && found->status() == status && found->reason() == reason && found->message() == message)
    return false;
  const json::Value* list = schema.find("status.conditions");
  json::Array conditions = list != nullptr && list->is_array() ? list->get_array() : json::Array{};
  k8s::set_condition(conditions, "Dangling", status, reason, message, now);
  schema.set("status.conditions", std::move(conditions));
  return true;
}

}  // namespace fairway::apiserver::flow
