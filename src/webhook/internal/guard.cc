// SPDX-License-Identifier: Apache-2.0

#include "webhook/internal/guard.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fairway::webhook {
namespace {

bool has(const std::vector<std::string>& texts, const std::string& wanted) {
  return std::ranges::find(texts, wanted) != texts.end();
}

/// Returns what a webhook lacks to see each write of a resource; empty: nothing.
std::string gap_of(const AdmissionWebhook& webhook, const k8s::CustomResourceDefinition& definition) {
  const std::string plural(definition.plural());
  std::vector<std::string> resources{plural, plural + "/status"};
  if (std::ranges::any_of(definition.versions(), &k8s::CustomResourceVersion::has_scale))
    resources.push_back(plural + "/scale");
  if (!has(webhook.versions, "*")) return "its versions are not \"*\"";
  for (const std::string& resource : resources) {
    if (!has(webhook.resources, resource)) return "its resources lack " + resource;
  }
  for (const std::string operation : {"CREATE", "UPDATE"}) {
    if (!has(webhook.operations, operation)) return "its operations lack " + operation;
  }
  if (webhook.failure_policy != "Fail") return "its failurePolicy is not Fail";
  if (!webhook.namespace_selector.empty() || !webhook.object_selector.empty()) return "it has a selector";
  return {};
}

Result<void> check_guard(const k8s::GroupKind& kind, const std::vector<Handler>& handlers,
                         const std::vector<k8s::CustomResourceDefinition>& definitions) {
  const auto refused = [&](const std::string& why) {
    return fail(ErrorCode::invalid,
                kind.to_string() +
                    " is to be quarantined, which needs a validating webhook that this server registers and "
                    "that sees each write: " +
                    why);
  };
  const auto definition = std::ranges::find_if(definitions, [&](const auto& one) {
    return one.group() == kind.group && one.defined_kind() == kind.kind;
  });
  if (definition == definitions.end()) return refused("the server is given no definition of the kind");
  std::string gap = "there is none that says so (AdmissionWebhook::guards_conversion)";
  for (const Handler& handler : handlers) {
    for (const AdmissionWebhook& webhook : handler.webhooks) {
      if (!is_guard_of(webhook, *definition)) continue;
      const std::string its_gap = gap_of(webhook, *definition);
      if (its_gap.empty()) return {};
      gap = webhook.name + ": " + its_gap;
    }
  }
  return refused(gap);
}

}  // namespace

bool is_guard_of(const AdmissionWebhook& webhook, const k8s::CustomResourceDefinition& definition) {
  return webhook.guards_conversion && webhook.kind == AdmissionWebhook::Kind::validating &&
         webhook.group == definition.group() && has(webhook.resources, std::string(definition.plural()));
}

Result<void> check_guards(const std::vector<Handler>& handlers,
                          const std::vector<k8s::CustomResourceDefinition>& definitions) {
  for (const Handler& handler : handlers) {
    if (!handler.conversion) continue;
    for (const k8s::GroupKind& kind : handler.conversion->guarded) {
      if (auto guarded = check_guard(kind, handlers, definitions); !guarded) return guarded;
    }
  }
  return {};
}

}  // namespace fairway::webhook
