// SPDX-License-Identifier: Apache-2.0

// Volumes and what provides them.
#include <algorithm>
#include <array>

#include "apiserver/internal/kinds/volume_claim.h"
#include "apiserver/internal/table/cells.h"
#include "base/text.h"

namespace fairway::apiserver::table {
namespace {

using k8s::View;

constexpr std::string_view unset = "<unset>";

constexpr Header boolean(std::string_view name) {
  return {.name = name, .type = "boolean"};
}

std::string access_modes(const View& object, std::string_view path) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> known{
      {{"ReadWriteOnce", "RWO"},
       {"ReadOnlyMany", "ROX"},
       {"ReadWriteMany", "RWX"},
       {"ReadWriteOncePod", "RWOP"}}};
  const std::vector<std::string_view> modes = object.texts(path);
  std::vector<std::string> shown;
  for (const auto& [mode, text] : known) {
    if (std::ranges::find(modes, mode) != modes.end()) shown.emplace_back(text);
  }
  return join(shown, ",");
}

std::string_view phase_of(const View& object) {
  return object.has("metadata.deletionTimestamp") ? "Terminating" : object.text("status.phase");
}

Row volume(const View& object, WallTime now) {
  std::string claim;
  if (object.has("spec.claimRef")) {
    claim = std::string(object.text("spec.claimRef.namespace")) + "/" +
            std::string(object.text("spec.claimRef.name"));
  }
  return {{name_of(object), quantity_text(object, "spec.capacity", "storage"),
           access_modes(object, "spec.accessModes"), object.text("spec.persistentVolumeReclaimPolicy"),
           phase_of(object), claim, kinds::storage_class_of(object),
           object.text("spec.volumeAttributesClassName", unset), object.text("status.reason"),
           age(object, now), object.text("spec.volumeMode", unset)},
          {}};
}

Row claim(const View& object, WallTime now) {
  const bool is_bound = !object.text("spec.volumeName").empty();
  return {{name_of(object), phase_of(object), object.text("spec.volumeName"),
           is_bound ? quantity_text(object, "status.capacity", "storage") : std::string(),
           is_bound ? access_modes(object, "status.accessModes") : std::string(),
           kinds::storage_class_of(object), object.text("spec.volumeAttributesClassName", unset),
           age(object, now), object.text("spec.volumeMode", unset)},
          {}};
}

bool is_default(const View& storage_class) {
  const k8s::StringMap annotations = storage_class.map("metadata.annotations");
  return annotations.find("storageclass.kubernetes.io/is-default-class") == "true" ||
         annotations.find("storageclass.beta.kubernetes.io/is-default-class") == "true";
}

Row storage_class(const View& object, WallTime now) {
  return {
      {name_of(object), object.text("provisioner"), object.text("reclaimPolicy", "Delete"),
       object.text("volumeBindingMode", "Immediate"), object.flag("allowVolumeExpansion"), age(object, now)},
      {}};
}

Row attributes_class(const View& object, WallTime now) {
  return {{name_of(object), object.text("driverName"), age(object, now)}, {}};
}

Row attachment(const View& object, WallTime now) {
  return {{name_of(object), object.text("spec.attacher"), object.text("spec.source.persistentVolumeName"),
           object.text("spec.nodeName"), object.flag("status.attached"), age(object, now)},
          {}};
}

Row csi_node(const View& object, WallTime now) {
  return {{name_of(object), count(object, "spec.drivers"), age(object, now)}, {}};
}

Row csi_driver(const View& object, WallTime now) {
  std::string audiences(unset);
  if (object.has("spec.tokenRequests")) {
    std::vector<std::string> all;
    for (const View& one : object.items("spec.tokenRequests")) all.emplace_back(one.text("audience"));
    audiences = join(all, ",");
  }
  std::vector<std::string> modes;
  for (const std::string_view mode : object.texts("spec.volumeLifecycleModes")) modes.emplace_back(mode);
  return {{name_of(object), object.flag("spec.attachRequired", true), object.flag("spec.podInfoOnMount"),
           object.flag("spec.storageCapacity"), audiences, object.flag("spec.requiresRepublish"),
           modes.empty() ? std::string("<none>") : join(modes, ","), age(object, now)},
          {}};
}

Row csi_capacity(const View& object, WallTime) {
  return {{name_of(object), object.text("storageClassName"), object.text("capacity", unset)}, {}};
}

}  // namespace

std::vector<Printer> storage_printers() {
  return {
      {{"", "PersistentVolume"},
       {name_header,
        {"Capacity"},
        {"Access Modes"},
        {"Reclaim Policy"},
        {"Status"},
        {"Claim"},
        {"StorageClass"},
        {"VolumeAttributesClass"},
        {"Reason"},
        age_header,
        wide("VolumeMode")},
       &volume},
      {{"", "PersistentVolumeClaim"},
       {name_header,
        {"Status"},
        {"Volume"},
        {"Capacity"},
        {"Access Modes"},
        {"StorageClass"},
        {"VolumeAttributesClass"},
        age_header,
        wide("VolumeMode")},
       &claim},
      {{"storage.k8s.io", "StorageClass"},
       {name_header,
        {"Provisioner"},
        {"ReclaimPolicy"},
        {"VolumeBindingMode"},
        {"AllowVolumeExpansion"},
        age_header},
       &storage_class,
       &is_default},
      {{"storage.k8s.io", "VolumeAttributesClass"},
       {name_header, {"DriverName"}, age_header},
       &attributes_class},
      {{"storage.k8s.io", "VolumeAttachment"},
       {name_header,
        {.name = "Attacher", .format = "name"},
        {"PV"},
        {"Node"},
        boolean("Attached"),
        age_header},
       &attachment},
      {{"storage.k8s.io", "CSINode"},
       {name_header, {.name = "Drivers", .type = "integer"}, age_header},
       &csi_node},
      {{"storage.k8s.io", "CSIDriver"},
       {name_header,
        boolean("AttachRequired"),
        boolean("PodInfoOnMount"),
        boolean("StorageCapacity"),
        {"TokenRequests"},
        boolean("RequiresRepublish"),
        {"Modes"},
        age_header},
       &csi_driver},
      {{"storage.k8s.io", "CSIStorageCapacity"},
       {name_header, {"StorageClassName"}, {"Capacity"}},
       &csi_capacity},
  };
}

}  // namespace fairway::apiserver::table
