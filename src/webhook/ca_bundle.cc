// SPDX-License-Identifier: Apache-2.0

#include "webhook/ca_bundle.h"

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/webhook_configuration.h"

namespace fairway::webhook {
namespace {

const k8s::Resource& resource_of(CaBundleTarget::Kind kind) {
  switch (kind) {
    case CaBundleTarget::Kind::custom_resource_definition:
      return k8s::CustomResourceDefinition::resource;
    case CaBundleTarget::Kind::validating_webhook_configuration:
      return k8s::ValidatingWebhookConfiguration::resource;
    case CaBundleTarget::Kind::mutating_webhook_configuration:
      break;
  }
  return k8s::MutatingWebhookConfiguration::resource;
}

/// The part of the object with the bundle, to be written; nothing if the object has that bundle
/// already.
Result<std::optional<k8s::Dynamic>> document_for(const CaBundleTarget& target, const k8s::Dynamic& object,
                                                 const std::string& encoded) {
  k8s::Dynamic document;
  document.set_resource(resource_of(target.kind));
  document.set_name(target.name);
  if (target.kind == CaBundleTarget::Kind::custom_resource_definition) {
    if (object.text("spec.conversion.strategy") != "Webhook" ||
        !object.has("spec.conversion.webhook.clientConfig"))
      return fail(ErrorCode::invalid, "it is not converted by a webhook (spec.conversion)");
    if (object.text("spec.conversion.webhook.clientConfig.caBundle") == encoded) return std::nullopt;
    document.set("spec.conversion.webhook.clientConfig.caBundle", encoded);
    return document;
  }
  bool differs = false;
  std::vector<std::string> found;
  for (const k8s::View& webhook : object.items("webhooks")) {
    const std::string name(webhook.text("name"));
    if (!target.webhooks.empty() && std::ranges::find(target.webhooks, name) == target.webhooks.end())
      continue;
    found.push_back(name);
    differs = differs || webhook.text("clientConfig.caBundle") != encoded;
    k8s::Editor entry = document.append("webhooks");
    entry.set("name", name);
    entry.set("clientConfig.caBundle", encoded);
  }
  for (const std::string& name : target.webhooks) {
    if (std::ranges::find(found, name) == found.end())
      return fail(ErrorCode::invalid, "it has no webhook '" + printable(name, 100) + "'");
  }
  if (found.empty()) return fail(ErrorCode::invalid, "it has no webhooks");
  if (!differs) return std::nullopt;
  return document;
}

}  // namespace

std::string CaBundleTarget::to_string() const {
  return std::string(resource_of(kind).kind) + " " + name;
}

kube::ApiResult<bool> publish_ca_bundle(kube::Client& client, const CaBundleTarget& target,
                                        const std::string& bundle, const std::string& field_manager,
                                        const Limits& limits) {
  const k8s::GroupVersionResource resource = resource_of(target.kind).group_version_resource();
  const auto object = client.get(resource, {"", target.name}, {}, limits);
  if (!object) return std::unexpected(object.error());
  const auto document = document_for(target, *object, base64_encode(bundle));
  if (!document)
    return std::unexpected(kube::ApiError(document.error().within("caBundle of " + target.to_string())));
  if (!*document) return false;
  const auto applied =
      client.apply(resource, **document, {.field_manager = field_manager, .force = true}, {}, limits);
  if (!applied) return std::unexpected(applied.error());
  return true;
}

}  // namespace fairway::webhook
