// SPDX-License-Identifier: Apache-2.0

// The difference of two releases: what an update from one to the other changes in a cluster.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "payload/capabilities.h"
#include "payload/field_change.h"
#include "payload/manifest.h"
#include "payload/release_image.h"
#include "payload/rights_change.h"
#include "payload/selection.h"

namespace fairway::payload {

/// An object that both releases apply, in different forms.
struct ChangedObject {
  ObjectId object;
  /// True if the newer release only creates it: where it is, it stays as it is.
  bool create_only = false;
  FieldChanges changes;
};

/// An object that the older release applies and the newer one neither applies nor removes: it stays in the
/// cluster, and nobody keeps it as it is.
struct LeftObject {
  ObjectId object;
  std::string why;  ///< "it is for the profiles ibm-cloud-managed"; empty: the release does not have it
};

/// A CustomResourceDefinition that stores another version, or gives versions up.
struct DefinitionChange {
  std::string name;                                    ///< "widgets.example.com"
  std::string storage_before, storage_after;           ///< after: empty if the definition is removed
  std::vector<std::string> served_gone, served_added;  ///< versions that clients can use no more, or now
  /// Versions that the definition no longer has. API servers refuse that while objects may be stored in one
  /// (`status.storedVersions`).
  std::vector<std::string> versions_gone;
  bool removed = false;  ///< true: the definition goes, and all objects of its kind with it

  bool moves_storage() const { return !removed && storage_before != storage_after; }
};

/// A text with a key that is another one, or there on one side alone.
struct TextChange {
  std::string key;
  std::optional<std::string> before, after;
  friend bool operator==(const TextChange&, const TextChange&) = default;
};

/// The changes of an update from one release to another. Lists of objects are in the order of group, kind,
/// namespace and name.
struct ReleaseDiff {
  std::vector<ObjectId> added;
  std::vector<ChangedObject> changed;
  /// The newer release removes them, and the older one did not: by themselves, or as objects of the older one
  /// in a namespace, or of a definition, that is removed.
  std::vector<ObjectId> removed;
  std::vector<LeftObject> left;
  std::vector<DefinitionChange> definitions;
  std::vector<GrownRights> rights;  ///< without those of objects that are only created and were there before
  std::vector<std::string> capabilities_added, capabilities_gone;  ///< names in manifests
  std::vector<TextChange> images;                                  ///< component to pull spec
  std::vector<TextChange> metadata;
  /// True if the newer release has the older one among those that it can be updated from, or the older one
  /// has the newer one among those that it can be updated to.
  bool listed = false;
  std::size_t left_out_before = 0, left_out_after = 0;  ///< number of manifests that are not for the cluster

  /// Returns whether nothing in a cluster changes but the metadata of its release.
  bool is_empty() const;
};

/// Compares two releases, as a cluster of this selection applies them: each side with its own major version.
/// Errors: those of `select`, with the release's version.
Result<ReleaseDiff> diff_releases(const ReleaseImage& from, const ReleaseImage& to,
                                  const Selection& selection);

/// Returns the difference as JSON. All members are always there.
json::Object to_json(const ReleaseDiff& diff);

}  // namespace fairway::payload
