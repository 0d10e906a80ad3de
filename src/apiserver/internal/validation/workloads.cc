// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/workloads.h"

#include <utility>

#include "apiserver/internal/validation/field_rules.h"
#include "apiserver/internal/validation/pod_facts.h"
#include "apiserver/internal/validation/pods.h"

namespace fairway::apiserver::validation {

std::vector<k8s::FieldError> check_workload(std::string_view type, const k8s::View& object,
                                            const k8s::View* old) {
  Errors errors;
  PodFacts facts{.is_update = old != nullptr};
  const k8s::View old_template =
      old == nullptr ? k8s::View(object)
                     : old->at(type == "CronJobSpec" ? "spec.jobTemplate.spec.template" : "spec.template");
  if (old != nullptr) {
    facts.old_template = &old_template.json();
    facts.old_schedule = old->text("spec.schedule");
    facts.old_time_zone = old->find_text("spec.timeZone");
    // An object that was stored before there was this rule can still be scaled.
    if (type == "StatefulSetSpec") {
      Errors before;
      check_type(type, Scope(old->at("spec").json(), Path("spec"), facts, before));
      facts.skips_template = !before.empty();
    }
  }
  check_type(type, Scope(object.at("spec").json(), Path("spec"), facts, errors));
  return std::move(errors).take();
}

std::vector<k8s::FieldError> check_template_object(const k8s::View& object, const k8s::View* old) {
  Errors errors;
  const k8s::View before = old != nullptr ? old->at("template") : object;
  check_pod_template(errors, object.at("template").json(), Path("template"),
                     old != nullptr ? &before.json() : nullptr);
  return std::move(errors).take();
}

}  // namespace fairway::apiserver::validation
