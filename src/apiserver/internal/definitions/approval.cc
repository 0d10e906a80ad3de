// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/approval.h"

#include "apiserver/internal/objects/status_condition.h"
#include "k8s/view.h"

namespace fairway::apiserver::definitions {

namespace {

constexpr std::string_view rule = "https://github.com/kubernetes/enhancements/pull/1111";

std::string quoted(std::string_view text) {
  return json::to_text(json::Value(text));
}

}  // namespace

Approval approval_of(const k8s::CustomResourceDefinition& definition) {
  const std::string group = "." + std::string(definition.group());
  if (!group.ends_with(".k8s.io") && !group.ends_with(".kubernetes.io")) return Approval::not_needed;
  const std::string_view text = definition.annotations().find(approval_annotation).value_or("");
  if (text.empty()) return Approval::missing;
  if (text.starts_with("unapproved")) return Approval::bypassed;
  const std::size_t scheme = text.find("://");
  return scheme != std::string_view::npos && scheme > 0 && text.size() > scheme + 3 ? Approval::approved
                                                                                    : Approval::invalid;
}

std::string approval_message(const k8s::CustomResourceDefinition& definition) {
  const std::string_view text = definition.annotations().find(approval_annotation).value_or("");
  const std::string needed =
      "protected groups must have approval annotation \"" + std::string(approval_annotation) + "\"";
  switch (approval_of(definition)) {
    case Approval::missing:
      return needed + ", see " + std::string(rule);
    case Approval::invalid:
      return needed + " with either a URL or a reason starting with \"unapproved\", see " + std::string(rule);
    case Approval::bypassed:
      return "not approved: " + quoted(text);
    case Approval::approved:
      return "approved in " + std::string(text);
    case Approval::not_needed:
      break;
  }
  return {};
}

bool set_approval_condition(json::Object& document, WallTime now) {
  const k8s::CustomResourceDefinition definition(document);
  std::string_view reason;
  const Approval state = approval_of(definition);
  switch (state) {
    case Approval::missing:
      reason = "MissingAnnotation";
      break;
    case Approval::invalid:
      reason = "InvalidAnnotation";
      break;
    case Approval::bypassed:
      reason = "UnapprovedAnnotation";
      break;
    case Approval::approved:
      reason = "ApprovedAnnotation";
      break;
    case Approval::not_needed:
      return false;
  }
  const json::Value before = *definition.find("status");
  k8s::Editor written(document);
  objects::set_status_condition(written, "KubernetesAPIApprovalPolicyConformant", state == Approval::approved,
                                reason, approval_message(definition), now);
  return before != *k8s::View(document).find("status");
}

}  // namespace fairway::apiserver::definitions
