// SPDX-License-Identifier: Apache-2.0

// Who may do what, and what is admitted.
#include <map>

#include "apiserver/internal/table/cells.h"
#include "apiserver/internal/table/printer_column.h"
#include "base/text.h"
#include "k8s/label_selector.h"

namespace fairway::apiserver::table {
namespace {

using k8s::View;

/// Returns the subjects of one kind; ServiceAccounts with their namespace.
std::string subjects(const View& binding, std::string_view kind) {
  std::vector<std::string> names;
  for (const View& subject : binding.items("subjects")) {
    if (subject.text("kind") != kind) continue;
    const std::string name(subject.text("name"));
    names.push_back(kind == "ServiceAccount" ? std::string(subject.text("namespace")) + "/" + name : name);
  }
  return join(names, ", ");
}

Row role_binding(const View& object, WallTime now) {
  return {{name_of(object),
           std::string(object.text("roleRef.kind")) + "/" + std::string(object.text("roleRef.name")),
           age(object, now), subjects(object, "User"), subjects(object, "Group"),
           subjects(object, "ServiceAccount")},
          {}};
}

std::string status_of_request(const View& request) {
  bool approved = false, denied = false, failed = false;
  for (const View& condition : request.items("status.conditions")) {
    const std::string_view type = condition.text("type");
    approved = approved || type == "Approved";
    denied = denied || type == "Denied";
    failed = failed || type == "Failed";
  }
  std::string status = denied ? "Denied" : approved ? "Approved" : "Pending";
  if (failed) status += ",Failed";
  if (!request.text("status.certificate").empty()) status += ",Issued";
  return status;
}

Row signing_request(const View& object, WallTime now) {
  const auto seconds = object.find_integer("spec.expirationSeconds");
  return {{name_of(object), age(object, now), text_or(object, "spec.signerName", "<none>"),
           object.text("spec.username"),
           seconds ? human_duration(std::chrono::seconds(*seconds)) : std::string("<none>"),
           status_of_request(object)},
          {}};
}

Row webhooks(const View& object, WallTime now) {
  return {{name_of(object), count(object, "webhooks"), age(object, now)}, {}};
}

std::string parameter_kind(const View& policy) {
  if (!policy.has("spec.paramKind")) return "<unset>";
  return std::string(policy.text("spec.paramKind.apiVersion")) + "/" +
         std::string(policy.text("spec.paramKind.kind"));
}

Row validating_policy(const View& object, WallTime now) {
  return {{name_of(object), count(object, "spec.validations"), parameter_kind(object), age(object, now)}, {}};
}

Row mutating_policy(const View& object, WallTime now) {
  return {{name_of(object), count(object, "spec.mutations"), parameter_kind(object), age(object, now)}, {}};
}

Row policy_binding(const View& object, WallTime now) {
  std::string parameter = "<unset>";
  const View reference = object.at("spec.paramRef");
  if (!reference.text("name").empty()) {
    // Without a namespace: that of the request, or none.
    parameter = text_or(reference, "namespace", "*") + "/" + std::string(reference.text("name"));
  } else if (reference.has("selector")) {
    parameter = selector_text(reference, "selector");
  }
  return {{name_of(object), object.text("spec.policyName"), parameter, age(object, now)}, {}};
}

std::string amount(const View& object, std::string_view path) {
  const json::Value* value = object.find(path);
  if (value == nullptr || value->is_null()) return "N/A";
  return value->is_string() ? std::string(value->get_string()) : json::to_text(*value);
}

Row disruption_budget(const View& object, WallTime now) {
  return {{name_of(object), amount(object, "spec.minAvailable"), amount(object, "spec.maxUnavailable"),
           object.integer("status.disruptionsAllowed"), age(object, now)},
          {}};
}

Row resource_quota(const View& object, WallTime now) {
  std::map<std::string, bool> resources;
  const View hard = object.at("status.hard");
  for (const auto& member : hard.json()) resources.emplace(member.key(), false);
  std::vector<std::string> requests, limits;
  for (const auto& [name, unused] : resources) {
    const std::string text = name + ": " + quantity_text(object, "status.used", name) + "/" +
                             quantity_text(object, "status.hard", name);
    (name.starts_with("limits.") ? limits : requests).push_back(text);
  }
  return {{name_of(object), join(requests, ", "), join(limits, ", "), age(object, now)}, {}};
}

Row priority_class(const View& object, WallTime now) {
  return {{name_of(object), object.integer("value"), object.flag("globalDefault"), age(object, now),
           object.text("preemptionPolicy")},
          {}};
}

}  // namespace

std::vector<Printer> policy_printers() {
  const std::string rbac = "rbac.authorization.k8s.io", admission = "admissionregistration.k8s.io";
  const std::vector<Header> binding{name_header,   {"Role"},       age_header,
                                    wide("Users"), wide("Groups"), wide("ServiceAccounts")};
  const std::vector<Header> hooks{name_header, {.name = "Webhooks", .type = "integer"}, age_header};
  const std::vector<Header> policies{name_header, {"PolicyName"}, {"ParamRef"}, age_header};
  return {
      {{rbac, "RoleBinding"}, binding, &role_binding},
      {{rbac, "ClusterRoleBinding"}, binding, &role_binding},
      {{"certificates.k8s.io", "CertificateSigningRequest"},
       {name_header, age_header, {"SignerName"}, {"Requestor"}, {"RequestedDuration"}, {"Condition"}},
       &signing_request},
      {{admission, "MutatingWebhookConfiguration"}, hooks, &webhooks},
      {{admission, "ValidatingWebhookConfiguration"}, hooks, &webhooks},
      {{admission, "ValidatingAdmissionPolicy"},
       {name_header, {.name = "Validations", .type = "integer"}, {"ParamKind"}, age_header},
       &validating_policy},
      {{admission, "MutatingAdmissionPolicy"},
       {name_header, {.name = "Mutations", .type = "integer"}, {"ParamKind"}, age_header},
       &mutating_policy},
      {{admission, "ValidatingAdmissionPolicyBinding"}, policies, &policy_binding},
      {{admission, "MutatingAdmissionPolicyBinding"}, policies, &policy_binding},
      {{"policy", "PodDisruptionBudget"},
       {name_header,
        {"Min Available"},
        {"Max Unavailable"},
        {.name = "Allowed Disruptions", .type = "integer"},
        age_header},
       &disruption_budget},
      {{"", "ResourceQuota"}, {name_header, {"Request"}, {"Limit"}, age_header}, &resource_quota},
      {{"scheduling.k8s.io", "PriorityClass"},
       {name_header,
        {.name = "Value", .type = "integer"},
        {.name = "Global-Default", .type = "boolean"},
        age_header,
        {"PreemptionPolicy"}},
       &priority_class},
  };
}

}  // namespace fairway::apiserver::table
