// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/built_in.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "apiserver/internal/kinds/resources.h"
#include "apiserver/internal/resources/built_in_strategies.h"
#include "base/text.h"

namespace fairway::apiserver::resources {
namespace {

enum Flag : unsigned {
  generation = 1,         ///< metadata.generation is kept
  unconditional = 2,      ///< updates need no resourceVersion
  create_on_update = 4,   ///< an update creates
  returns_deleted = 8,    ///< a delete returns the object
  path_segment_name = 16  ///< names need not be of DNS
};

struct Row {
  std::string_view group, plural;
  unsigned flags;
  /// Selectable fields besides metadata.name and metadata.namespace.
  std::string_view selectable = {};
};

constexpr std::string_view core;

/// Properties of resources by the strategies of k8s.io/kubernetes/pkg/registry; a resource without any is not
/// listed.
constexpr std::array rows{
    Row{core, "configmaps", unconditional},
    Row{core, "endpoints", unconditional | create_on_update},
    Row{core, "events", unconditional | create_on_update,
        "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid  "
        "involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath reason  "
        "reportingComponent source type"},
    Row{core, "limitranges", unconditional | create_on_update},
    Row{core, "namespaces", unconditional | returns_deleted, "status.phase"},
    Row{core, "nodes", unconditional, "spec.unschedulable"},
    Row{core, "persistentvolumeclaims", unconditional | returns_deleted},
    Row{core, "persistentvolumes", unconditional | returns_deleted},
    Row{core, "pods", unconditional | returns_deleted | generation,
        "spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName spec.hostNetwork  "
        "spec.host status.phase status.podIP status.podIPs status.nominatedNodeName"},
    Row{core, "podtemplates", unconditional | returns_deleted | generation},
    Row{core, "replicationcontrollers", generation | unconditional, "status.replicas"},
    Row{core, "resourcequotas", unconditional | returns_deleted},
    Row{core, "secrets", unconditional, "type"},
    Row{core, "serviceaccounts", unconditional | returns_deleted},
    Row{core, "services", unconditional | create_on_update | returns_deleted, "spec.clusterIP spec.type"},
    Row{"admissionregistration.k8s.io", "mutatingwebhookconfigurations", generation},
    Row{"admissionregistration.k8s.io", "validatingwebhookconfigurations", generation},
    Row{"admissionregistration.k8s.io", "validatingadmissionpolicies", generation},
    Row{"admissionregistration.k8s.io", "validatingadmissionpolicybindings", generation},
    Row{"apiextensions.k8s.io", "customresourcedefinitions", generation},
    Row{"apps", "controllerrevisions", unconditional},
    Row{"apps", "daemonsets", generation | unconditional},
    Row{"apps", "deployments", generation | unconditional},
    Row{"apps", "replicasets", generation | unconditional},
    Row{"apps", "statefulsets", generation | unconditional},
    Row{"autoscaling", "horizontalpodautoscalers", generation | unconditional},
    Row{"batch", "cronjobs", generation | unconditional},
    Row{"batch", "jobs", generation | unconditional, "status.successful"},
    Row{"certificates.k8s.io", "certificatesigningrequests", unconditional, "spec.signerName"},
    Row{"certificates.k8s.io", "clustertrustbundles", path_segment_name, "spec.signerName"},
    Row{"certificates.k8s.io", "podcertificaterequests", 0, "spec.signerName spec.podName spec.nodeName"},
    Row{"coordination.k8s.io", "leases", create_on_update},
    Row{"discovery.k8s.io", "endpointslices", generation | unconditional},
    Row{"events.k8s.io", "events", unconditional | create_on_update,
        "regarding.kind regarding.namespace regarding.name regarding.uid regarding.apiVersion  "
        "regarding.resourceVersion regarding.fieldPath reason reportingController type"},
    Row{"flowcontrol.apiserver.k8s.io", "flowschemas", generation | unconditional},
    Row{"flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", generation | unconditional},
    Row{"networking.k8s.io", "ingresses", generation | unconditional},
    Row{"networking.k8s.io", "ingressclasses", generation | unconditional},
    Row{"networking.k8s.io", "networkpolicies", generation | unconditional},
    Row{"policy", "poddisruptionbudgets", generation},
    Row{"rbac.authorization.k8s.io", "clusterrolebindings",
        unconditional | create_on_update | path_segment_name},
    Row{"rbac.authorization.k8s.io", "clusterroles", unconditional | create_on_update | path_segment_name},
    Row{"rbac.authorization.k8s.io", "rolebindings", unconditional | create_on_update | path_segment_name},
    Row{"rbac.authorization.k8s.io", "roles", unconditional | create_on_update | path_segment_name},
    Row{"resource.k8s.io", "deviceclasses", generation | unconditional | returns_deleted},
    Row{"resource.k8s.io", "devicetaintrules", generation},
    Row{"resource.k8s.io", "resourceclaims", unconditional | returns_deleted},
    Row{"resource.k8s.io", "resourceclaimtemplates", unconditional | returns_deleted},
    Row{"resource.k8s.io", "resourceslices", generation | unconditional | returns_deleted,
        "spec.nodeName spec.driver spec.pool.name"},
    Row{"scheduling.k8s.io", "priorityclasses", generation | unconditional},
    Row{"storage.k8s.io", "storageclasses", unconditional},
};

/// Subresources that are served, and their handlers.
constexpr std::array<std::pair<std::string_view, Handler>, 13> served_subresources{
    {{"status", Handler::objects},
     {"finalize", Handler::objects},
     {"approval", Handler::objects},
     {"ephemeralcontainers", Handler::objects},
     {"resize", Handler::objects},
     {"token", Handler::token},
     {"scale", Handler::scale},
     {"binding", Handler::binding},
     {"eviction", Handler::eviction},
     {"log", Handler::log},
     {"exec", Handler::stream},
     {"attach", Handler::stream},
     {"portforward", Handler::stream}}};

std::vector<std::string> words(std::string_view text, char separator) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, separator)) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

