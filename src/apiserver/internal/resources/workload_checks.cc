// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/workload_checks.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/internal/resources/check_selector.h"
#include "apiserver/internal/resources/same_value.h"
#include "k8s/label_selector.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;

constexpr std::string_view selector_path = "spec.selector", labels_path = "spec.template.metadata.labels";

struct SelectorRules {
  /// Name of the kind in the error about an empty selector.
  std::string_view kind;
  bool is_required = true;
  /// Message about a selector that cannot be read; none: it is no error. Its template is not checked.
  std::optional<std::string_view> unusable = "";
};

std::vector<FieldError> check_selected(const Dynamic& object, const SelectorRules& rules) {
  const bool is_there = object.has(selector_path);
  std::vector<FieldError> errors;
  const json::Value written = value_at(object, selector_path);
  const auto selector = k8s::LabelSelector::from(is_there ? &written : nullptr, selector_path);
  const bool is_empty = is_there && selector && selector->is_everything();
  const auto check_template = [&] {
    if (!selector) {
      if (rules.unusable) errors.push_back(FieldError::invalid(selector_path, written, *rules.unusable));
    } else if (!selector->matches(object.map(labels_path))) {
      errors.push_back(FieldError::invalid(labels_path, value_at(object, labels_path),
                                           "`selector` does not match template `labels`"));
    }
  };
  if (is_there) {
    errors = check_selector(object.at(selector_path), std::string(selector_path), rules.is_required);
  } else if (rules.is_required) {
    errors.push_back(FieldError::required(selector_path, ""));
  }
  if (is_empty) {
    errors.push_back(FieldError::invalid(selector_path, written,
                                         "empty selector is invalid for " + std::string(rules.kind)));
  }
  check_template();
  return errors;
}

}  // namespace

std::vector<FieldError> check_deployment(const Dynamic& object, const Dynamic* /*old*/) {
  // ReplicaSets are called so, too.
  return check_selected(object, {.kind = "deployment", .unusable = "invalid label selector"});
}

std::vector<FieldError> check_daemon_set(const Dynamic& object, const Dynamic* /*old*/) {
  return check_selected(object, {.kind = "daemonset", .is_required = false, .unusable = std::nullopt});
}

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

std::vector<FieldError> check_stateful_set(const Dynamic& object, const Dynamic* old) {
  std::vector<FieldError> errors = check_selected(object, {.kind = "statefulset"});
  if (old == nullptr) return errors;
  Dynamic now(json::Object{{"spec", value_at(object, "spec")}}),
      before(json::Object{{"spec", value_at(*old, "spec")}});
  for (const std::string_view field :
       {"spec.replicas", "spec.ordinals", "spec.template", "spec.updateStrategy", "spec.revisionHistoryLimit",
        "spec.persistentVolumeClaimRetentionPolicy", "spec.minReadySeconds"}) {
    now.erase(field);
    before.erase(field);
  }
  erase_kinds_of_claims(now);
  erase_kinds_of_claims(before);
  if (!same_at(now, before, "spec")) {
    errors.push_back(FieldError::forbidden(
        "spec",
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
        "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
        "'minReadySeconds' are forbidden"));
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
