// SPDX-License-Identifier: Apache-2.0

// The selection of a release's manifests that are for this cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "payload/manifest.h"

namespace fairway::payload {

/// The annotation that names the capabilities which an object is part of, joined by `+`.
inline constexpr std::string_view capability_annotation = "capability.openshift.io/name";

/// An entry of `spec.overrides` of ClusterVersion.
struct Override {
  ObjectId object;
  bool unmanaged = false;
};

/// The values that the annotations of manifests are compared with. The rules are OpenShift's (library-go,
/// manifest), but for one: a manifest that names no profile at all is for every cluster.
struct Selection {
  /// Cluster profile, for `include.release.openshift.io/PROFILE: "true"` and `exclude.`.
  std::string profile = "self-managed-high-availability";
  /// Feature set, for `release.openshift.io/feature-set: A,B`; empty: "Default". A manifest that names a set
  /// which does not exist is left out, and so is one that has both a feature set and feature gates.
  std::string feature_set;
  /// Enabled feature gates; `release.openshift.io/feature-gate: A,-B` needs A enabled and B not.
  std::set<std::string> feature_gates;
  /// Enabled capabilities; `capability.openshift.io/name: A+B` needs both. std::nullopt: all are enabled.
  std::optional<std::set<std::string>> capabilities;
  /// Capabilities that exist; std::nullopt: all do.
  std::optional<std::set<std::string>> known_capabilities = {};
  /// Major version of the release, for `release.openshift.io/major-version: 4,5` or `-4`, which only
  /// FeatureGates and CustomResourceDefinitions may have; std::nullopt: it selects nothing.
  std::optional<std::uint64_t> major_version = {};
  /// `spec.overrides` of ClusterVersion: objects that are not managed.
  std::vector<Override> overrides;
};

/// A manifest that is not for this cluster.
struct LeftOut {
  ObjectId object;
  std::string place;
  std::string why;  ///< "it is for the profiles ibm-cloud-managed"
};

struct SelectedManifests {
  std::vector<Manifest> manifests;  ///< in the order of the release
  std::vector<LeftOut> left_out;
};

/// Returns the names in an annotation `capability.openshift.io/name`: as they stand between the `+`, blanks
/// and empty ones too, which are unknown capabilities, as in OpenShift. An empty value has none.
std::vector<std::string> capabilities_named(std::string_view value);
/// Returns whether a manifest is not for this cluster.
bool is_left_out(const Manifest& manifest, const Selection& selection);
/// Returns whether a manifest's object has to be removed (`release.openshift.io/delete: "true"`).
bool is_removal(const Manifest& manifest);
/// Returns whether a manifest's object is created if it does not exist, and never changed
/// (`release.openshift.io/create-only: "true"`).
bool is_create_only(const Manifest& manifest);

/// Selects the manifests for this cluster. Errors name file and document, ten at most. `invalid`:
/// `release.openshift.io/delete` or `create-only` with another value than "true", or both on one manifest.
/// `conflict`: two manifests of one object.
Result<SelectedManifests> select(std::vector<Manifest> manifests, const Selection& selection);

}  // namespace fairway::payload
