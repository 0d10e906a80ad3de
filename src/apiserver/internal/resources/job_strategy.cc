// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/job_strategy.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "apiserver/internal/resources/frozen_fields.h"
#include "apiserver/internal/resources/same_value.h"
#include "apiserver/internal/validation/check_selector.h"
#include "apiserver/internal/validation/workloads.h"
#include "k8s/label_selector.h"
#include "k8s/names.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;

constexpr std::string_view labels_path = "spec.template.metadata.labels", selector_path = "spec.selector",
                           template_path = "spec.template", completions_path = "spec.completions";
/// Labels of a Job's Pods. Those without a prefix exist for older programs.
constexpr std::array<std::string_view, 2> uid_labels{"controller-uid", "batch.kubernetes.io/controller-uid"};
constexpr std::array<std::string_view, 2> name_labels{"job-name", "batch.kubernetes.io/job-name"};

bool is_generated(const Dynamic& object) {
  return !object.flag("spec.manualSelector");
}

class JobStrategy final : public Strategy {
 public:
  void identify(Dynamic& object, std::string_view taken) const override {
    if (!is_generated(object)) return;
    const std::string uid(object.uid()), name(object.name());
    const auto give = [&](std::string_view label, const std::string& value) {
      const auto now = object.map(labels_path).find(label);
      // A label that the author has written is left to `validate`.
      if (!now || (!taken.empty() && *now == taken)) object.set_entry(labels_path, label, value);
    };
    for (const std::string_view label : uid_labels) give(label, uid);
    for (const std::string_view label : name_labels) give(label, name);
    // A Job without labels has those of its template: so it is selected by them. Of a name that is too long
    // for a label the template alone speaks.
    constexpr std::size_t longest = 63;
    const auto own = object.map("metadata.labels").find(name_labels.back());
    if (name.size() <= longest && (object.map("metadata.labels").empty() || (!taken.empty() && own == taken)))
      object.set("metadata.labels", json::Value(*object.find(labels_path)));
    constexpr std::string_view selected = "spec.selector.matchLabels";
    if (!object.map(selected).find(uid_labels.back())) object.set_entry(selected, uid_labels.back(), uid);
  }

  std::vector<FieldError> validate(const Dynamic& object, const Dynamic* old, Part part) const override {
    if (part != Part::object) return {};
    return old == nullptr ? check_job(object, nullptr) : check_change(object, *old);
  }

 private:
  static std::vector<FieldError> check_change(const Dynamic& object, const Dynamic& old) {
    std::vector<FieldError> errors = check_job(object, &old);
    check_completions(errors, object, old);
    if (!same_at(object, old, selector_path)) {
      errors.push_back(
          FieldError::invalid(selector_path, value_at(object, selector_path), "field is immutable"));
    }
    check_template(errors, object, old);
    for (FieldError& error : check_frozen_fields({"batch", "Job"}, object, old))
      errors.push_back(std::move(error));
    return errors;
  }

  static bool is_indexed(const Dynamic& object) { return object.text("spec.completionMode") == "Indexed"; }

  static void check_completions(std::vector<FieldError>& errors, const Dynamic& object, const Dynamic& old) {
    if (same_at(object, old, completions_path)) return;
    const json::Value now = value_at(object, completions_path);
    if (!is_indexed(object)) {
      errors.push_back(FieldError::invalid(completions_path, now, "field is immutable"));
    } else if (!now.is_null() && !same_value(&now, object.find("spec.parallelism"))) {
      errors.push_back(
          FieldError::invalid(completions_path, now, "can only be modified in tandem with spec.parallelism"));
    }
  }

  /// Returns whether no Pod exists that was made from the template.
  static bool is_template_free(const Dynamic& old) {
    const auto conditions = old.items("status.conditions");
    const bool has_suspended = std::ranges::any_of(conditions, [](const k8s::View& one) {
      return one.text("type") == "Suspended" && one.text("status") == "True";
    });
    return old.flag("spec.suspend") && (!old.has("status.startTime") || has_suspended) &&
           old.integer("status.active") == 0;
  }

