// SPDX-License-Identifier: Apache-2.0

// PersistentVolumes.
#include <algorithm>
#include <array>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/quantity.h"
#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

/// Checks that a volume has a size, and no other capacity.
void check_volume_capacity(const Scope& spec) {
  const json::Object& capacity = spec.object("capacity");
  if (capacity.empty()) spec.required("capacity");
  if (capacity.size() != 1 || !capacity.contains("storage"))
    spec.not_supported("capacity", spec.value("capacity"), {"storage"});
  const Path path = spec.path().child("capacity");
  for (const auto& entry : capacity) {
    const Quantity quantity = Quantity::of(entry.value());
    const Path key = path.key(entry.key());
    const Scope at = spec.other(spec.json(), key);
    if (quantity.is_negative())
      at.invalid(".", json::Value(quantity.rounded_up()), "must be a valid resource quantity");
    if (quantity <= Quantity())
      at.invalid(".", json::Value(quantity_text(entry.value())), "must be greater than zero");
  }
}

/// Returns whether the affinity of a volume had label values before an update that are none.
bool had_bad_affinity(const Scope& spec) {
  const json::Object* old = spec.facts().old_object;
  if (old == nullptr) return false;
  const k8s::View affinity = k8s::View(*old).at("spec.nodeAffinity.required");
  for (const k8s::View& term : affinity.items("nodeSelectorTerms")) {
    for (const k8s::View& requirement : term.items("matchExpressions")) {
      if (std::ranges::any_of(requirement.texts("values"),
                              [](std::string_view value) { return !k8s::check_label_value(value).empty(); }))
        return true;
    }
  }
  return false;
}

void check_volume_affinity(const Scope& spec) {
  if (!spec.has("nodeAffinity")) {
    if (spec.has("local")) spec.required("nodeAffinity", "Local volume requires node affinity");
    return;
  }
  const Scope affinity = spec.child("nodeAffinity"), required = affinity.child("required");
  if (!affinity.has("required")) {
    affinity.required("required", "must specify required node constraints");
    return;
  }
  if (required.list("nodeSelectorTerms").empty())
    required.required("nodeSelectorTerms", "must have at least one node selector term");
  const std::string_view type = had_bad_affinity(spec) ? "PreferredNodeSelectorTerm" : "NodeSelectorTerm";
  required.each("nodeSelectorTerms", [&](const Scope& term, std::size_t) { check_type(type, term); });
}

/// Checks that nobody empties the root of a node's files.
void check_recycled_path(const Scope& spec) {
  const std::string_view path = spec.child("hostPath").text("path");
  const auto parts = split(path, '/');
  const bool is_root = path.starts_with('/') && std::ranges::all_of(parts, [](std::string_view part) {
                         return part.empty() || part == "." || part == "..";
                       });
  if (is_root && spec.text("persistentVolumeReclaimPolicy") == "Recycle")
    spec.forbidden("persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'");
}

void check_attributes_class(const Scope& spec) {
  if (!spec.has("volumeAttributesClassName")) return;
  const std::string_view name = spec.text("volumeAttributesClassName");
  if (name.empty()) {
    spec.required("volumeAttributesClassName", "an empty string is disallowed");
  } else {
    spec.faults("volumeAttributesClassName", name, k8s::check_dns_subdomain(name));
  }
  if (!spec.has("csi")) spec.required("csi", "has to be specified when using volumeAttributesClassName");
}

void check_azure_namespace(const Scope& source) {
  if (source.has("secretNamespace") && source.text("secretNamespace").empty())
    source.required("secretNamespace");
}

/// Checks that only volumes that can be mounted with options have some in the former annotation.
void check_mount_options(const Scope& volume) {
  constexpr std::string_view annotation = "volume.beta.kubernetes.io/mount-options";
  const Scope metadata = volume.child("metadata"), spec = volume.child("spec");
  if (!metadata.map("annotations").contains(annotation)) return;
  for (const std::string_view source :
       {"gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi", "cinder",
        "cephfs", "azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk"}) {
    if (spec.has(source)) return;
  }
  metadata.child("annotations").forbidden(annotation, "may not specify mount options for this volume type");
}

void check_iscsi_portal(const Scope& volume) {
  constexpr std::size_t longest = 64;
  const Scope spec = volume.child("spec"), source = spec.child("iscsi"), metadata = volume.child("metadata");
  const std::string_view portal = source.text("targetPortal");
  if (source.has("initiatorName") && metadata.text("name").size() + 1 + portal.size() > longest) {
    source.invalid("targetportal", json::Value(portal),
                   "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
                   "iscsi.initiatorName is specified.");
  }
}

constexpr std::array calls{
    NamedCall{"volume_capacity", &check_volume_capacity},
    NamedCall{"volume_affinity", &check_volume_affinity},
    NamedCall{"recycled_path", &check_recycled_path},
    NamedCall{"attributes_class", &check_attributes_class},
    NamedCall{"azure_namespace", &check_azure_namespace},
    NamedCall{"mount_options", &check_mount_options},
    NamedCall{"iscsi_portal", &check_iscsi_portal},
};

}  // namespace

std::span<const NamedCall> volume_object_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
