// SPDX-License-Identifier: Apache-2.0

// The environment of containers, and the references to fields of the Pod that it and volumes have.
#include <algorithm>
#include <array>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/quantity.h"
#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

using Texts = std::vector<std::string_view>;

/// Fields of a Pod that can be selected, those of the environment and those of volumes.
const Texts known_fields{"metadata.annotations", "metadata.labels",    "metadata.name",
                         "metadata.namespace",   "metadata.uid",       "spec.nodeName",
                         "spec.restartPolicy",   "spec.schedulerName", "spec.serviceAccountName",
                         "status.hostIP",        "status.hostIPs",     "status.phase",
                         "status.podIP",         "status.podIPs"};
const Texts environment_fields{
    "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
    "status.hostIP", "status.hostIPs",     "status.podIP", "status.podIPs"};
const Texts volume_fields{"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace",
                          "metadata.uid"};
const Texts resource_fields{"limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
                            "requests.cpu", "requests.ephemeral-storage", "requests.memory"};

bool has(const Texts& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

void check_field(const Scope& selector, const Texts& allowed) {
  for (const std::string_view name : {"apiVersion", "fieldPath"}) {
    if (selector.has(name) && !selector.text(name).empty()) continue;
    selector.required(name);
    return;
  }
  std::string_view path = selector.text("fieldPath");
  const auto refuse = [&](const std::string& why) {
    selector.invalid("fieldPath", json::Value(path), "error converting fieldPath: " + why);
  };
  if (selector.text("apiVersion") != "v1") {
    refuse("unsupported pod version: " + std::string(selector.text("apiVersion")));
    return;
  }
  const std::size_t bracket = path.find("['");
  if (path.ends_with("']") && bracket != std::string_view::npos && bracket > 0 &&
      bracket + 4 <= path.size()) {
    const std::string_view field = path.substr(0, bracket),
                           key = path.substr(bracket + 2, path.size() - bracket - 4);
    if (field == "metadata.annotations") {
      selector.faults(".", to_lower(key), k8s::check_annotation_key(key));
    } else if (field == "metadata.labels") {
      selector.faults(".", key, k8s::check_qualified_name(key));
    } else {
      refuse("field label does not support subscript: " + std::string(path));
    }
    return;
  }
  if (path == "spec.host") path = "spec.nodeName";
  if (!has(known_fields, path)) {
    refuse("field label not supported: " + std::string(path));
  } else if (!has(allowed, path)) {
    selector.not_supported("fieldPath", json::Value(path), allowed);
  }
}

bool is_huge(std::string_view resource) {
  return resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
}

void check_divisor(const Scope& selector) {
  const json::Value* divisor = selector.find("divisor");
  if (divisor == nullptr || Quantity::of(*divisor).is_zero()) return;
  const std::string text = quantity_text(*divisor);
  const std::string_view resource = selector.text("resource");
  constexpr std::string_view sizes = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";
  const auto check = [&](std::string_view allowed, const std::string& listed, std::string_view what) {
    const auto all = split(allowed, ',');
    if (std::ranges::any_of(all, [&](std::string_view one) { return trim(one) == text; })) return;
    selector.invalid(
        "divisor", json::Value(resource),
        "only divisor's values " + listed + " are supported with the " + std::string(what) + " resource");
  };
  if (resource.ends_with(".cpu")) check("1m,1", "1m and 1", "cpu");
  if (resource.ends_with(".memory")) check(sizes, std::string(sizes), "memory");
  if (resource.ends_with(".ephemeral-storage")) check(sizes, std::string(sizes), "local ephemeral storage");
  if (is_huge(resource)) check(sizes, std::string(sizes), "hugepages");
}

void check_resource(const Scope& selector, bool is_volume) {
  const std::string_view resource = selector.text("resource");
  if (is_volume && selector.text("containerName").empty()) {
    selector.required("containerName");
  } else if (resource.empty()) {
    selector.required("resource");
  } else if (!has(resource_fields, resource) && !is_huge(resource)) {
    selector.not_supported("resource", json::Value(resource), resource_fields);
  }
  if (has(resource_fields, resource) || is_huge(resource)) check_divisor(selector);
}

void check_env_source(const Scope& variable) {
  if (!variable.has("valueFrom")) return;
  const Scope from = variable.child("valueFrom");
  int sources = 0;
  const auto take = [&](std::string_view name) { return from.has(name) && ++sources > 0; };
  if (take("fieldRef")) check_field(from.child("fieldRef"), environment_fields);
  if (take("resourceFieldRef")) check_resource(from.child("resourceFieldRef"), false);
  if (take("configMapKeyRef")) check_type("ConfigMapKeySelector", from.child("configMapKeyRef"));
  if (take("secretKeyRef")) check_type("ConfigMapKeySelector", from.child("secretKeyRef"));
  if (take("fileKeyRef")) check_type("FileKeySelector", from.child("fileKeyRef"));
  if (sources == 0) {
    from.invalid(".", "",
                 "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or "
                 "`fileKeyRef`");
  } else if (!variable.text("value").empty()) {
    from.invalid(".", "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    from.invalid(".", "", "may not have more than one field specified at a time");
  }
}

void check_env_from(const Scope& container) {
  container.each("envFrom", [&](const Scope& from, std::size_t) {
    if (const std::string_view prefix = from.text("prefix"); !prefix.empty())
      from.faults("prefix", prefix, check_env_name(prefix));
    int sources = 0;
    for (const std::string_view name : {"configMapRef", "secretRef"}) {
      if (!from.has(name)) continue;
      ++sources;
      check_type("EnvFromObject", from.child(name));
    }
    if (sources == 0) container.invalid("envFrom", "", "must specify one of: `configMapRef` or `secretRef`");
    if (sources > 1) container.invalid("envFrom", "", "may not have more than one field specified at a time");
  });
}

/// Checks one file of a volume with fields of the Pod; `at` is the place that errors name.
void check_downward_file(const Scope& file) {
  if (file.text("path").empty()) file.required("path");
  file.faults("path", file.text("path"), check_local_path(file.text("path")));
  if (file.has("fieldRef")) {
    check_field(file.child("fieldRef"), volume_fields);
    if (file.has("resourceFieldRef"))
      file.invalid(".", "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
  } else if (file.has("resourceFieldRef")) {
    check_resource(file.child("resourceFieldRef"), true);
  } else {
    file.required(".", "one of fieldRef and resourceFieldRef is required");
  }
  if (const auto mode = file.integer("mode"); mode && (*mode < 0 || *mode > 0777))
    file.invalid("mode", json::Value(*mode), "must be a number between 0 and 0777 (octal), both inclusive");
  check_type("FileUser", file);
}

/// Checks the files of a volume. Errors name the volume, not the file.
void check_downward_files(const Scope& volume) {
  for (const json::Value& file : volume.list("items")) {
    if (const json::Object* object = file.if_object())
      check_downward_file(volume.other(*object, volume.path()));
  }
}

constexpr std::array calls{
    NamedCall{"env_source", &check_env_source},
    NamedCall{"env_from", &check_env_from},
    NamedCall{"downward_file", &check_downward_file},
    NamedCall{"downward_files", &check_downward_files},
};

}  // namespace

std::span<const NamedCall> environment_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
