// Which manifests of a release are for this cluster.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "payload/manifest.h"

namespace fairway::payload {

/// An entry of `spec.overrides` of ClusterVersion.
struct Override {
  ObjectId object;
  bool unmanaged = false;
};

/// What the annotations of manifests are compared with. The rules are OpenShift's (library-go, manifest), but
/// for one: a manifest that names no profile at all is for every cluster.
struct Selection {
  /// `include.release.openshift.io/PROFILE: "true"`, and `exclude.`.
  std::string profile = "self-managed-high-availability";
  /// Of `release.openshift.io/feature-set: A,B`; empty: "Default".
  std::string feature_set;
  /// Enabled ones; `release.openshift.io/feature-gate: A,-B` needs A enabled and B not.
  std::set<std::string> feature_gates;
  /// Of `capability.openshift.io/name: A+B`, all of which must be enabled; std::nullopt: all are.
  std::optional<std::set<std::string>> capabilities;
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

/// Returns whether a manifest says that its object is to be removed (`release.openshift.io/delete: "true"`).
bool is_removal(const Manifest& manifest);
/// Returns whether its object is created where there is none, and never changed
/// (`release.openshift.io/create-only: "true"`).
bool is_create_only(const Manifest& manifest);

/// Selects. Errors (`invalid`) name file and document: `release.openshift.io/delete` or `create-only` with
/// another value than "true", both on one manifest; `conflict`: two manifests of one object (ten at most).
Result<SelectedManifests> select(std::vector<Manifest> manifests, const Selection& selection);

}  // namespace fairway::payload
