// SPDX-License-Identifier: Apache-2.0

#include "k8s/kinds/readiness.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "k8s/condition.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/internal/kinds/openapi_apiextensions.h"
#include "k8s/kinds/api_service.h"
#include "k8s/kinds/workloads.h"

namespace fairway::k8s {

namespace {

/// Returns "2 of 3 replicas".
std::string part(std::int64_t some, std::int64_t all, const char* what) {
  return std::to_string(some) + " of " + std::to_string(all) + " " + what + (all == 1 ? "" : "s");
}

/// Returns "1 old replica is pending termination".
std::string pending_termination(std::int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? " is" : "s are") + " pending termination";
}

/// Returns "Established is False: Installing: the initial names have been accepted".
std::string described(std::string_view type, const std::optional<Condition>& condition) {
  if (!condition) return "the condition " + std::string(type) + " is not set";
  std::string text = std::string(type) + " is " + std::string(to_string(condition->status()));
  for (const std::string_view more : {condition->reason(), condition->message()}) {
    if (!more.empty()) text.append(": ").append(more);
  }
  return text;
}

constexpr const char* not_observed = "the controller has not observed the latest spec";

Readiness of(const Deployment& deployment) {
  if (deployment.generation() > deployment.observed_generation()) return Readiness::waiting(not_observed);
  const auto progressing = deployment.condition("Progressing");
  if (progressing && progressing->reason() == "ProgressDeadlineExceeded") {
    return Readiness::failed(described("Progressing", progressing));
  }
  const std::int64_t wanted = deployment.replicas(), updated = deployment.updated_replicas();
  if (updated < wanted) {
    return Readiness::waiting(part(updated, wanted, "replica") + (wanted == 1 ? " is" : " are") + " updated" +
                              (deployment.paused() ? ", and the rollout is paused" : ""));
  }
  if (deployment.status_replicas() > updated) {
    return Readiness::waiting(pending_termination(deployment.status_replicas() - updated, "old replica"));
  }
  if (deployment.available_replicas() < updated) {
    return Readiness::waiting(part(deployment.available_replicas(), updated, "updated replica") +
                              (updated == 1 ? " is" : " are") + " available");
  }
  return Readiness::ready();
}

Readiness of(const DaemonSet& set) {
  if (set.generation() > set.observed_generation()) return Readiness::waiting(not_observed);
  const std::int64_t desired = set.desired();
  const char* verb = desired == 1 ? " is" : " are";
  // With OnDelete, pods are updated when they are deleted; the existing ones must be ready.
  const bool updates = set.update_strategy() != "OnDelete";
  if (updates && set.updated() < desired) {
    return Readiness::waiting(part(set.updated(), desired, "pod") + verb + " updated");
  }
  if (set.available() < desired) {
    return Readiness::waiting(part(set.available(), desired, "pod") + verb + " available");
  }
  return Readiness::ready();
}

Readiness of(const StatefulSet& set) {
  // kubectl asks for an observed generation here even where the object's is 0.
  if (set.observed_generation() == 0 || set.generation() > set.observed_generation()) {
    return Readiness::waiting(not_observed);
  }
  const std::int64_t wanted = set.replicas();
  if (set.ready_replicas() < wanted) {
    return Readiness::waiting(part(set.ready_replicas(), wanted, "pod") + (wanted == 1 ? " is" : " are") +
                              " ready");
  }
  if (set.update_strategy() == "OnDelete") return Readiness::ready();
  if (set.has("spec.updateStrategy.rollingUpdate")) {
    const std::int64_t to_update = wanted - set.partition();
    if (set.updated_replicas() < to_update) {
      return Readiness::waiting(part(set.updated_replicas(), to_update, "pod") +
                                (to_update == 1 ? " is" : " are") + " updated");
    }
    return Readiness::ready();
  }
  if (set.update_revision() != set.current_revision()) {
    return Readiness::waiting(part(set.updated_replicas(), wanted, "pod") + (wanted == 1 ? " is" : " are") +
                              " at the revision " + std::string(set.update_revision()));
  }
  return Readiness::ready();
}

Readiness of(const Job& job) {
  // FailureTarget: it has failed, and its pods are being ended.
  for (const char* type : {"Failed", "FailureTarget"}) {
    if (const auto failed = job.condition(type); failed && failed->is_true()) {
      return Readiness::failed(described(type, failed));
    }
  }
  if (job.is_complete()) return Readiness::ready();
  if (job.suspended()) return Readiness::waiting("the Job is suspended");
  std::string text = job.completions() ? part(job.succeeded(), *job.completions(), "pod") + " succeeded"
                                       : std::to_string(job.succeeded()) + " succeeded";
  text += ", " + std::to_string(job.active()) + " active";
  if (job.failed() > 0) text += ", " + std::to_string(job.failed()) + " failed";
  return Readiness::waiting(std::move(text));
}

Readiness of(const Checked<Dynamic, openapi::custom_resource_definition>& definition) {
  const auto accepted = definition.condition("NamesAccepted");
  if (accepted && accepted->is_false()) {
    // Servers before 1.35 do not say which generation a condition is about. It may be about any: a spec that
    // was corrected must not fail for what was wrong before.
    const bool current = accepted->observed_generation().value_or(1) >= definition.generation();
    auto reason = described("NamesAccepted", accepted);
    return current ? Readiness::failed(std::move(reason)) : Readiness::waiting(std::move(reason));
  }
  const auto established = definition.condition("Established");
  if (established && established->is_true()) return Readiness::ready();
  return Readiness::waiting(described("Established", established));
}

Readiness of(const APIService& service) {
  if (service.is_available()) return Readiness::ready();
  return Readiness::waiting(described("Available", service.condition("Available")));
}

bool is_kind(const GroupVersionKind& kind, const Resource& resource) {
  return kind.group == resource.group && kind.kind == resource.kind;
}

}  // namespace

Readiness readiness(const Dynamic& object) {
  if (object.is_being_deleted()) return Readiness::waiting("the object is being deleted");
  const GroupVersionKind kind = object.group_version_kind();
  if (is_kind(kind, Deployment::resource)) return of(Deployment(object.json()));
  if (is_kind(kind, DaemonSet::resource)) return of(DaemonSet(object.json()));
  if (is_kind(kind, StatefulSet::resource)) return of(StatefulSet(object.json()));
  if (is_kind(kind, Job::resource)) return of(Job(object.json()));
  if (is_kind(kind, APIService::resource)) return of(APIService(object.json()));
  if (is_kind(kind, CustomResourceDefinition::resource)) {
    return of(Checked<Dynamic, openapi::custom_resource_definition>(object.json()));
  }
  return Readiness::ready();
}

}  // namespace fairway::k8s
