// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/frozen_fields.h"

#include <array>
#include <string_view>

#include "apiserver/internal/resources/same_value.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::FieldError;

struct FrozenField {
  std::string_view group, kind, path;
  /// The field that the error names, if it is not the path.
  std::string_view shown = {};
  /// Message of an error that is Forbidden; empty for other errors.
  std::string_view forbidden = {};
  /// False if the error shows null in place of the value, as those of declared rules do.
  bool shows_value = true;
};

/// Returns a field whose rule is declared in the Go type (`+k8s:immutable`).
constexpr FrozenField declared(std::string_view group, std::string_view kind, std::string_view path) {
  return {group, kind, path, {}, {}, false};
}

constexpr std::string_view apps = "apps", batch = "batch", storage = "storage.k8s.io",
                           networking = "networking.k8s.io", certificates = "certificates.k8s.io",
                           devices = "resource.k8s.io", scheduling = "scheduling.k8s.io";

/// Frozen fields by the functions Validate...Update of k8s.io/kubernetes/pkg/apis, in their order.
constexpr std::array fields{
    FrozenField{"", "PersistentVolume", "spec.volumeMode", "volumeMode"},
    FrozenField{"", "PersistentVolumeClaim", "spec.volumeMode", "volumeMode"},
    FrozenField{apps, "ControllerRevision", "data"},
    FrozenField{apps, "DaemonSet", "spec.selector"},
    FrozenField{apps, "Deployment", "spec.selector"},
    FrozenField{apps, "ReplicaSet", "spec.selector"},
    FrozenField{batch, "Job", "spec.completionMode"},
    FrozenField{batch, "Job", "spec.podFailurePolicy"},
    FrozenField{batch, "Job", "spec.backoffLimitPerIndex"},
    FrozenField{batch, "Job", "spec.managedBy"},
    FrozenField{batch, "Job", "spec.successPolicy"},
    FrozenField{certificates, "ClusterTrustBundle", "spec.signerName"},
    FrozenField{certificates, "PodCertificateRequest", "spec"},
    declared("discovery.k8s.io", "EndpointSlice", "addressType"),
    FrozenField{networking, "IngressClass", "spec.controller"},
    FrozenField{networking, "IPAddress", "spec.parentRef"},
    declared("node.k8s.io", "RuntimeClass", "handler"),
    declared(devices, "ResourceClaim", "spec"),
    FrozenField{devices, "ResourceClaimTemplate", "spec"},
    FrozenField{devices, "ResourceSlice", "spec.pool.name"},
    FrozenField{devices, "ResourceSlice", "spec.driver"},
    FrozenField{devices, "ResourceSlice", "spec.nodeName"},
    FrozenField{scheduling, "PriorityClass", "value", "", "may not be changed in an update."},
    FrozenField{scheduling, "PriorityClass", "preemptionPolicy"},
    FrozenField{storage, "CSIDriver", "spec.attachRequired", "spec.attachedRequired"},
    FrozenField{storage, "CSIDriver", "spec.volumeLifecycleModes"},
    FrozenField{storage, "CSIStorageCapacity", "nodeTopology"},
    FrozenField{storage, "CSIStorageCapacity", "storageClassName"},
    declared(storage, "StorageClass", "parameters"),
    declared(storage, "StorageClass", "provisioner"),
    declared(storage, "StorageClass", "reclaimPolicy"),
    declared(storage, "StorageClass", "volumeBindingMode"),
    declared(storage, "VolumeAttachment", "spec"),
    FrozenField{"storagemigration.k8s.io", "StorageVersionMigration", "spec"},
    FrozenField{storage, "VolumeAttributesClass", "driverName", "", "updates to driverName are forbidden."},
    FrozenField{storage, "VolumeAttributesClass", "parameters", "", "updates to parameters are forbidden."},
};

}  // namespace

std::vector<FieldError> check_frozen_fields(const k8s::GroupKind& kind, const k8s::View& object,
                                            const k8s::View& old) {
  std::vector<FieldError> errors;
  for (const FrozenField& field : fields) {
    if (field.group != kind.group || field.kind != kind.kind || same_at(object, old, field.path)) continue;
    const std::string_view shown = field.shown.empty() ? field.path : field.shown;
    errors.push_back(
        field.forbidden.empty()
            ? FieldError::invalid(shown, field.shows_value ? value_at(object, field.path) : json::Value(),
                                  "field is immutable")
            : FieldError::forbidden(shown, field.forbidden));
  }
  return errors;
}

}  // namespace fairway::apiserver::resources
