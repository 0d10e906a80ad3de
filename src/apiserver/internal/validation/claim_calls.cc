// SPDX-License-Identifier: Apache-2.0

// Claims of volumes within Pods and workloads.
#include <algorithm>
#include <array>
#include <string>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/labels.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/quantity.h"

namespace fairway::apiserver::validation {
namespace {

/// Checks that the metadata of a template are labels and annotations.
void check_claim_template_metadata(const Scope& claim) {
  const Scope metadata = claim.child("metadata");
  check_annotations(metadata, "annotations", metadata.map("annotations"));
  check_labels(metadata, "labels");
  for (const std::string_view field :
       {"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation",
        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences",
        "finalizers", "managedFields"}) {
    if (metadata.has(field)) metadata.forbidden(field == "uid" ? "uID" : field, "cannot be set");
  }
}

void check_access_modes(const Scope& spec) {
  const std::vector<std::string_view> known{"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                            "ReadWriteOncePod"};
  bool for_one_pod = false, for_others = false;
  for (const std::string_view mode : spec.texts("accessModes")) {
    const bool is_known = std::ranges::find(known, mode) != known.end();
    if (!is_known) spec.not_supported("accessModes", json::Value(mode), known);
    for_one_pod = for_one_pod || mode == "ReadWriteOncePod";
    for_others = for_others || (is_known && mode != "ReadWriteOncePod");
  }
  if (for_one_pod && for_others)
    spec.forbidden("accessModes", "may not use ReadWriteOncePod with other access modes");
}

void check_claim_size(const Scope& spec) {
  const Path resources = spec.path().child("resources");
  const Scope at = spec.other(spec.json(), resources.key("storage"));
  const json::Value* size = spec.child("resources").child("requests").find("storage");
  if (size == nullptr) {
    at.required(".");
  } else if (Quantity::of(*size) <= Quantity()) {
    at.invalid(".", json::Value(quantity_text(*size)), "must be greater than zero");
  }
}

/// Returns whether a claim had a group in one of its sources before an update: what was accepted may stay.
bool had_source_groups(const json::Object* old) {
  return old != nullptr && (k8s::View(*old).has("spec.dataSource.apiGroup") ||
                            k8s::View(*old).has("spec.dataSourceRef.apiGroup"));
}

void check_data_source_group(const Scope& source) {
  const std::string_view group = source.text("apiGroup"), kind = source.text("kind");
  if (!group.empty()) {
    if (!had_source_groups(source.facts().old_object))
      source.faults("apiGroup", group, k8s::check_dns_subdomain(group));
  } else if (kind != "PersistentVolumeClaim") {
    source.invalid(".", json::Value(kind),
                   "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
}

void check_data_sources(const Scope& spec) {
  if (!spec.has("dataSource") || !spec.has("dataSourceRef")) return;
  const Scope source = spec.child("dataSource"), reference = spec.child("dataSourceRef");
  const json::Value shown(json::Object{});
  if (!reference.text("namespace").empty()) {
    spec.invalid(".", shown, "may not be specified when dataSourceRef.namespace is specified");
  } else if (source.value("apiGroup") != reference.value("apiGroup") ||
             source.text("kind") != reference.text("kind") || source.text("name") != reference.text("name")) {
    spec.invalid(".", shown, "must match dataSourceRef");
  }
}

constexpr std::array calls{
    NamedCall{"claim_template_metadata", &check_claim_template_metadata},
    NamedCall{"access_modes", &check_access_modes},
    NamedCall{"claim_size", &check_claim_size},
    NamedCall{"data_source_group", &check_data_source_group},
    NamedCall{"data_sources", &check_data_sources},
};

}  // namespace

std::span<const NamedCall> claim_calls() {
  return calls;
}

}  // namespace fairway::apiserver::validation
