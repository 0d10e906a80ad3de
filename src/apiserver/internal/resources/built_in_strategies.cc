// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/built_in_strategies.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "apiserver/internal/resources/access_checks.h"
#include "apiserver/internal/resources/autoscaler_strategy.h"
#include "apiserver/internal/resources/certificate_request_strategy.h"
#include "apiserver/internal/resources/checked_strategy.h"
#include "apiserver/internal/resources/class_checks.h"
#include "apiserver/internal/resources/config_strategies.h"
#include "apiserver/internal/resources/device_taint_strategy.h"
#include "apiserver/internal/resources/event_strategy.h"
#include "apiserver/internal/resources/job_strategy.h"
#include "apiserver/internal/resources/pod_strategy.h"
#include "apiserver/internal/resources/service_strategy.h"
#include "apiserver/internal/resources/volume_strategies.h"
#include "apiserver/internal/resources/workload_checks.h"
#include "k8s/names.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;

/// The rules of Namespaces. A Namespace exists until its content is gone, for which the finalizer in its spec
/// stands.
class NamespaceStrategy final : public Strategy {
 public:
  void prepare_for_create(Dynamic& object) const override {
    add_finalizer(object);
    object.set("status.phase", "Active");
    prepare(object);
  }
  void prepare_for_update(Dynamic& object, const Dynamic& old, Part part) const override {
    prepare(object);
    if (part != Part::object) return;
    const json::Value* finalizers = old.find("spec.finalizers");
    if (finalizers != nullptr) object.set("spec.finalizers", json::Value(*finalizers));
  }

  std::vector<k8s::FieldError> validate(const Dynamic& object, const Dynamic*, Part part) const override {
    constexpr std::string_view path = "spec.finalizers";
    std::vector<k8s::FieldError> errors;
    if (part == Part::status) return errors;
    for (const std::string_view finalizer : object.texts(path)) {
      k8s::Faults faults = k8s::check_qualified_name(finalizer);
      const bool is_known =
          finalizer == own_finalizer || finalizer == "orphan" || finalizer == "foregroundDeletion";
      if (!is_known && finalizer.find('/') == std::string_view::npos)
        faults.emplace_back("name is neither a standard finalizer name nor is it fully qualified");
      for (const std::string& fault : faults)
        errors.push_back(k8s::FieldError::invalid(path, json::Value(finalizer), fault));
    }
    return errors;
  }

  // The name may have been generated after the preparation.
  void identify(Dynamic& object, std::string_view /*taken*/) const override { prepare(object); }

  std::string_view refusal_of_deletion(std::string_view name) const override {
    const bool is_protected = name == "default" || name == "kube-system" || name == "kube-public";
    return is_protected ? "this namespace may not be deleted" : std::string_view();
  }
  bool holds_deletion(const Dynamic& object) const override {
    return !object.texts("spec.finalizers").empty();
  }
  void mark_deleted(Dynamic& object) const override { object.set("status.phase", "Terminating"); }

 private:
  static constexpr std::string_view own_finalizer = "kubernetes";

  /// Adds the finalizer that stands for the content. Others stay: somebody else removes them.
  static void add_finalizer(Dynamic& object) {
    const auto given = object.texts("spec.finalizers");
    if (std::ranges::find(given, own_finalizer) != given.end()) return;
    object.array("spec.finalizers").emplace_back(own_finalizer);
  }
  static void prepare(Dynamic& object) {
    // A copy: the object is about to grow.
    const std::string name(object.name());
    object.set_label("kubernetes.io/metadata.name", name);
  }
};

struct CheckedKind {
  std::string_view group, kind;
  ObjectCheck check = nullptr;
  bool frozen_first = false;
  /// A type of the table of rules, or empty.
  std::string_view rules = {};
};

/// Returns a kind whose rules are those of the table, and `check`.
constexpr CheckedKind by_table(std::string_view group, std::string_view kind, ObjectCheck check = nullptr) {
  return {group, kind, check, false, kind};
}

constexpr std::string_view apps = "apps", rbac = "rbac.authorization.k8s.io", storage = "storage.k8s.io",
                           devices = "resource.k8s.io";
