#include "conversion/admission_registration.h"

#include "base/base64.h"
#include "base/log.h"
#include "k8s/webhook_configuration.h"

namespace fairway::conversion {
namespace {

void write_texts(json::Array& list, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) list.emplace_back(text);
}

k8s::Dynamic configuration(const k8s::Resource& resource, const k8s::CustomResourceDefinition& definition,
                           const std::vector<std::string>& versions, const WebhookAddress& address,
                           const std::string& ca_bundle) {
  k8s::Dynamic result;
  result.set_resource(resource);
  result.set_name(definition.name());
  k8s::Editor webhook = result.append("webhooks");
  webhook.set("name", definition.name());
  k8s::Editor client = webhook.edit("clientConfig");
  address.write(client);
  if (!ca_bundle.empty()) client.set("caBundle", base64_encode(ca_bundle));
  k8s::Editor rule = webhook.append("rules");
  write_texts(rule.array("apiGroups"), {std::string(definition.group())});
  write_texts(rule.array("apiVersions"), versions);
  write_texts(rule.array("operations"), {"CREATE", "UPDATE"});
  write_texts(rule.array("resources"), {std::string(definition.plural())});
  webhook.set("matchPolicy", "Equivalent");
  webhook.set("failurePolicy", "Fail");
  webhook.set("sideEffects", "None");
  write_texts(webhook.array("admissionReviewVersions"), {"v1"});
  return result;
}

}  // namespace

std::vector<k8s::Dynamic> plan_admission(const Converters& converters,
                                         const std::vector<k8s::CustomResourceDefinition>& definitions,
                                         const AdmissionRegistration& registration) {
  std::vector<k8s::Dynamic> planned;
  for (const k8s::CustomResourceDefinition& definition : definitions) {
    const KindConverters* kind = converters.find(definition.group(), definition.defined_kind());
    if (kind == nullptr) continue;
    if (const auto versions = kind->versions_with_defaults(); !versions.empty()) {
      planned.push_back(configuration(k8s::MutatingWebhookConfiguration::resource, definition, versions,
                                      registration.defaults, registration.ca_bundle));
    }
    if (const auto versions = kind->versions_with_validators(); !versions.empty()) {
      planned.push_back(configuration(k8s::ValidatingWebhookConfiguration::resource, definition, versions,
                                      registration.validates, registration.ca_bundle));
    }
  }
  return planned;
}

Result<void> register_admission(kube::Client& client, const std::vector<k8s::Dynamic>& planned,
                                const std::string& field_manager, const std::stop_token& stop) {
  for (const k8s::Dynamic& one : planned) {
    const k8s::Resource& resource = one.is(k8s::MutatingWebhookConfiguration::resource)
                                        ? k8s::MutatingWebhookConfiguration::resource
                                        : k8s::ValidatingWebhookConfiguration::resource;
    const auto applied = client.apply(resource.group_version_resource(), one,
                                      {.field_manager = field_manager, .force = true}, {}, {.stop = stop});
    const std::string what = std::string(one.kind()) + " " + std::string(one.name());
    if (!applied) return fail(applied.error().within("registering " + what));
    log::info("registered webhooks", {{"configuration", what}});
  }
  return {};
}

kube::CaBundleTarget admission_target(const k8s::Dynamic& configuration) {
  using Kind = kube::CaBundleTarget::Kind;
  const bool mutating = configuration.is(k8s::MutatingWebhookConfiguration::resource);
  return {.kind = mutating ? Kind::mutating_webhook_configuration : Kind::validating_webhook_configuration,
          .name = std::string(configuration.name())};
}

}  // namespace fairway::conversion
