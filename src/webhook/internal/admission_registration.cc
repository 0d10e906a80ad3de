// SPDX-License-Identifier: Apache-2.0

#include "webhook/internal/admission_registration.h"

#include <algorithm>
#include <chrono>

#include "base/base64.h"
#include "base/log.h"
#include "k8s/webhook_configuration.h"
#include "kube/client/conflict.h"
#include "webhook/crd_registration.h"
#include "webhook/internal/guard_on_server.h"
#include "webhook/internal/present.h"

namespace fairway::webhook {
namespace {

void write_texts(json::Array& list, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) list.emplace_back(text);
}

const k8s::Resource& resource_of(AdmissionWebhook::Kind kind) {
  return kind == AdmissionWebhook::Kind::mutating ? k8s::MutatingWebhookConfiguration::resource
                                                  : k8s::ValidatingWebhookConfiguration::resource;
}

/// The configuration that a webhook wants.
k8s::Dynamic plan(const RegisteredWebhook& registered, const AdmissionRegistration& registration) {
  const AdmissionWebhook& wanted = registered.webhook;
  k8s::Dynamic result;
  result.set_resource(resource_of(wanted.kind));
  result.set_name(wanted.name);
  result.set_annotation(release_annotation, registration.release.to_string());
  k8s::Editor webhook = result.append("webhooks");
  webhook.set("name", wanted.name);
  k8s::Editor client = webhook.edit("clientConfig");
  registered.address.write(client);
  if (!registration.ca_bundle.empty()) client.set("caBundle", base64_encode(registration.ca_bundle));
  k8s::Editor rule = webhook.append("rules");
  write_texts(rule.array("apiGroups"), {wanted.group});
  write_texts(rule.array("apiVersions"), wanted.versions);
  write_texts(rule.array("operations"), wanted.operations);
  write_texts(rule.array("resources"), wanted.resources);
  // Of a guard they are its own, so that nobody else's are there.
  if (wanted.guards_conversion || !wanted.namespace_selector.empty())
    webhook.set("namespaceSelector", wanted.namespace_selector);
  if (wanted.guards_conversion || !wanted.object_selector.empty())
    webhook.set("objectSelector", wanted.object_selector);
  webhook.set("matchPolicy", "Equivalent");
  webhook.set("failurePolicy", wanted.failure_policy);
  webhook.set("sideEffects", "None");
  write_texts(webhook.array("admissionReviewVersions"), {"v1"});
  return result;
}

/// Returns `planned` with the CA bundle that each webhook has on the server, if it has one: it is published
/// elsewhere.
k8s::Dynamic with_bundles_of(const k8s::Dynamic& there, k8s::Dynamic planned) {
  for (json::Value& value : planned.array("webhooks")) {
    k8s::Editor webhook(value.as_object());
    for (const k8s::View& one : there.items("webhooks")) {
      const std::string_view known = one.text("clientConfig.caBundle");
      if (one.text("name") == webhook.text("name") && !known.empty())
        webhook.set("clientConfig.caBundle", known);
    }
  }
  return planned;
}

bool is_registered(const k8s::Dynamic& there, const k8s::Dynamic& planned) {
  if (there.annotation(release_annotation) != planned.annotation(release_annotation)) return false;
  const auto found = there.items("webhooks");
  return std::ranges::all_of(planned.items("webhooks"), [&](const k8s::View& wanted) {
    return std::ranges::any_of(found, [&](const k8s::View& one) {
      return one.text("name") == wanted.text("name") &&
             is_present(json::Value(wanted.json()), json::Value(one.json()));
    });
  });
}

/// Registers one configuration; returns whether anything was written.
kube::ApiResult<bool> register_configuration(kube::Client& client, const k8s::GroupVersionResource& resource,
                                             const k8s::Dynamic& planned, bool sees_all,
                                             const AdmissionRegistration& registration,
                                             const std::stop_token& stop) {
  const Limits limits{.stop = stop};
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
          const auto newer = is_of_newer_release(*read, registration.release);
          if (!newer) return std::unexpected(kube::ApiError(newer.error()));
          if (*newer) return read;
          // Applying leaves what another manager has added.
          const json::Array patch = sees_all ? patch_to_see_all(*read, planned.name()) : json::Array{};
          if (!patch.empty()) {
            auto patched = client.patch(resource, planned.key(), kube::PatchType::json, json::Value(patch),
                                        {}, {.field_manager = registration.field_manager}, limits);
            if (!patched) return patched;
            wrote = true;
            read = std::move(patched);
          }
          document = with_bundles_of(*read, planned);
          if (is_registered(*read, document)) return read;
          // A newer release may write it at the same time: then this write is too late.
          document.set_resource_version(read->resource_version());
        }
        wrote = true;
        return client.apply(resource, document, {.field_manager = registration.field_manager, .force = true},
                            {}, limits);
      },
      kube::conflict_of_replicas, stop);
  if (!done) return std::unexpected(done.error());
  return wrote;
}

}  // namespace

Result<void> register_admission(kube::Client& client, const std::vector<RegisteredWebhook>& webhooks,
                                const AdmissionRegistration& registration, const std::stop_token& stop) {
  for (const RegisteredWebhook& one : webhooks) {
    const std::string what = target_of(one.webhook).to_string();
    const auto written =
        register_configuration(client, resource_of(one.webhook.kind).group_version_resource(),
                               plan(one, registration), one.webhook.guards_conversion, registration, stop);
    if (!written) return fail(written.error().within("registering " + what));
    if (*written) log::info("registered webhooks", {{"configuration", what}});
  }
  return {};
}

CaBundleTarget target_of(const AdmissionWebhook& webhook) {
  using Kind = CaBundleTarget::Kind;
  const bool mutating = webhook.kind == AdmissionWebhook::Kind::mutating;
  return {.kind = mutating ? Kind::mutating_webhook_configuration : Kind::validating_webhook_configuration,
          .name = webhook.name};
}

}  // namespace fairway::webhook