constexpr std::array checked_kinds{
    by_table("", "LimitRange"),
    CheckedKind{"", "PodTemplate", &check_template_of_pods},
    CheckedKind{"", "ReplicationController", &check_replication_controller},
    by_table("", "ResourceQuota"),
    CheckedKind{"apiregistration.k8s.io", "APIService", &check_api_service},
    CheckedKind{apps, "ControllerRevision", &check_controller_revision},
    CheckedKind{apps, "DaemonSet", &check_daemon_set, true},
    CheckedKind{apps, "Deployment", &check_deployment},
    CheckedKind{apps, "ReplicaSet", &check_replica_set},
    CheckedKind{apps, "StatefulSet", &check_stateful_set},
    CheckedKind{"batch", "CronJob", &check_cron_job},
    by_table("certificates.k8s.io", "ClusterTrustBundle"),
    CheckedKind{"certificates.k8s.io", "PodCertificateRequest"},
    CheckedKind{"discovery.k8s.io", "EndpointSlice", &check_endpoint_slice},
    by_table("coordination.k8s.io", "Lease"),
    by_table("networking.k8s.io", "Ingress"),
    by_table("networking.k8s.io", "IngressClass"),
    by_table("networking.k8s.io", "NetworkPolicy"),
    CheckedKind{"networking.k8s.io", "IPAddress"},
    by_table("node.k8s.io", "RuntimeClass"),
    by_table("policy", "PodDisruptionBudget"),
    CheckedKind{devices, "ResourceClaim"},
    CheckedKind{devices, "ResourceClaimTemplate"},
    CheckedKind{rbac, "ClusterRole", &check_cluster_role},
    CheckedKind{rbac, "ClusterRoleBinding", &check_cluster_role_binding},
    CheckedKind{rbac, "Role", &check_role},
    CheckedKind{rbac, "RoleBinding", &check_role_binding},
    CheckedKind{"scheduling.k8s.io", "PriorityClass", &check_priority_class},
    CheckedKind{storage, "CSIDriver"},
    CheckedKind{storage, "CSINode", &check_csi_node},
    CheckedKind{storage, "CSIStorageCapacity"},
    by_table(storage, "StorageClass", &check_storage_class),
    CheckedKind{storage, "VolumeAttachment"},
    CheckedKind{storage, "VolumeAttributesClass"},
    CheckedKind{"storagemigration.k8s.io", "StorageVersionMigration"},
};

std::shared_ptr<const Strategy> core_strategy(std::string_view kind) {
  if (kind == "ConfigMap") return config_map_strategy();
  if (kind == "Secret") return secret_strategy();
  if (kind == "Namespace") return std::make_shared<NamespaceStrategy>();
  if (kind == "Pod") return pod_strategy();
  if (kind == "Node") return node_strategy();
  if (kind == "Service") return service_strategy();
  if (kind == "PersistentVolume") return volume_strategy();
  if (kind == "PersistentVolumeClaim") return claim_strategy();
  return nullptr;
}

}  // namespace

std::shared_ptr<const Strategy> built_in_strategy(const k8s::GroupKind& kind) {
  if (kind.kind == "Event") return event_strategy(kind.group);
  if (kind.group.empty()) {
    if (auto strategy = core_strategy(kind.kind)) return strategy;
  }
  if (kind == k8s::GroupKind{"certificates.k8s.io", "CertificateSigningRequest"}) {
    return certificate_request_strategy();
  }
  if (kind.group == devices && (kind.kind == "DeviceTaintRule" || kind.kind == "ResourceSlice")) {
    return device_taint_strategy(kind.kind);
  }
  if (kind == k8s::GroupKind{"autoscaling", "HorizontalPodAutoscaler"}) return autoscaler_strategy();
  if (kind == k8s::GroupKind{"batch", "Job"}) return job_strategy();
  const auto* checked = std::ranges::find_if(checked_kinds, [&](const CheckedKind& one) {
    return one.group == kind.group && one.kind == kind.kind;
  });
  if (checked == checked_kinds.end()) return nullptr;
  return std::make_shared<CheckedStrategy>(kind, checked->check, checked->frozen_first, checked->rules);
}

}  // namespace fairway::apiserver::resources
