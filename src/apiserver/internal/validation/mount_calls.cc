// SPDX-License-Identifier: Apache-2.0

// Where containers mount volumes, and which devices they see.
#include <array>
#include <map>
#include <set>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/formats.h"
#include "apiserver/internal/validation/pod_facts.h"

namespace fairway::apiserver::validation {
namespace {

using Texts = std::set<std::string_view>;

/// Returns the values of one member of all objects of a list. Of several with the same name the last one
/// counts.
Texts collect(const Scope& container, std::string_view list, std::string_view member) {
  std::map<std::string_view, std::string_view> by_name;
  container.each(list, [&](const Scope& one, std::size_t) { by_name[one.text("name")] = one.text(member); });
  Texts made;
  for (const auto& [name, value] : by_name) made.insert(member == "name" ? name : value);
  return made;
}

/// Checks a path below a mount. Errors do not tell which mount it is.
void check_sub_path(const Scope& container, std::string_view member, std::string_view path) {
  const Path shown = container.path().child("volumeMounts");
  add_faults(container.errors(), shown.child(member), path, check_descending_path(path));
}

void check_propagation(const Scope& mount, const Scope& mounts, bool is_privileged) {
  const std::string_view mode = mount.text("mountPropagation");
  if (mode != "Bidirectional" && mode != "HostToContainer" && mode != "None")
    mounts.not_supported("mountPropagation", json::Value(mode), {"Bidirectional", "HostToContainer", "None"});
  if (mode == "Bidirectional" && !is_privileged)
    mounts.forbidden("mountPropagation",
                     "Bidirectional mount propagation is available only to privileged containers");
}

void check_recursive(const Scope& mount, const Scope& mounts) {
  constexpr std::string_view field = "recursiveReadOnly";
  if (!mount.has(field)) return;
  const std::string_view mode = mount.text(field);
  if (mode == "Disabled") return;
  if (mode != "Enabled" && mode != "IfPossible") {
    mounts.not_supported(field, json::Value(mode), {"Disabled", "Enabled", "IfPossible"});
    return;
  }
  if (!mount.flag("readOnly")) mounts.forbidden(field, "may only be specified when readOnly is true");
  if (mount.has("mountPropagation") && mount.text("mountPropagation") != "None")
    mounts.forbidden(field, "may only be specified when mountPropagation is None or not specified");
}

void check_bind_options(const Scope& mount) {
  const std::vector<std::string_view> known{"nodev", "noexec", "nosuid"},
      given = mount.texts("bindMountOptions");
  if (given.empty()) return;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string field = "bindMountOptions[" + std::to_string(i) + "]";
    if (std::ranges::find(known, given[i]) == known.end())
      mount.not_supported(field, json::Value(given[i]), known);
    if (!seen.insert(given[i]).second) mount.duplicate(field, json::Value(given[i]));
  }
  const auto volume = mount.facts().volumes.find(mount.text("name"));
  if (volume != mount.facts().volumes.end() && volume->second->contains("image"))
    mount.invalid("bindMountOptions", mount.value("bindMountOptions"),
                  "bindMountOptions may not be used with image volumes");
}

void check_volume_mounts(const Scope& container) {
  const Texts device_names = collect(container, "volumeDevices", "name"),
              device_paths = collect(container, "volumeDevices", "devicePath");
  const bool is_privileged = container.child("securityContext").flag("privileged");
  const Scope mounts = container.other(container.json(), container.path().child("volumeMounts"));
  Texts places;
  container.each("volumeMounts", [&](const Scope& mount, std::size_t) {
    const std::string_view name = mount.text("name"), place = mount.text("mountPath"),
                           below = mount.text("subPath"), expression = mount.text("subPathExpr");
    if (name.empty()) mount.required("name");
    if (!mount.facts().volumes.contains(name)) mount.not_found("name", json::Value(name));
    if (place.empty()) mount.required("mountPath");
    if (!places.insert(place).second) mount.invalid("mountPath", json::Value(place), "must be unique");
    if (device_names.contains(name))
      mount.invalid("name", json::Value(name), "must not already exist in volumeDevices");
    if (device_paths.contains(place))
      mount.invalid("mountPath", json::Value(place), "must not already exist as a path in volumeDevices");
    if (!below.empty()) check_sub_path(container, "subPath", below);
    if (!expression.empty()) {
      if (!below.empty())
        mount.invalid("subPathExpr", json::Value(expression),
                      "subPathExpr and subPath are mutually exclusive");
      check_sub_path(container, "subPathExpr", expression);
    }
    if (mount.has("mountPropagation")) check_propagation(mount, mounts, is_privileged);
    check_recursive(mount, mounts);
    check_bind_options(mount);
  });
}

void check_volume_devices(const Scope& container) {
  const Texts mount_names = collect(container, "volumeMounts", "name"),
              mount_paths = collect(container, "volumeMounts", "mountPath");
  Texts names, paths;
  container.each("volumeDevices", [&](const Scope& device, std::size_t) {
    const std::string_view name = device.text("name"), path = device.text("devicePath");
    const auto volume = device.facts().volumes.find(name);
    const bool is_known = volume != device.facts().volumes.end();
    if (name.empty()) device.required("name");
    if (names.contains(name)) device.invalid("name", json::Value(name), "must be unique");
    if (is_known && !volume->second->contains("persistentVolumeClaim") &&
        !volume->second->contains("ephemeral")) {
      device.invalid("name", json::Value(name),
                     "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    }
    if (!is_known) device.not_found("name", json::Value(name));
    if (path.empty()) device.required("devicePath");
    if (paths.contains(path)) device.invalid("devicePath", json::Value(path), "must be unique");
    if (!path.empty() && !check_no_backsteps(path).empty()) {
      device.invalid("devicePath", json::Value(path), "can not contain backsteps ('..')");
    } else {
      paths.insert(path);
    }
    if (mount_names.contains(name))
      device.invalid("name", json::Value(name), "must not already exist in volumeMounts");
    if (mount_paths.contains(path))
      device.invalid("devicePath", json::Value(path), "must not already exist as a path in volumeMounts");
    if (!name.empty()) names.insert(name);
  });
}

constexpr std::array calls{
    NamedCall{"volume_mounts", &check_volume_mounts},
    NamedCall{"volume_devices", &check_volume_devices},
};

}  // namespace

std::span<const NamedCall> mount_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