  /// Checks that a template does not change, except for the placement and the resources of the Pods of a Job
  /// that waits.
  static void check_template(std::vector<FieldError>& errors, const Dynamic& object, const Dynamic& old) {
    Dynamic now(json::Object{{"spec", json::Object{{"template", value_at(object, template_path)}}}}),
        before(json::Object{{"spec", json::Object{{"template", value_at(old, template_path)}}}});
    std::string_view shown = template_path;
    if (is_template_free(old)) {
      shown = "spec.template.spec";
      for (Dynamic* one : {&now, &before}) {
        for (const std::string_view path :
             {"spec.template.spec.nodeSelector", "spec.template.spec.tolerations",
              "spec.template.spec.schedulingGates", "spec.template.spec.affinity.nodeAffinity",
              "spec.template.metadata"}) {
          one->erase(path);
        }
        for (const std::string_view list :
             {"spec.template.spec.containers", "spec.template.spec.initContainers"}) {
          for (k8s::Editor container : one->edit_items(list)) container.erase("resources");
        }
      }
    }
    if (same_at(now, before, template_path)) return;
    errors.push_back(FieldError::invalid(shown, value_at(object, shown), "field is immutable"));
  }

  /// Checks a Job as it is; `old` is null for a create.
  static std::vector<FieldError> check_job(const Dynamic& object, const Dynamic* old) {
    std::vector<FieldError> errors;
    const auto selector = k8s::LabelSelector::from(object.find(selector_path), selector_path);
    // An update is not held to what was generated.
    if (old == nullptr && is_generated(object) && object.has(selector_path)) {
      json::Object expected;
      for (std::size_t i = 0; i < uid_labels.size(); ++i) {
        check_label(errors, object, uid_labels[i], object.uid());
        check_label(errors, object, name_labels[i], object.name());
        expected[uid_labels[i]] = object.uid();
        expected[name_labels[i]] = object.name();
      }
      if (selector && !selector->matches(k8s::StringMap(&expected))) {
        errors.push_back(FieldError::invalid(selector_path, value_at(object, selector_path),
                                             "`selector` not auto-generated"));
      }
    }
    for (FieldError& error : validation::check_workload("JobSpec", object, old))
      errors.push_back(std::move(error));
    check_selected(errors, object);
    check_pod_name(errors, object);
    return errors;
  }

  static void check_selected(std::vector<FieldError>& errors, const Dynamic& object) {
    if (!object.has(selector_path)) {
      errors.push_back(FieldError::required(selector_path, ""));
    } else {
      for (FieldError& error :
           validation::check_selector(object.at(selector_path), std::string(selector_path), true))
        errors.push_back(std::move(error));
    }
    const auto selector = k8s::LabelSelector::from(object.find(selector_path), selector_path);
    if (!selector) return;
    if (!selector->matches(object.map(labels_path))) {
      errors.push_back(FieldError::invalid(labels_path, value_at(object, labels_path),
                                           "`selector` does not match template `labels`"));
    }
  }

  /// Checks the longest name of an indexed Job's Pods, which is that of the last one.
  static void check_pod_name(std::vector<FieldError>& errors, const Dynamic& object) {
    const std::int64_t completions = object.integer(completions_path);
    if (!is_indexed(object) || completions <= 0) return;
    const std::string longest = std::string(object.name()) + "-" + std::to_string(completions - 1);
    if (k8s::check_dns_label(longest).empty()) return;
    errors.push_back(FieldError::invalid("metadata.name", json::Value(object.name()),
                                         "will not able to create pod with invalid DNS label: " + longest));
  }

  static void check_label(std::vector<FieldError>& errors, const Dynamic& object, std::string_view label,
                          std::string_view wanted) {
    const auto found = object.map(labels_path).find(label);
    if (found && *found == wanted) return;
    const std::string path = std::string(labels_path) + "[" + std::string(label) + "]";
    const std::string why = "must be '" + std::string(wanted) + "'";
    if (!found) {
      errors.push_back(FieldError::required(path, why));
    } else {
      errors.push_back(FieldError::invalid(path, *object.find(labels_path), why));
    }
  }
};

}  // namespace

std::shared_ptr<const Strategy> job_strategy() {
  return std::make_shared<JobStrategy>();
}

}  // namespace fairway::apiserver::resources