/// Returns a resource with the facts that discovery shows.
ServedResource described(const kinds::BuiltInResource& known) {
  ServedResource made;
  made.kind = known.kind;
  made.plural = known.plural;
  made.singular = known.singular;
  made.short_names = known.short_names;
  made.categories = known.categories;
  made.scope = known.scope;
  made.verbs = known.verbs;
  for (const kinds::BuiltInSubresource& subresource : known.subresources) {
    const auto* served =
        std::ranges::find(served_subresources, subresource.name, [](const auto& one) { return one.first; });
    if (served == served_subresources.end()) continue;
    made.subresources.push_back({subresource.name, subresource.kind, subresource.verbs, served->second});
  }
  if (made.find_subresource("scale") != nullptr) {
    made.scale = ScalePaths{"spec.replicas", "status.replicas", "spec.selector"};
  }
  made.storage_version_hash = known.storage_version_hash;
  return made;
}

ServedResource made_of(const kinds::BuiltInResource& known) {
  ServedResource made = described(known);
  const kinds::BuiltInResource& stored = *kinds::find_built_in(known.storage);
  made.storage_kind = stored.kind;
  made.storage = stored.kind.group.empty() ? stored.plural : stored.kind.group + "/" + stored.plural;
  const auto* row = std::ranges::find_if(
      rows, [&](const Row& one) { return one.group == known.kind.group && one.plural == known.plural; });
  if (row != rows.end()) {
    const auto has = [&](Flag flag) { return (row->flags & flag) != 0; };
    made.has_generation = has(generation);
    made.unconditional_update = has(unconditional);
    made.create_on_update = has(create_on_update);
    made.returns_deleted = has(returns_deleted);
    made.selectable_fields = words(row->selectable, ' ');
    if (has(path_segment_name)) made.check_name = &k8s::check_path_name;
  }
  made.patch_schema = k8s::PatchSchema::of(made.kind.group_kind());
  made.columns = table::built_in_columns(made.kind.group_kind());
  if (auto strategy = built_in_strategy(made.kind.group_kind())) made.strategy = std::move(strategy);
  return made;
}

/// Kinds of which a write of the status changes no labels and annotations.
constexpr std::array<std::string_view, 11> status_alone{"APIService",
                                                        "CSINode",
                                                        "DeviceTaintRule",
                                                        "FlowSchema",
                                                        "ResourceClaim",
                                                        "PodCertificateRequest",
                                                        "ServiceCIDR",
                                                        "PriorityLevelConfiguration",
                                                        "VolumeAttachment",
                                                        "StorageVersionMigration",
                                                        "ValidatingAdmissionPolicy"};

void add_particulars(ServedResource& made) {
  const auto is = [kind = made.kind.group_kind()](const char* group, const char* name) {
    return kind == k8s::GroupKind{group, name};
  };
  if (is("", "Namespace") || is("apps", "StatefulSet")) made.check_name = &k8s::check_dns_label;
  if (is("", "Service")) made.check_name = &k8s::check_dns_label;
  // "v1." has an empty group.
  if (is("apiregistration.k8s.io", "APIService")) made.check_name = &k8s::check_path_name;
  made.status_is_all = std::ranges::find(status_alone, made.kind.kind) != status_alone.end();
  made.orphans_by_default = is("", "ReplicationController") || is("batch", "Job");
  made.status_has_labels = !made.status_is_all && !is("apps", "Deployment");
  if (is("apps", "Deployment")) made.annotations_count = true;
  // The only one that is served and deprecated.
  if (is("", "Endpoints")) {
    made.deprecation = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
  }
}

/// Returns whether a resource is stored in its own version, or a strategy converts it.
bool is_convertible(const kinds::BuiltInResource& known) {
  return known.storage == known.resource() || known.kind.kind == "Event" ||
         known.kind.kind == "HorizontalPodAutoscaler";
}

}  // namespace

std::vector<ServedResource> stored_built_in_resources() {
  std::vector<ServedResource> resources;
  for (const kinds::BuiltInResource& known : kinds::built_in_resources()) {
    if (known.storage_version_hash.empty() || !is_convertible(known)) continue;
    ServedResource made = made_of(known);
    add_particulars(made);
    resources.push_back(std::move(made));
  }
  return resources;
}

const std::vector<ServedResourcePtr>& built_in_reviews() {
  static const std::vector<ServedResourcePtr> reviews = [] {
    std::vector<ServedResourcePtr> made;
    for (const kinds::BuiltInResource& known : kinds::built_in_resources()) {
      const std::string& group = known.kind.group;
      const bool is_binding = group.empty() && known.kind.kind == "Binding";
      if (group != "authentication.k8s.io" && group != "authorization.k8s.io" && !is_binding) continue;
      ServedResource review = described(known);
      review.handler = is_binding ? Handler::binding : Handler::review;
      made.push_back(std::make_shared<const ServedResource>(std::move(review)));
    }
    return made;
  }();
  return reviews;
}

ServedResourcePtr find_review(const k8s::GroupVersionResource& resource) {
  const auto found = std::ranges::find_if(built_in_reviews(), [&](const ServedResourcePtr& review) {
    return review->group_version_resource() == resource;
  });
  return found != built_in_reviews().end() ? *found : nullptr;
}

}  // namespace fairway::apiserver::resources
