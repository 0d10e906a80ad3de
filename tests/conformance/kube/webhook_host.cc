// SPDX-License-Identifier: Apache-2.0

#include "conformance/kube/webhook_host.h"

#include <stdexcept>

#include "base/log.h"
#include "conversion/webhook.h"
#include "conversion/widgets.h"

namespace fairway::conformance {

std::shared_ptr<const conversion::Converters> Gizmo::converters() {
  namespace steps = conversion::testing;
  auto converters = std::make_shared<conversion::Converters>();
  converters->kind(group, "Gizmo")
      .storage("v1")
      .step("v1alpha1", "v1beta1", steps::to_beta, steps::to_alpha)
      .step("v1beta1", "v1", steps::to_v1, steps::from_v1)
      .keep_lost_fields();
  const auto definitions = webhook::read_definitions(yaml("gizmos", group, "Gizmo"), "gizmos.yaml").value();
  if (auto ready = converters->prepare(definitions); !ready) throw std::runtime_error(ready.error().message);
  return converters;
}

std::string Gizmo::yaml(const std::string& plural, const std::string& group, const std::string& kind) {
  std::string text =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: " + plural +
      "." + group + "}\nspec:\n  group: " + group + "\n  scope: Namespaced\n  names: {kind: " + kind +
      ", plural: " + plural + "}\n  versions:\n";
  const std::string ports =
      "{type: array, items: {type: object, properties: {name: {type: string}, port: {type: integer}";
  const std::string old_ports = "                ports: " + ports + "}}}\n";
  const auto version = [&](const std::string& name, const std::string& storage,
                           const std::string& properties) {
    text +=
        "  - name: " + name + "\n    served: true\n    storage: " + storage +
        "\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n"
        "            type: object\n            properties:\n" +
        properties;
  };
  version("v1alpha1", "false", "                size: {type: string}\n" + old_ports);
  version("v1beta1", "false",
          "                size: {type: string}\n                replicas: {type: integer}\n" + old_ports);
  version("v1", "true",
          "                capacity: {type: object, properties: {size: {type: string}, replicas: {type: "
          "integer}}}\n"
          "                mode: {type: string}\n"
          "                tls: {type: object, properties: {secret: {type: string}}}\n"
          "                ports: " +
              ports + ", protocol: {type: string}}}}\n");
  return text;
}

void remove_definitions(kube::Client& client, const std::vector<k8s::CustomResourceDefinition>& definitions) {
  const auto crds = k8s::CustomResourceDefinition::resource.group_version_resource();
  for (const auto& definition : definitions) {
    const k8s::Key crd{"", std::string(definition.name())};
    if (const auto removed = client.remove(crds, crd); !removed)
      log::warning("a CRD could not be removed", {{"why", removed.error().message}});
    Clock& clock = Clock::system();
    for (const SteadyTime until = clock.steady() + std::chrono::seconds(60);
         clock.steady() < until && client.get(crds, crd);) {
      clock.wait_until(clock.steady() + std::chrono::milliseconds(50), {});
    }
  }
}

WebhookHost::WebhookHost(std::shared_ptr<kube::Client> client, Options options)
    : options_(std::move(options)),
      client_(std::move(client)),
      definitions_(webhook::read_definitions(options_.definitions, "the test").value()) {
  webhook::ServerCertificatesOptions keeping;
  keeping.secret = {options_.namespace_name, "webhook-certificates"};
  keeping.policy = options_.policy;
  keeping.policy.names = {"127.0.0.1"};
  for (const auto& definition : definitions_)
    keeping.targets.push_back({.name = std::string(definition.name())});
  keeping.serve = [this](const http::KeyedCertificate& certificate) { return serve(certificate); };
  keeping.before_publishing = [this](const std::string& bundle) { return register_crds(bundle); };
  auto made = webhook::ServerCertificates::create(client_, keeping);
  if (!made) throw std::runtime_error(made.error().message);
  certificates_ = *std::move(made);
  if (auto first = certificates_->round(); !first) throw std::runtime_error(first.error().message);
  keeper_ = std::jthread([this](const std::stop_token& stop) { keep_certificates(stop); });
}

WebhookHost::~WebhookHost() {
  keeper_.request_stop();
  if (keeper_.joinable()) keeper_.join();
  if (options_.service.empty()) remove_definitions(*client_, definitions_);
}

Result<void> WebhookHost::serve(const http::KeyedCertificate& certificate) {
  ++served_;
  if (server_) return server_->use_certificate(certificate.certificate, certificate.key);
  http::Router router;
  const auto handlers = conversion::webhook_handlers(Gizmo::converters(), {}, metrics_);
  if (options_.answer) {
    router.immediate("/answer", "POST", [this](const http::Request& request) {
      return http::Response::json(200, options_.answer(request.body));
    });
  }
  http::TlsServerOptions tls;
  tls.certificate = certificate.certificate;
  tls.key = certificate.key;
  auto server = webhook::listen(webhook::listen_options("127.0.0.1:0", tls, handlers), handlers, router);
  if (!server) return fail(server.error());
  server_ = *std::move(server);
  return {};
}

Result<void> WebhookHost::register_crds(const std::string& bundle) {
  if (registered_) return {};
  webhook::CrdRegistration registration;
  registration.release = Version::parse("1.0.0").value();
  registration.webhook.url = "https://" + (options_.service.empty() ? server_->address() : options_.service) +
                             (options_.answer ? "/answer" : "/convert");
  registration.ca_bundle = bundle;
  auto definitions = definitions_;
  for (auto& definition : definitions) {
    for (const std::string& version : options_.review_versions)
      definition.array("spec.conversion.webhook.conversionReviewVersions").emplace_back(version);
    if (!options_.review_versions.empty()) definition.set("spec.conversion.strategy", "Webhook");
  }
  if (auto done = webhook::register_definitions(client_, definitions, registration); !done) return done;
  registered_ = true;
  return {};
}

void WebhookHost::keep_certificates(const std::stop_token& stop) {
  Clock& clock = Clock::system();
  while (!stop.stop_requested()) {
    const auto next = certificates_->round(stop);
    if (stop.stop_requested()) return;
    if (!next) {
      const std::lock_guard lock(mutex_);
      problems_.push_back(next.error().message);
    }
    const std::string& authority = certificates_->set()->current().pair.certificate;
    if (authority_ != authority) ++authorities_;
    authority_ = authority;
    clock.wait_until(next ? *next : clock.steady() + std::chrono::milliseconds(200), stop);
  }
}

std::vector<std::string> WebhookHost::problems() const {
  const std::lock_guard lock(mutex_);
  return problems_;
}

}  // namespace fairway::conformance
