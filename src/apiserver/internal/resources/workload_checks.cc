// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/workload_checks.h"

#include <string_view>
#include <utility>

#include "apiserver/internal/resources/same_value.h"
#include "apiserver/internal/validation/workloads.h"

namespace fairway::apiserver::resources {

using k8s::Dynamic;
using k8s::FieldError;

std::vector<FieldError> check_deployment(const Dynamic& object, const Dynamic* old) {
  return validation::check_workload("DeploymentSpec", object, old);
}

std::vector<FieldError> check_replica_set(const Dynamic& object, const Dynamic* old) {
  return validation::check_workload("ReplicaSetSpec", object, old);
}

std::vector<FieldError> check_daemon_set(const Dynamic& object, const Dynamic* old) {
  return validation::check_workload("DaemonSetSpec", object, old);
}

std::vector<FieldError> check_replication_controller(const Dynamic& object, const Dynamic* old) {
  return validation::check_workload("ReplicationControllerSpec", object, old);
}

std::vector<FieldError> check_template_of_pods(const Dynamic& object, const Dynamic* old) {
  return validation::check_template_object(object, old);
}

std::vector<FieldError> check_cron_job(const Dynamic& object, const Dynamic* old) {
  // The time in the name of its Jobs has 11 characters, and a Job's name at most 63.
  constexpr std::size_t longest = 52;
  std::vector<FieldError> errors = validation::check_workload("CronJobSpec", object, old);
  if (old == nullptr && object.name().size() > longest) {
    errors.push_back(FieldError::invalid("metadata.name", json::Value(object.name()),
                                         "must be no more than 52 characters"));
  }
  return errors;
}

namespace {

/// Removes the kinds of claim templates: they are all of one kind, which the server would fill in.
void erase_kinds_of_claims(Dynamic& object) {
  constexpr std::string_view path = "spec.volumeClaimTemplates";
  const json::Value* const written = object.find(path);
  if (written == nullptr || !written->is_array()) return;
  json::Array templates = written->get_array();
  for (json::Value& one : templates) {
    if (!one.is_object()) continue;
    one.get_object().erase("apiVersion");
    one.get_object().erase("kind");
  }
  object.set(path, std::move(templates));
}

}  // namespace

std::vector<FieldError> check_stateful_set(const Dynamic& object, const Dynamic* old) {
  std::vector<FieldError> errors = validation::check_workload("StatefulSetSpec", object, old);
  if (old == nullptr) return errors;
  constexpr std::string_view claims = "spec.volumeClaimTemplates";
  for (const std::string_view field :
       {std::string_view("spec.selector"), claims, std::string_view("spec.serviceName"),
        std::string_view("spec.podManagementPolicy")}) {
    bool is_same = same_at(object, *old, field);
    if (!is_same && field == claims) {
      Dynamic now(json::Object{{"spec", value_at(object, "spec")}}),
          before(json::Object{{"spec", value_at(*old, "spec")}});
      erase_kinds_of_claims(now);
      erase_kinds_of_claims(before);
      is_same = same_at(now, before, field);
    }
    if (!is_same) errors.push_back(FieldError::invalid(field, value_at(object, field), "field is immutable"));
  }
  return errors;
}

std::vector<FieldError> check_controller_revision(const Dynamic& object, const Dynamic* old) {
  std::vector<FieldError> errors;
  if (object.integer("revision") < 0) {
    errors.push_back(
        FieldError::invalid("revision", value_at(object, "revision"), "must be greater than or equal to 0"));
  }
  if (old != nullptr) return errors;
  if (!object.has("data")) {
    errors.push_back(FieldError::required("data", "data is mandatory"));
  } else if (!object.find("data")->is_object()) {
    errors.push_back(FieldError::required("data", "data must be a valid JSON object"));
  }
  return errors;
}

}  // namespace fairway::apiserver::resources
