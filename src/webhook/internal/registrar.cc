// SPDX-License-Identifier: Apache-2.0

#include "webhook/internal/registrar.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "k8s/webhook_configuration.h"
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

/// The field manager of the signs of guards. What is applied under another name leaves them alone.
constexpr const char* guard_manager = "fairway-quarantine";

k8s::GroupVersionResource guard_resource() {
  return k8s::ValidatingWebhookConfiguration::resource.group_version_resource();
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
  made->add_guards();
  return made;
}

/// Finds the guard of each kind that needs one; `check_guards` has seen that it is there.
void Registrar::add_guards() {
  for (std::size_t i = 0; i < defined_.size(); ++i) {
    const auto& [definition, address, conversion] = defined_[i];
    if (!conversion) continue;
    const k8s::GroupKind kind{std::string(definition.group()), std::string(definition.defined_kind())};
    if (std::ranges::find(conversion->guarded, kind) == conversion->guarded.end()) {
      unguarded_.push_back({.defined = i, .sign = {}});
      continue;
    }
    const auto guard = std::ranges::find_if(
        webhooks_, [&](const RegisteredWebhook& one) { return is_guard_of(one.webhook, definition); });
    guards_.push_back({.kind = kind,
                       .defined = i,
                       .webhook = static_cast<std::size_t>(guard - webhooks_.begin()),
                       .sightings = {},
                       .sign = {},
                       .gap = {}});
  }
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

/// Reads the configuration of a guard, and what it lacks.
Registrar::GuardRead Registrar::read_guard(const Guard& guard,
                                           const std::optional<k8s::CustomResourceDefinition>& on_server,
                                           const std::stop_token& stop) const {
  if (!on_server)
    return {.error = Error{ErrorCode::unavailable, "the definition of the kind cannot be read"}};
  const RegisteredWebhook& registered = webhooks_[guard.webhook];
  const auto there = client_->get(guard_resource(), {"", registered.webhook.name}, {}, {.stop = stop});
  if (there) {
    return {.gap = gap_on_server(*there, registered.webhook.name, registered.address, *on_server),
            .sign = std::string(there->annotation(guarded_annotation))};
  }
  if (there.error().is_not_found()) return {.gap = "it is not there"};
  return {.error = Error(there.error()).within("reading " + target_of(registered.webhook).to_string())};
}

/// Records what a guard lacks, and tells the conversion and the log of a change. A guard that could not be
/// read a few times may be as effective as it was.
void Registrar::tell(Guard& guard, const GuardRead& read) {
  if (read.error && read.error->code == ErrorCode::cancelled) return;
  const SteadyTime now = client_->clock().steady();
  const bool was_effective = guard.sightings.effective();
  const bool is_effective =
      read.error ? guard.sightings.record_unread(now) : guard.sightings.record(read.gap, now);
  const auto& conversion = defined_[guard.defined].conversion;
  const bool was_seen = is_effective && !read.error;
  if (conversion->on_guard && (was_seen || is_effective != was_effective))
    conversion->on_guard(guard.kind, is_effective);
  if (is_effective && !was_effective)
    log::info("objects that do not convert are quarantined", {{"kind", guard.kind.to_string()}});
  const std::string gap = read.error ? "it cannot be read: " + read.error->message : read.gap;
  if (!is_effective && !gap.empty() && (was_effective || gap != guard.gap)) {
    log::warning(
        "objects that do not convert are not quarantined: API servers would not refuse writes to them",
        {{"kind", guard.kind.to_string()},
         {"configuration", target_of(webhooks_[guard.webhook].webhook).to_string()},
         {"why", gap}});
  }
  guard.gap = gap;
}

/// Says on the server that a guard is needed, if nobody has said so for a while. Where that fails for long
/// the guard has a gap: replicas that do not need it take it for left behind, and remove it.
void Registrar::renew(Guard& guard, GuardRead& read, const std::stop_token& stop) {
  if (!read.sign) return;
  const SteadyTime now = client_->clock().steady();
  guard.sign.record(*read.sign, now);
  if (!guard.sign.is_due(now)) return;
  const std::string& name = webhooks_[guard.webhook].webhook.name;
  const std::string sign = format_time(client_->clock().now());
  json::Object annotations{{guarded_annotation, sign}};
  const json::Object patch{{"metadata", json::Object{{"annotations", std::move(annotations)}}}};
  const auto renewed =
      client_->patch(guard_resource(), {"", name}, kube::PatchType::merge, json::Value(patch), {},
                     {.field_manager = guard_manager}, {.stop = stop});
  if (renewed) {
    guard.sign.record(sign, now);
  } else if (!stop.stop_requested()) {
    log::warning("a guard cannot be renewed", {{"configuration", name}, {"why", renewed.error().message}});
    if (guard.sign.is_stale(now) && read.gap.empty())
      read.gap = "its annotation " + std::string(guarded_annotation) +
                 " cannot be renewed: " + renewed.error().message;
  }
}

/// Removes the guard of a kind that needs none here once nobody renews it. Returns whether it is there.
bool Registrar::remove_left_behind(Unguarded& kind, const std::stop_token& stop) {
  const std::string name = guard_name(defined_[kind.defined].definition);
  const auto there = client_->get(guard_resource(), {"", name}, {}, {.stop = stop});
  // Most programs have no right to read what only a quarantine has.
  if (!there || there->annotation(release_annotation).empty()) {
    kind.sign.reset();
    return false;
  }
  const SteadyTime now = client_->clock().steady();
  kind.sign.record(there->annotation(guarded_annotation), now);
  if (!kind.sign.is_left_behind(now)) return true;
  const auto removed = client_->remove(
      guard_resource(), {"", name},
      {.uid = std::string(there->uid()), .resource_version = std::string(there->resource_version())},
      {.stop = stop});
  if (removed) {
    log::info("removed the guard of a quarantine, as no replica renews it", {{"configuration", name}});
    kind.sign.reset();
    return false;
  }
  if (!stop.stop_requested()) {
    log::warning("the guard of a quarantine cannot be removed, and API servers refuse writes of the kind",
                 {{"configuration", name}, {"why", removed.error().message}});
  }
  return true;
}

Registrar::Restored Registrar::restore(const std::stop_token& stop) {
  Restored restored;
  const auto record = [&](const Error& error) {
    if (!restored.error) restored.error = error;
  };
  std::vector<std::optional<k8s::CustomResourceDefinition>> on_server(defined_.size());
  for (std::size_t i = 0; i < defined_.size(); ++i) {
    const Defined& defined = defined_[i];
    const auto there =
        restore_definition(*client_, defined.definition, registration_of(defined, ca_bundle()), stop);
    if (there) on_server[i] = *there;
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
  // What is wrong now has let writes through, though it is mended in a moment.
  std::vector<GuardRead> before;
  for (const Guard& guard : guards_) before.push_back(read_guard(guard, on_server[guard.defined], stop));
  const AdmissionRegistration registration = admission();
  for (const RegisteredWebhook& webhook : webhooks_) {
    if (auto done = register_admission(*client_, {webhook}, registration, stop); !done) record(done.error());
  }
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    Guard& guard = guards_[i];
    if (before[i].error || !before[i].gap.empty()) tell(guard, before[i]);
    GuardRead now = read_guard(guard, on_server[guard.defined], stop);
    if (now.error) record(*now.error);
    renew(guard, now, stop);
    tell(guard, now);
    restored.guarded = restored.guarded && guard.sightings.effective();
  }
  for (Unguarded& kind : unguarded_)
    restored.others_guard = remove_left_behind(kind, stop) || restored.others_guard;
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
