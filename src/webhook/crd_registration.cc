// SPDX-License-Identifier: Apache-2.0

#include "webhook/crd_registration.h"

#include <algorithm>

#include "base/base64.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "k8s/documents.h"
#include "kube/client/conflict.h"
#include "kube/wait/wait_until.h"
#include "webhook/internal/present.h"

namespace fairway::webhook {
namespace {

using k8s::CustomResourceDefinition;

constexpr std::size_t most_file_bytes = 16 << 20;
constexpr char bundle_path[] = "spec.conversion.webhook.clientConfig.caBundle";

const k8s::GroupVersionResource resource = CustomResourceDefinition::resource.group_version_resource();

Result<void> check(const CustomResourceDefinition& definition) {
  if (!definition.is(CustomResourceDefinition::resource)) {
    return fail(ErrorCode::invalid, "expected a CustomResourceDefinition of apiextensions.k8s.io/v1, not " +
                                        printable(definition.kind(), 80) + " of " +
                                        printable(definition.api_version(), 80));
  }
  const std::string name = std::string(definition.plural()) + "." + std::string(definition.group());
  if (definition.name() != name) {
    return fail(ErrorCode::invalid, "metadata.name is '" + printable(definition.name(), 120) +
                                        "', and must be spec.names.plural and spec.group: '" +
                                        printable(name, 120) + "'");
  }
  const auto versions = definition.versions();
  if (std::ranges::count_if(versions, [](const auto& version) { return version.storage(); }) != 1)
    return fail(ErrorCode::invalid, "spec.versions: exactly one must have storage: true");
  return {};
}

/// The conversion stanza that a definition should have; its own takes precedence.
void fill_in_conversion(CustomResourceDefinition& definition, const CustomResourceDefinition* existing,
                        const CrdRegistration& registration) {
  if (!is_converted_by_webhook(definition)) return;
  k8s::Editor conversion = definition.edit("spec.conversion");
  conversion.set("strategy", "Webhook");
  if (!conversion.has("webhook.conversionReviewVersions")) {
    json::Array& versions = conversion.array("webhook.conversionReviewVersions");
    versions.emplace_back("v1");
    versions.emplace_back("v1beta1");
  }
  k8s::Editor client = conversion.edit("webhook.clientConfig");
  if (!client.has("service") && !client.has("url")) registration.webhook.write(client);
  if (!registration.ca_bundle.empty()) {
    client.set("caBundle", base64_encode(registration.ca_bundle));
  } else if (existing != nullptr && !client.has("caBundle")) {
    const std::string_view known = existing->text("spec.conversion.webhook.clientConfig.caBundle");
    if (!known.empty()) client.set("caBundle", known);
  }
}

Result<void> check_stored_versions(const CustomResourceDefinition& wanted,
                                   const CustomResourceDefinition& existing) {
  std::vector<std::string> gone;
  const auto versions = wanted.versions();
  for (const std::string_view stored : existing.stored_versions()) {
    if (std::ranges::none_of(versions, [&](const auto& version) { return version.name() == stored; }))
      gone.emplace_back(stored);
  }
  if (gone.empty()) return {};
  return fail(ErrorCode::conflict,
              "the new definition has no version " + join(gone, ", ") +
                  ", which objects may still be stored in (status.storedVersions); migrate them to " +
                  std::string(wanted.storage_version()) + " first, with a release that still has it");
}

/// A definition that no release of ours owns may have versions that another program needs.
Result<void> check_foreign_versions(const CustomResourceDefinition& wanted,
                                    const CustomResourceDefinition& existing) {
  if (!existing.annotation(release_annotation).empty()) return {};
  std::vector<std::string> gone;
  const auto versions = wanted.versions();
  for (const auto& known : existing.versions()) {
    const auto is_it = [&](const auto& version) { return version.name() == known.name(); };
    if (known.served() && std::ranges::none_of(versions, is_it)) gone.emplace_back(known.name());
  }
  if (gone.empty()) return {};
  return fail(ErrorCode::conflict,
              "the new definition has no version " + join(gone, ", ") +
                  ", which the one on the server serves, and nothing says which release that is of; use a "
                  "release that has it, or stop serving it (served: false) first");
}

/// Reads the definition once, as most are served already, and else watches it until it is.
Result<void> wait_until_served(const std::shared_ptr<kube::Client>& client, const std::string& name,
                               const Limits& limits) {
  const auto read = client->get(resource, {"", name}, {}, limits);
  if (!read && !read.error().is_not_found()) return fail(read.error());
  if (read && k8s::readiness(*read).is_ready()) return {};
  std::string why;
  const kube::WaitCondition is_served = [&](const k8s::Dynamic* definition) {
    k8s::Readiness readiness = kube::is_ready()(definition);
    why = readiness.reason;
    return readiness;
  };
  const auto waited = kube::wait_until(client, resource, {"", name}, is_served, limits);
  if (waited) return {};
  if (waited.error().code == ErrorCode::deadline_exceeded)
    return fail(ErrorCode::deadline_exceeded, "it is not served yet: " + why);
  return fail(waited.error());
}

std::string_view to_string(Registered registered) {
  switch (registered) {
    case Registered::created:
      return "created";
    case Registered::updated:
      return "updated";
    case Registered::unchanged:
      return "unchanged";
    case Registered::owned_by_newer_release:
      break;
  }
  return "left to a newer release";
}

std::string doing(const CustomResourceDefinition& wanted) {
  return "registering CustomResourceDefinition " + std::string(wanted.name());
}

struct Written {
  Registered outcome = Registered::unchanged;
  CustomResourceDefinition on_server;
};

/// Returns the object to write in place of the server's; nothing: no change.
using Plan = std::function<Result<std::optional<CustomResourceDefinition>>(const CustomResourceDefinition*)>;

/// Reads, plans and writes, again after each conflict.
Result<Written> write_definition(kube::Client& client, const CustomResourceDefinition& wanted,
                                 const std::string& field_manager, const std::stop_token& stop,
                                 const Plan& plan) {
  const Limits limits{.stop = stop};
  const kube::WriteOptions options{.field_manager = field_manager};
  Registered outcome = Registered::unchanged;
  auto written = kube::retry_on_conflict(
      client.clock(),
      [&]() -> kube::ApiResult<k8s::Dynamic> {
        auto read = client.get(resource, {"", std::string(wanted.name())}, {}, limits);
        const bool missing = !read && read.error().is_not_found();
        if (!read && !missing) return read;
        CustomResourceDefinition existing(missing ? json::Object{} : read->release());
        const auto conflict = [&](std::string_view why) {
          return std::unexpected(
              kube::ApiError(doing(wanted), k8s::Status::failure(k8s::reason::conflict, why)));
        };
        // Anything written now would be deleted with it.
        if (existing.is_being_deleted()) return conflict("it is being deleted");
        const auto planned = plan(missing ? nullptr : &existing);
        if (!planned) return std::unexpected(kube::ApiError(planned.error()));
        if (!*planned) {
          outcome = Registered::owned_by_newer_release;
          return existing;
        }
        if (!missing) {
          auto replaced = client.replace(resource, **planned, {}, options, limits);
          const bool same = replaced && replaced->resource_version() == existing.resource_version();
          outcome = same ? Registered::unchanged : Registered::updated;
          return replaced;
        }
        outcome = Registered::created;
        auto made = client.create(resource, **planned, options, limits);
        // Another replica was first: that is a conflict like any other.
        if (!made && made.error().is_already_exists()) return conflict("somebody else has made it");
        return made;
      },
      kube::conflict_of_replicas, stop);
  if (!written) return fail(written.error().within(doing(wanted)));
  return Written{outcome, CustomResourceDefinition(written->release())};
}

}  // namespace

Result<std::vector<CustomResourceDefinition>> read_definitions(std::string_view yaml,
                                                               const std::string& file) {
  const std::string what = "reading definitions of " + file;
  auto documents = k8s::read_documents(yaml);
  if (!documents) return fail(documents.error().within(what));
  std::vector<CustomResourceDefinition> definitions;
  for (k8s::Document& document : *documents) {
    const std::string place = what + ": line " + std::to_string(document.line);
    if (!document.value.is_object()) return fail(ErrorCode::invalid, place + ": this is no object");
    CustomResourceDefinition definition(std::move(document.value.get_object()));
    if (auto checked = check(definition); !checked) return fail(checked.error().within(place));
    definitions.push_back(std::move(definition));
  }
  return definitions;
}

Result<std::vector<CustomResourceDefinition>> read_definitions_of(const std::filesystem::path& folder) {
  std::error_code problem;
  std::vector<std::filesystem::path> files;
  for (auto entry = std::filesystem::directory_iterator(folder, problem);
       !problem && entry != std::filesystem::directory_iterator(); entry.increment(problem)) {
    const auto extension = entry->path().extension();
    if (extension == ".yaml" || extension == ".yml") files.push_back(entry->path());
  }
  if (problem)
    return fail(ErrorCode::not_found, "reading definitions of " + folder.string() + ": " + problem.message());
  std::ranges::sort(files);
  std::vector<CustomResourceDefinition> definitions;
  for (const auto& file : files) {
    const auto text = read_file(file, most_file_bytes);
    if (!text) return fail(text.error());
    auto read = read_definitions(*text, file.string());
    if (!read) return fail(read.error());
    std::ranges::move(*read, std::back_inserter(definitions));
  }
  return definitions;
}

Result<bool> is_of_newer_release(const k8s::Dynamic& existing, const Version& release) {
  const std::string_view text = existing.annotation(release_annotation);
  if (text.empty()) return false;
  const auto owner = Version::parse(text);
  if (!owner) {
    return fail(owner.error().within("the annotation " + std::string(release_annotation) +
                                     ", which says which release owns it; fix or remove it"));
  }
  return compare_precedence(*owner, release) == std::strong_ordering::greater;
}

bool is_converted_by_webhook(const CustomResourceDefinition& definition) {
  const std::string_view strategy = definition.text("spec.conversion.strategy");
  return strategy.empty() ? definition.versions().size() > 1 : strategy != "None";
}

Result<std::optional<CustomResourceDefinition>> plan_registration(const CustomResourceDefinition& wanted,
                                                                  const CustomResourceDefinition* existing,
                                                                  const CrdRegistration& registration) {
  if (auto checked = check(wanted); !checked) return fail(checked.error());
  CustomResourceDefinition planned = existing != nullptr ? *existing : wanted;
  if (existing != nullptr) {
    const auto newer = is_of_newer_release(*existing, registration.release);
    if (!newer) return fail(newer.error());
    if (*newer) return std::nullopt;
    if (auto checked = check_stored_versions(wanted, *existing); !checked) return fail(checked.error());
    if (auto checked = check_foreign_versions(wanted, *existing); !checked) return fail(checked.error());
    planned.set_json("spec", wanted.at("spec").json());
    for (const auto& [key, value] : wanted.labels()) planned.set_label(key, value);
    for (const auto& [key, value] : wanted.annotations()) planned.set_annotation(key, value);
  } else {
    planned.erase("status");
  }
  planned.set_annotation(release_annotation, registration.release.to_string());
  fill_in_conversion(planned, existing, registration);
  return planned;
}

Result<Registered> register_definition(const std::shared_ptr<kube::Client>& client,
                                       const CustomResourceDefinition& wanted,
                                       const CrdRegistration& registration, const std::stop_token& stop) {
  const std::string name(wanted.name());
  const Limits limits = Limits::within(client->clock(), registration.established_within, stop);
  const auto written = write_definition(*client, wanted, registration.field_manager, stop,
                                        [&](const CustomResourceDefinition* existing) {
                                          return plan_registration(wanted, existing, registration);
                                        });
  if (!written) return fail(written.error());
  log::info("registered a definition",
            {{"name", name}, {"outcome", std::string(to_string(written->outcome))}});
  if (auto waited = wait_until_served(client, name, limits); !waited)
    return fail(waited.error().within(doing(wanted)));
  return written->outcome;
}

Result<CustomResourceDefinition> restore_definition(kube::Client& client,
                                                    const CustomResourceDefinition& wanted,
                                                    const CrdRegistration& registration,
                                                    const std::stop_token& stop) {
  auto written = write_definition(
      client, wanted, registration.field_manager, stop,
      [&](const CustomResourceDefinition* existing) -> Result<std::optional<CustomResourceDefinition>> {
        if (existing == nullptr) return plan_registration(wanted, nullptr, registration);
        const std::string_view published = existing->text(bundle_path);
        CrdRegistration later = registration;
        if (!published.empty()) later.ca_bundle.clear();
        auto planned = plan_registration(wanted, existing, later);
        if (!planned || !*planned) return planned;
        CustomResourceDefinition compared = **planned;
        if (!published.empty()) compared.set(bundle_path, published);
        if (is_present(json::Value(compared.json()), json::Value(existing->json()))) return std::nullopt;
        return planned;
      });
  if (!written) return fail(written.error());
  if (written->outcome == Registered::created || written->outcome == Registered::updated) {
    log::warning(
        "registered a definition that was removed or changed",
        {{"name", std::string(wanted.name())}, {"outcome", std::string(to_string(written->outcome))}});
  }
  return std::move(written->on_server);
}

Result<void> register_definitions(const std::shared_ptr<kube::Client>& client,
                                  const std::vector<CustomResourceDefinition>& wanted,
                                  const CrdRegistration& registration, const std::stop_token& stop) {
  for (const CustomResourceDefinition& definition : wanted) {
    if (auto done = register_definition(client, definition, registration, stop); !done)
      return fail(done.error());
  }
  return {};
}

}  // namespace fairway::webhook
