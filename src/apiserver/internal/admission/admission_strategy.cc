// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/admission_strategy.h"

#include "apiserver/internal/admission/check_fields.h"

namespace fairway::apiserver::admission {

namespace {

template <std::vector<k8s::FieldError> (*check)(const k8s::View&, const k8s::View*)>
class CheckedStrategy : public resources::Strategy {
 public:
  std::vector<k8s::FieldError> validate(const k8s::Dynamic& object, const k8s::Dynamic* old,
                                        resources::Part part) const override {
    if (part != resources::Part::object) return {};
    return check(object, old);
  }
};

std::vector<k8s::FieldError> check_binding(const k8s::View& binding, const k8s::View*) {
  return check_policy_binding(binding, false);
}

std::vector<k8s::FieldError> check_mutating_binding(const k8s::View& binding, const k8s::View*) {
  return check_policy_binding(binding, true);
}

/// Rules of policies that mutate objects. They are stored without effect, and their writer is warned of that.
template <std::vector<k8s::FieldError> (*check)(const k8s::View&, const k8s::View*)>
class UnusedStrategy final : public CheckedStrategy<check> {
 public:
  std::vector<std::string> warnings(const k8s::Dynamic& object, const k8s::Dynamic*) const override {
    return {std::string(object.kind()) +
            " is stored and has no effect on this server: it does not evaluate MutatingAdmissionPolicies; "
            "use a MutatingWebhookConfiguration"};
  }
};

}  // namespace

std::shared_ptr<const resources::Strategy> admission_strategy(const k8s::GroupKind& kind) {
  if (kind.group != "admissionregistration.k8s.io") return nullptr;
  if (kind.kind == "MutatingWebhookConfiguration" || kind.kind == "ValidatingWebhookConfiguration") {
    return std::make_shared<CheckedStrategy<check_webhooks>>();
  }
  if (kind.kind == "ValidatingAdmissionPolicy") return std::make_shared<CheckedStrategy<check_policy>>();
  if (kind.kind == "ValidatingAdmissionPolicyBinding") {
    return std::make_shared<CheckedStrategy<check_binding>>();
  }
  if (kind.kind == "MutatingAdmissionPolicy") {
    return std::make_shared<UnusedStrategy<check_mutating_policy>>();
  }
  if (kind.kind == "MutatingAdmissionPolicyBinding") {
    return std::make_shared<UnusedStrategy<check_mutating_binding>>();
  }
  return nullptr;
}

}  // namespace fairway::apiserver::admission
