#include "conversion/admission_registration.h"

#include <algorithm>
#include <chrono>

#include "base/base64.h"
#include "base/log.h"
#include "k8s/webhook_configuration.h"
#include "kube/client/conflict.h"
#include "webhook/crd_registration.h"

namespace fairway::conversion {
namespace {

constexpr std::string_view ca_bundle = "caBundle";

void write_texts(json::Array& list, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) list.emplace_back(text);
}

k8s::Dynamic configuration(const k8s::Resource& resource, const k8s::CustomResourceDefinition& definition,
                           const std::vector<std::string>& versions, const webhook::Address& address,
                           const AdmissionRegistration& registration) {
  k8s::Dynamic result;
  result.set_resource(resource);
  result.set_name(definition.name());
  result.set_annotation(webhook::release_annotation, registration.release.to_string());
  k8s::Editor webhook = result.append("webhooks");
  webhook.set("name", definition.name());
  k8s::Editor client = webhook.edit("clientConfig");
  address.write(client);
  if (!registration.ca_bundle.empty()) client.set(ca_bundle, base64_encode(registration.ca_bundle));
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

/// Whether everything that is wanted is there, beside whatever else. Lists are compared as a whole.
bool holds(const json::Value& there, const json::Value& wanted) {
  if (wanted.is_object()) {
    return there.is_object() && std::ranges::all_of(wanted.get_object(), [&](const auto& member) {
             const json::Value* const found = json::find(there, member.key());
             return member.key() == ca_bundle || (found != nullptr && holds(*found, member.value()));
           });
  }
  if (wanted.is_array()) {
    return there.is_array() && std::ranges::equal(there.get_array(), wanted.get_array(), holds);
  }
  return there == wanted;
}

bool is_registered(const k8s::Dynamic& there, const k8s::Dynamic& planned) {
  if (there.annotation(webhook::release_annotation) != planned.annotation(webhook::release_annotation))
    return false;
  const auto found = there.items("webhooks");
  return std::ranges::all_of(planned.items("webhooks"), [&](const k8s::View& wanted) {
    return std::ranges::any_of(found, [&](const k8s::View& one) {
      return one.text("name") == wanted.text("name") &&
             holds(json::Value(one.json()), json::Value(wanted.json()));
    });
  });
}

/// What API servers trust is not changed here.
void keep_ca_bundles(k8s::Dynamic& planned, const k8s::Dynamic& there) {
  for (json::Value& value : planned.array("webhooks")) {
    k8s::Editor webhook(value.as_object());
    for (const k8s::View& one : there.items("webhooks")) {
      const std::string_view known = one.text("clientConfig.caBundle");
      if (one.text("name") == webhook.text("name") && !known.empty())
        webhook.set("clientConfig.caBundle", known);
    }
  }
}

/// Whether anything was written.
kube::ApiResult<bool> register_configuration(kube::Client& client, const k8s::Dynamic& planned,
                                             const AdmissionRegistration& registration,
                                             const std::stop_token& stop) {
  const k8s::GroupVersionResource resource = (planned.is(k8s::MutatingWebhookConfiguration::resource)
                                                  ? k8s::MutatingWebhookConfiguration::resource
                                                  : k8s::ValidatingWebhookConfiguration::resource)
                                                 .group_version_resource();
  const kube::Limits limits{.stop = stop};
  bool wrote = false;
  const auto done = kube::retry_on_conflict(
      client.clock(),
      [&]() -> kube::ApiResult<k8s::Dynamic> {
        wrote = false;
        auto read = client.get(resource, planned.key(), {}, limits);
        const bool missing = !read && read.error().is_not_found();
        if (!read && !missing) return read;
        k8s::Dynamic document = planned;
        if (!missing) {
          const auto newer = webhook::is_of_newer_release(*read, registration.release);
          if (!newer) return std::unexpected(kube::ApiError(newer.error()));
          if (*newer || is_registered(*read, planned)) return read;
          keep_ca_bundles(document, *read);
          // A newer release may be at it at the same time: then this write comes too late.
          document.set_resource_version(read->resource_version());
        }
        wrote = true;
        return client.apply(resource, document, {.field_manager = registration.field_manager, .force = true},
                            {}, limits);
      },
      {.attempts = 10, .pause = std::chrono::milliseconds(20), .factor = 1.5}, stop);
  if (!done) return std::unexpected(done.error());
  return wrote;
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
                                      registration.defaults, registration));
    }
    if (const auto versions = kind->versions_with_validators(); !versions.empty()) {
      planned.push_back(configuration(k8s::ValidatingWebhookConfiguration::resource, definition, versions,
                                      registration.validates, registration));
    }
  }
  return planned;
}

Result<void> register_admission(kube::Client& client, const std::vector<k8s::Dynamic>& planned,
                                const AdmissionRegistration& registration, const std::stop_token& stop) {
  for (const k8s::Dynamic& one : planned) {
    const std::string what = std::string(one.kind()) + " " + std::string(one.name());
    const auto written = register_configuration(client, one, registration, stop);
    if (!written) return fail(written.error().within("registering " + what));
    if (*written) log::info("registered webhooks", {{"configuration", what}});
  }
  return {};
}

webhook::CaBundleTarget admission_target(const k8s::Dynamic& configuration) {
  using Kind = webhook::CaBundleTarget::Kind;
  const bool mutating = configuration.is(k8s::MutatingWebhookConfiguration::resource);
  return {.kind = mutating ? Kind::mutating_webhook_configuration : Kind::validating_webhook_configuration,
          .name = std::string(configuration.name())};
}

}  // namespace fairway::conversion
