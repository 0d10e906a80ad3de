// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/pods.h"

#include <utility>

#include "apiserver/internal/validation/calls.h"
#include "apiserver/internal/validation/facts_of.h"
#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/labels.h"
#include "apiserver/internal/validation/pod_annotations.h"
#include "apiserver/internal/validation/pod_changes.h"

namespace fairway::apiserver::validation {
namespace {

/// Checks what a Pod must be at any time.
void check_pod(const Scope& pod) {
  const Scope metadata = pod.child("metadata"), spec = pod.child("spec");
  check_pod_annotations(metadata, metadata.map("annotations"), spec);
  check_type("PodSpec", spec);
  find_call("token_accounts")(spec);
  find_call("image_blanks")(spec);
}

}  // namespace

std::vector<k8s::FieldError> check_new_pod(const k8s::View& pod) {
  Errors errors;
  const PodFacts facts = facts_of(pod.at("spec").json(), true, pod.text("metadata.name"), nullptr);
  const Scope root(pod.json(), Path(), facts, errors);
  check_pod(root);
  const Scope spec = root.child("spec");
  if (!spec.list("ephemeralContainers").empty())
    spec.forbidden("ephemeralContainers", "cannot be set on create");
  if (!spec.text("nodeName").empty() && !spec.list("schedulingGates").empty())
    spec.forbidden("nodeName", "cannot be set until all schedulingGates have been cleared");
  check_profiles_agree(pod.map("metadata.annotations"), spec);
  return std::move(errors).take();
}

namespace {

/// Checks what a Pod must be after a change, and its spec by `check_change`.
template <class Check>
std::vector<k8s::FieldError> check_changed(const k8s::View& pod, const k8s::View& old, Check check_change) {
  Errors errors;
  const k8s::View old_spec = old.at("spec");
  PodFacts facts = facts_of(pod.at("spec").json(), true, pod.text("metadata.name"), &old_spec.json());
  facts.allows_bad_deletion_cost = has_bad_deletion_cost(old.map("metadata.annotations"));
  const Scope root(pod.json(), Path(), facts, errors);
  check_pod(root);
  check_annotation_changes(root.child("metadata"), pod.map("metadata.annotations"),
                           old.map("metadata.annotations"));
  check_change(root.child("spec"), old_spec.json());
  return std::move(errors).take();
}

}  // namespace

std::vector<k8s::FieldError> check_pod_values(const k8s::View& pod, const k8s::View& old) {
  return check_changed(pod, old, [](const Scope&, const json::Object&) {});
}

std::vector<k8s::FieldError> check_pod_update(const k8s::View& pod, const k8s::View& old) {
  return check_changed(pod, old, check_pod_changes);
}

void check_pod_template(Errors& errors, const json::Object& pod_template, const Path& path,
                        const json::Object* old) {
  const k8s::View view(pod_template);
  const json::Object* old_spec = old != nullptr ? &k8s::View(*old).at("spec").json() : nullptr;
  PodFacts facts = facts_of(view.at("spec").json(), false, "", old_spec);
  if (old != nullptr)
    facts.allows_bad_deletion_cost = has_bad_deletion_cost(k8s::View(*old).map("metadata.annotations"));
  const Scope at(pod_template, path, facts, errors);
  const k8s::StringMap annotations = view.map("metadata.annotations");
  // Kubernetes leaves the metadata out of these paths.
  check_labels(at, "labels", view.map("metadata.labels"));
  check_annotations(at, "annotations", annotations);
  const Scope spec = at.child("spec");
  check_pod_annotations(at, annotations, spec);
  check_type("PodSpec", spec);
  check_profiles_agree(annotations, spec);
  if (!spec.list("ephemeralContainers").empty())
    spec.forbidden("ephemeralContainers", "ephemeral containers not allowed in pod template");
}

}  // namespace fairway::apiserver::validation
