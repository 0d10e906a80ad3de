// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "apiserver/internal/admission/policy.h"
#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/objects.h"

namespace fairway::apiserver::admission {

namespace {

using Params = std::expected<std::vector<json::Value>, std::string>;

Result<k8s::LabelSelector> selector_of(const k8s::Dynamic& binding) {
  if (!binding.has("spec.paramRef.selector")) return k8s::LabelSelector::nothing();
  return k8s::LabelSelector::from(binding.find("spec.paramRef.selector"), "spec.paramRef.selector");
}

}  // namespace

PolicyBinding::PolicyBinding(const k8s::Dynamic& binding)
    : name_(binding.name()),
      policy_(binding.text("spec.policyName")),
      has_params_(binding.has("spec.paramRef")),
      denies_without_(binding.text("spec.paramRef.parameterNotFoundAction") != "Allow"),
      param_name_(binding.text("spec.paramRef.name")),
      param_namespace_(binding.text("spec.paramRef.namespace")),
      has_selector_(binding.has("spec.paramRef.selector")),
      param_selector_(selector_of(binding)) {
  for (const std::string_view action : binding.texts("spec.validationActions")) actions_.emplace_back(action);
  if (binding.has("spec.matchResources")) {
    constraints_.emplace(binding.at("spec.matchResources"), "resourceRules", true);
  }
}

bool PolicyBinding::has_action(std::string_view action) const {
  return std::ranges::find(actions_, action) != actions_.end();
}

k8s::StatusResult<bool> PolicyBinding::match(const Attributes& attributes, const Sources& sources) const {
  if (!constraints_) return true;
  const auto matched = constraints_->match(attributes, sources);
  if (!matched) return std::unexpected(matched.error());
  return matched->has_value();
}

Params PolicyBinding::find_params(const Policy& policy, const resources::ServedResource* param_resource,
                                  const Attributes& attributes, const Sources& sources) const {
  if (!policy.param_kind() || !has_params_) return std::vector<json::Value>(1);
  const bool is_namespaced = param_resource->is_namespaced();
  std::string place;
  if (is_namespaced) {
    place = param_namespace_.empty() ? attributes.namespace_name : param_namespace_;
    if (place.empty()) {
      return std::unexpected(
          "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
    }
  } else if (!param_namespace_.empty()) {
    return std::unexpected("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  std::vector<storage::RecordPtr> records;
  if (!param_name_.empty()) {
    const auto record = sources.storage.get(objects::storage_key(*param_resource, {place, param_name_}));
    if (!record) return std::unexpected(record.error().error.message);
    if (*record != nullptr) records.push_back(*record);
  } else if (!has_selector_) {
    return std::unexpected("one of name or selector must be provided");
  } else {
    if (!param_selector_) return std::unexpected(param_selector_.error().message);
    auto list = sources.storage.list({.resource = param_resource->storage, .namespace_name = place});
    if (!list) return std::unexpected(list.error().error.message);
    records = std::move(list->records);
  }
  std::vector<json::Value> params;
  for (const storage::RecordPtr& record : records) {
    auto object = objects::object_in_version(*record, *param_resource);
    if (!object) return std::unexpected(std::string(object.error().message()));
    if (param_name_.empty() && !param_selector_->matches(object->labels())) continue;
    params.emplace_back(object->json());
  }
  if (params.empty() && denies_without_) {
    return std::unexpected("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return params;
}

}  // namespace fairway::apiserver::admission
