// SPDX-License-Identifier: Apache-2.0

// The list that a migration reads, and the resource through which it writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conversion/migration/migration.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/label_selector.h"

namespace fairway::conversion {

/// The list of a migration.
struct StoredList {
  /// Group and plural; and the versions to read in, the first of which that can is taken. At least one.
  std::string group = {}, plural = {};
  std::vector<std::string> versions = {};
  bool namespaced = true;
  /// The namespace and the labels; empty: all.
  std::string namespace_name = {};
  k8s::LabelSelector labels = {};
  std::int64_t page_size = 500;
  /// Attempts to read a single object.
  int attempts = 5;
  /// The continue token with which it begins; empty: at the first object.
  std::string continue_token = {};
  /// The objects are wanted whole, and not only their keys.
  bool whole = false;
};

/// Returns the resource through which the objects are written. Any served version will do: the new one costs
/// the server least. std::nullopt: none is served.
std::optional<k8s::GroupVersionResource> resource_to_write(const k8s::CustomResourceDefinition& definition,
                                                           const MigrationRequest& request);
/// Returns the list of the objects, from the first on. Its versions are those that are served; first the one
/// to leave and others that may be stored, which need no conversion to be read.
StoredList list_of_stored(const k8s::CustomResourceDefinition& definition, const MigrationRequest& request,
                          const MigrationPace& pace);

}  // namespace fairway::conversion
