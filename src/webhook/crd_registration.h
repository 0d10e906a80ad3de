// SPDX-License-Identifier: Apache-2.0

// Registration of CRDs by the webhook process.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/semver.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/client.h"
#include "webhook/address.h"

namespace fairway::webhook {

/// The release that owns a definition or a webhook configuration, a `Version` as text.
inline constexpr std::string_view release_annotation = "conversion.fairway.dev/release";

/// Returns whether the object on the server is owned by a newer release than this one, and must not be
/// changed. Without the annotation it has no owner: it was applied by hand, or by an older program. Error:
/// `invalid` if the annotation is not a version.
Result<bool> is_of_newer_release(const k8s::Dynamic& existing, const Version& release);

/// Reads definitions from YAML (one per document). Errors name the file and the line: `invalid` if a document
/// is not a CustomResourceDefinition of apiextensions.k8s.io/v1, its name is not PLURAL.GROUP, or it does not
/// have exactly one storage version.
Result<std::vector<k8s::CustomResourceDefinition>> read_definitions(std::string_view yaml,
                                                                    const std::string& file);
/// Reads the definitions of all *.yaml and *.yml files of a folder, sorted by name.
Result<std::vector<k8s::CustomResourceDefinition>> read_definitions_of(const std::filesystem::path& folder);

struct CrdRegistration {
  /// The release of this program. A definition of a newer one is not changed.
  Version release = {};
  Address webhook = {};
  /// PEM. Empty: the server's bundle is kept (`publish_ca_bundle` updates it).
  std::string ca_bundle = {};
  std::string field_manager = "fairway-crds";
  /// Timeout until a definition is established.
  std::chrono::nanoseconds established_within = std::chrono::seconds(60);
};

/// Returns whether the definition uses conversion by webhook: explicitly, or because it has several versions
/// and no strategy.
bool is_converted_by_webhook(const k8s::CustomResourceDefinition& definition);

/// The object to write to register `wanted` on a server that has `existing` (nullptr: none): complete, with
/// the conversion stanza added if it has several versions and no strategy. std::nullopt if `existing` is
/// owned by a newer release. Errors: `conflict` if stored versions would be removed, with their names and
/// what to do; `invalid` if the owning release cannot be parsed.
Result<std::optional<k8s::CustomResourceDefinition>> plan_registration(
    const k8s::CustomResourceDefinition& wanted, const k8s::CustomResourceDefinition* existing,
    const CrdRegistration& registration);

enum class Registered { created, updated, unchanged, owned_by_newer_release };

/// Creates or updates a definition and waits until it is established, for which it is listed and watched.
/// Replicas, also of different releases, may do this concurrently: each write carries the resourceVersion
/// that was read. Errors name the definition: those above, those of the server, and `deadline_exceeded` if it
/// is not established in time, with the server's reason.
Result<Registered> register_definition(const std::shared_ptr<kube::Client>& client,
                                       const k8s::CustomResourceDefinition& wanted,
                                       const CrdRegistration& registration, const std::stop_token& stop = {});

/// Restores a registered definition: creates it if it was deleted, and updates it if a field that `wanted`
/// sets was changed or removed; with the CA bundle of `registration` if the server has none. Additions of
/// others are kept, and so is the definition of a newer release. Does not wait until it is established.
/// Returns the definition on the server; errors as above.
Result<k8s::CustomResourceDefinition> restore_definition(kube::Client& client,
                                                         const k8s::CustomResourceDefinition& wanted,
                                                         const CrdRegistration& registration,
                                                         const std::stop_token& stop = {});

/// Registers all definitions with `register_definition`; stops at the first error.
Result<void> register_definitions(const std::shared_ptr<kube::Client>& client,
                                  const std::vector<k8s::CustomResourceDefinition>& wanted,
                                  const CrdRegistration& registration, const std::stop_token& stop = {});

}  // namespace fairway::webhook
