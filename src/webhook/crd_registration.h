// The webhook process registers the CRDs that it converts. spec: crd-versioning, Dynamic Certificates
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/semver.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/client.h"
#include "webhook/address.h"

namespace fairway::conversion {

/// The release that a definition, or a webhook configuration, is of: `Version`'s text. Written here, read
/// from the server.
inline constexpr std::string_view release_annotation = "conversion.fairway.dev/release";

/// Whether what the server has is of a newer release than this one: then it is left alone. One that says
/// nothing is of none: somebody has applied it by hand, or a program of the time before. Error: `invalid`
/// where the annotation is no release.
Result<bool> is_of_newer_release(const k8s::Dynamic& existing, const Version& release);

/// Reads definitions from YAML (one a document). Errors name the file and the line: `invalid` where something
/// else than a CustomResourceDefinition of apiextensions.k8s.io/v1 stands there, its name is not
/// PLURAL.GROUP, or not exactly one of its versions is the one that is stored.
Result<std::vector<k8s::CustomResourceDefinition>> read_definitions(std::string_view yaml,
                                                                    const std::string& file);
/// The same of all *.yaml and *.yml of a folder, in the order of their names.
Result<std::vector<k8s::CustomResourceDefinition>> read_definitions_of(const std::filesystem::path& folder);

struct CrdRegistration {
  /// Of this program. A definition of a newer one is never touched.
  Version release;
  WebhookAddress webhook;
  /// PEM. Empty: what the server has stays, and whoever keeps the certificates publishes it.
  std::string ca_bundle;
  std::string field_manager = "fairway-crds";
  /// How long one definition may take until it is served.
  std::chrono::nanoseconds established_within = std::chrono::seconds(60);
};

/// Whether registration has a webhook convert the definition's objects: it says so itself, or has several
/// versions and says nothing.
bool is_converted_by_webhook(const k8s::CustomResourceDefinition& definition);

/// What to write to have `wanted` on a server that holds `existing` (nullptr: nothing): the whole object, the
/// conversion stanza filled in where it has several versions and does not say itself how they are converted.
/// Nothing where `existing` is of a newer release. Errors: `conflict` where versions that objects are stored
/// in would go, by name, with what to do; `invalid` where the release that owns it cannot be read.
Result<std::optional<k8s::CustomResourceDefinition>> plan_registration(
    const k8s::CustomResourceDefinition& wanted, const k8s::CustomResourceDefinition* existing,
    const CrdRegistration& registration);

enum class Registered { created, updated, unchanged, owned_by_newer_release };

/// Creates or updates a definition and waits until it is served. Replicas, and releases that run side by
/// side, may do this at once: each write is of the version that was read. Errors name the definition: those
/// above, what the server says, and `deadline_exceeded` where it is not established in time, with the
/// server's reason.
Result<Registered> register_definition(kube::Client& client, const k8s::CustomResourceDefinition& wanted,
                                       const CrdRegistration& registration, const std::stop_token& stop = {});

/// All of them; the first error ends it.
Result<void> register_definitions(kube::Client& client,
                                  const std::vector<k8s::CustomResourceDefinition>& wanted,
                                  const CrdRegistration& registration, const std::stop_token& stop = {});

}  // namespace fairway::conversion
