// SPDX-License-Identifier: Apache-2.0

// The policies of a request: they see the object as it would be stored.
#include <algorithm>
#include <map>
#include <utility>

#include "apiserver/internal/admission/request_admission.h"
#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/objects.h"
#include "base/text.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::admission {

namespace {

constexpr std::string_view failure_annotation = "validation.policy.admission.k8s.io/validation_failure";

int code_of(std::string_view reason) {
  if (reason == k8s::reason::forbidden) return 403;
  if (reason == k8s::reason::unauthorized) return 401;
  return reason == k8s::reason::request_entity_too_large ? 413 : 422;
}

k8s::Status denial(const Attributes& attributes, const std::string& message, std::string_view reason) {
  std::string name = attributes.name;
  if (name.empty() && attributes.object != nullptr) name = attributes.object->generate_name();
  k8s::StatusFields fields =
      k8s::answer::forbidden(attributes.resource.group_resource(), name.empty() ? "Unknown" : name, message)
          .fields();
  fields.reason = reason.empty() ? k8s::reason::invalid : reason;
  fields.code = code_of(fields.reason);
  if (fields.details) fields.details->causes.push_back({.reason = {}, .message = message, .field = {}});
  return k8s::Status::of(fields);
}

/// Returns a Namespace as expressions see it.
json::Value shown_namespace(const k8s::Dynamic& object) {
  k8s::Dynamic shown;
  for (const char* member : {"metadata", "spec", "status"}) {
    if (const json::Value* value = object.find(member)) shown.set(member, json::Value(*value));
  }
  return json::Value(shown.json());
}

std::string kind_text(const k8s::GroupVersionKind& kind) {
  return (kind.group.empty() ? "/" : kind.group + "/") + kind.version + ", Kind=" + kind.kind;
}

std::string name_in_texts(const Policy& policy) {
  return "ValidatingAdmissionPolicy '" + policy.name() + "'";
}

/// Collects the results of one policy for one write.
class PolicyRun {
 public:
  PolicyRun(const Policy& policy, const Attributes& attributes, Notes& notes,
            std::optional<k8s::Status>& denied)
      : policy_(policy), attributes_(attributes), notes_(notes), denied_(denied) {}

  /// Denies the write. Only the first denial counts.
  void deny(const PolicyBinding* binding, const std::string& message, std::string_view reason = {}) {
    if (denied_) return;
    const std::string with = binding == nullptr ? "" : " with binding '" + binding->name() + "'";
    denied_ = denial(attributes_, name_in_texts(policy_) + with + " denied request: " + message, reason);
  }
  void misconfigured(const PolicyBinding* binding, std::string_view why) {
    if (policy_.ignores_failures()) return;
    deny(binding, std::string("failed to configure ") + (binding == nullptr ? "policy: " : "binding: ") +
                      std::string(why));
  }
  void take(const PolicyVerdict& verdict, const PolicyBinding& binding) {
    for (const PolicyVerdict::Denial& found : verdict.denials) take(found, binding);
    for (const std::string& error : verdict.annotation_errors) deny(&binding, error);
    for (const PolicyVerdict::Annotation& annotation : verdict.annotations) {
      std::vector<std::string>& values = annotations_[annotation.key];
      if (std::ranges::find(values, annotation.value) == values.end()) values.push_back(annotation.value);
    }
  }
  void end() {
    for (const auto& [key, values] : annotations_) {
      notes_.annotations.emplace_back(policy_.name() + "/" + key, join(values, ", "));
    }
  }

 private:
  void take(const PolicyVerdict::Denial& found, const PolicyBinding& binding) {
    if (binding.has_action("Deny")) deny(&binding, found.message, found.reason);
    if (binding.has_action("Warn")) {
      notes_.warnings.push_back("Validation failed for " + name_in_texts(policy_) + " with binding '" +
                                binding.name() + "': " + found.message);
    }
    if (!binding.has_action("Audit")) return;
    const json::Object failure{
        {"message", found.message},
        {"policy", policy_.name()},
        {"binding", binding.name()},
        {"expressionIndex", std::max(found.index, 0)},
        {"validationActions", json::Array(binding.actions().begin(), binding.actions().end())}};
    notes_.annotations.emplace_back(failure_annotation, json::to_text(json::Array{failure}));
  }

  const Policy& policy_;
  const Attributes& attributes_;
  Notes& notes_;
  std::optional<k8s::Status>& denied_;
  std::map<std::string, std::vector<std::string>> annotations_;
};

}  // namespace

k8s::StatusResult<void> RequestAdmission::run_policies(const Attributes& attributes) {
  std::optional<k8s::Status> denied;
  for (const Configured::BoundPolicy& bound : configured_->policies) {
    if (auto run = run_policy(bound, attributes, denied); !run) return run;
  }
  if (denied) return std::unexpected(*std::move(denied));
  return {};
}

k8s::StatusResult<Inputs> RequestAdmission::policy_inputs(const Attributes& attributes,
                                                          const Matched& matched) const {
  const auto versioned = in_version(attributes, matched);
  if (!versioned) return std::unexpected(versioned.error());
  Inputs inputs = inputs_of(attributes, matched, versioned->object_json(), versioned->old_json());
  inputs.authorizer = &authorizer_;
  if (attributes.namespace_name.empty() || attributes.is_of_namespaces()) return inputs;
  const auto place = admission_.options_.sources.storage.get({"namespaces", "", attributes.namespace_name});
  if (!place) return std::unexpected(resources::status_of(place.error()));
  if (*place == nullptr) {
    return std::unexpected(k8s::answer::not_found({"", "namespaces"}, attributes.namespace_name));
  }
  inputs.namespace_object = shown_namespace(resources::parse(**place));
  return inputs;
}

k8s::StatusResult<void> RequestAdmission::run_policy(const Configured::BoundPolicy& bound,
                                                     const Attributes& attributes,
                                                     std::optional<k8s::Status>& denied) {
  const Sources& sources = admission_.options_.sources;
  const Policy& policy = *bound.policy;
  PolicyRun run(policy, attributes, call_.notes, denied);
  const auto matched = policy.match(attributes, sources);
  if (!matched) run.misconfigured(nullptr, matched.error().message());
  if (!matched || !*matched) return {};
  resources::ServedResourcePtr param_resource;
  if (policy.param_kind()) {
    param_resource = sources.registry.find_kind(*policy.param_kind());
    if (param_resource == nullptr) {
      run.misconfigured(nullptr, "failed to find resource referenced by paramKind: '" +
                                     kind_text(*policy.param_kind()) + "'");
      return {};
    }
  }
  std::optional<Inputs> inputs;
  for (const auto& binding : bound.bindings) {
    const auto is_bound = binding->match(attributes, sources);
    if (!is_bound) run.misconfigured(binding.get(), is_bound.error().message());
    if (!is_bound || !*is_bound) continue;
    auto params = binding->find_params(policy, param_resource.get(), attributes, sources);
    if (!params) {
      run.misconfigured(binding.get(), params.error());
      continue;
    }
    if (!inputs) {
      auto made = policy_inputs(attributes, **matched);
      if (!made) return std::unexpected(made.error());
      inputs = *std::move(made);
    }
    for (json::Value& param : *params) {
      inputs->params = std::move(param);
      run.take(policy.evaluate(*inputs), *binding);
    }
  }
  run.end();
  return {};
}

}  // namespace fairway::apiserver::admission
