// SPDX-License-Identifier: Apache-2.0

#include "webhook/internal/registrar.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "webhook/internal/guard.h"

namespace fairway::webhook {
namespace {

/// The handler that converts a definition's objects; nullptr if there is none.
const Handler* converter_of(const k8s::CustomResourceDefinition& definition,
                            const std::vector<Handler>& handlers) {
  const auto found = std::ranges::find_if(handlers, [&](const Handler& handler) {
    return handler.conversion && handler.conversion->converts(definition.group(), definition.defined_kind());
  });
  return found == handlers.end() ? nullptr : &*found;
}

/// Returns whether the definition says itself where its webhook is.
bool has_own_address(const k8s::CustomResourceDefinition& definition) {
  const k8s::View client = definition.at("spec.conversion.webhook.clientConfig");
  return client.has("service") || client.has("url");
}

}  // namespace

Result<std::unique_ptr<Registrar>> Registrar::create(std::shared_ptr<kube::Client> client,
                                                     std::vector<k8s::CustomResourceDefinition> definitions,
                                                     const std::vector<Handler>& handlers,
                                                     const Address& address, Version release) {
  if (auto guarded = check_guards(handlers, definitions); !guarded) return fail(guarded.error());
  std::unique_ptr<Registrar> made(new Registrar(std::move(client), std::move(release)));
  for (k8s::CustomResourceDefinition& definition : definitions) {
    const Handler* handler = converter_of(definition, handlers);
    if (handler == nullptr && is_converted_by_webhook(definition) && !has_own_address(definition)) {
      return fail(ErrorCode::invalid,
                  "CustomResourceDefinition " + std::string(definition.name()) +
                      " has several versions, and no handler converts them: add one, or say "
                      "spec.conversion.strategy: None where they have the same schema");
    }
    made->defined_.push_back({std::move(definition), address.at(handler != nullptr ? handler->path : ""),
                              handler != nullptr ? handler->conversion : std::nullopt});
  }
  for (const Handler& handler : handlers) {
    for (const AdmissionWebhook& webhook : handler.webhooks) {
      const auto same = [&](const RegisteredWebhook& other) {
        return other.webhook.kind == webhook.kind && other.webhook.name == webhook.name;
      };
      if (std::ranges::any_of(made->webhooks_, same)) {
        return fail(ErrorCode::invalid, "two admission webhooks of one kind are called '" +
                                            printable(webhook.name, 100) +
                                            "': each has its own configuration");
      }
      made->webhooks_.push_back({webhook, address.at(handler.path)});
    }
  }
  return made;
}

CrdRegistration Registrar::registration_of(const Defined& defined, const std::string& ca_bundle) const {
  CrdRegistration registration;
  registration.release = release_;
  registration.webhook = defined.address;
  // It is converted by another program's webhook.
  if (defined.conversion) registration.ca_bundle = ca_bundle;
  return registration;
}

std::string Registrar::ca_bundle() const {
  const std::lock_guard lock(mutex_);
  return ca_bundle_;
}

AdmissionRegistration Registrar::admission() const {
  AdmissionRegistration registration;
  registration.release = release_;
  registration.ca_bundle = ca_bundle();
  return registration;
}

Result<void> Registrar::register_all(const std::string& ca_bundle, const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    ca_bundle_ = ca_bundle;
  }
  for (const Defined& defined : defined_) {
    const CrdRegistration registration = registration_of(defined, registered_ ? "" : ca_bundle);
    const auto done = register_definition(client_, defined.definition, registration, stop);
    if (!done) return fail(done.error());
  }
  registered_ = true;
  const AdmissionRegistration registration = admission();
  return register_admission(*client_, webhooks_, registration, stop);
}

Registrar::Restored Registrar::restore(const std::stop_token& stop) {
  Restored restored;
  const auto record = [&](const Error& error) {
    if (!restored.error) restored.error = error;
  };
  for (const Defined& defined : defined_) {
    const auto there =
        restore_definition(*client_, defined.definition, registration_of(defined, ca_bundle()), stop);
    if (!there) {
      record(there.error());
    } else if (defined.conversion) {
      const auto reached = defined.conversion->reaches(*there);
      if (!reached) restored.unreached.push_back(reached.error().message);
    } else if (!is_converted_by_webhook(defined.definition) &&
               there->text("spec.conversion.strategy") == "Webhook") {
      restored.unreached.push_back("CustomResourceDefinition " + std::string(there->name()) +
                                   " has several versions now, and no handler converts them");
    }
  }
  const AdmissionRegistration registration = admission();
  for (const RegisteredWebhook& webhook : webhooks_) {
    if (auto done = register_admission(*client_, {webhook}, registration, stop); !done) record(done.error());
  }
  return restored;
}

std::vector<CaBundleTarget> Registrar::targets() const {
  std::vector<CaBundleTarget> targets;
  for (const Defined& defined : defined_) {
    if (defined.conversion && is_converted_by_webhook(defined.definition))
      targets.push_back({.name = std::string(defined.definition.name())});
  }
  for (const RegisteredWebhook& webhook : webhooks_) targets.push_back(target_of(webhook.webhook));
  return targets;
}

}  // namespace fairway::webhook
