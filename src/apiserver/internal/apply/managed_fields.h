// SPDX-License-Identifier: Apache-2.0

// metadata.managedFields of an object.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "apiserver/internal/apply/updater.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::apply::internal {

/// The identity of a manager: each has one entry of managedFields.
struct ManagerIdentity {
  std::string manager;
  bool applied = false;
  /// Version and subresource; both empty if `applied`: an applier has one entry for all versions.
  std::string api_version, subresource;

  /// The key in `Owners`.
  std::string to_text() const;
  static ManagerIdentity of_text(std::string_view text);
  /// The identity as in messages of conflicts: `"kubectl-edit" with subresource "status" using apps/v1`.
  std::string to_string() const;
};

/// The decoded managedFields. Rules: k8s.io/apimachinery/pkg/util/managedfields.
struct ManagedFields {
  Owners owners;
  /// Time of each owner's last change, as RFC 3339 with seconds in UTC; absent if it has none.
  std::map<std::string, std::string, std::less<>> times;

  /// Reads the list. `entries` may be nullptr or null: there are none. Errors (`invalid`): an operation other
  /// than Apply and Update, no apiVersion, a type of fields other than FieldsV1, fields or a time that cannot
  /// be read.
  static Result<ManagedFields> decode(const json::Value* entries);
  /// Returns the list in Kubernetes's order: Apply before Update, then by time, manager, version and
  /// subresource.
  json::Array encode() const;

  /// Merges the oldest entries of updates into "ancient-changes", one for each version, until there are at
  /// most `limit` entries of updates.
  void merge_oldest_updates(std::size_t limit);
};

}  // namespace fairway::apiserver::apply::internal
