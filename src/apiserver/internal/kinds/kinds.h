// SPDX-License-Identifier: Apache-2.0

// Kubernetes's built-in kinds, by group, version and kind.
#pragma once

#include <string_view>
#include <vector>

#include "apiserver/internal/kinds/message_type.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::kinds {

/// The types of the kinds of all groups and versions that are served, of their lists, and of the objects in
/// requests and replies (DeleteOptions, Status, reviews, Eviction, Scale, ...). They are tables of text in
/// the program (`kinds/data`, made from Kubernetes's Go modules by scripts/kinds/generate); a group version
/// is read at first use. Thread-safe.
class Kinds {
 public:
  /// Returns the type of a kind; nullptr if it is not a built-in one. DeleteOptions and the other options
  /// belong to each group version; Status, PartialObjectMetadata and their lists to "v1" and
  /// "meta.k8s.io/v1".
  static const MessageType* find(const k8s::GroupVersionKind& kind);
  /// Returns the type of a table by its name there: ("core/v1", "PodSpec"). nullptr: there is none.
  static const MessageType* message(std::string_view table, std::string_view name);
  /// Returns all group versions with kinds, in alphabetical order; meta.k8s.io/v1 is one.
  static std::vector<k8s::GroupVersion> group_versions();
  /// Returns the kinds of a group version in alphabetical order, lists included; empty if it has no table.
  static std::vector<std::string_view> kinds_of(const k8s::GroupVersion& group_version);
};

}  // namespace fairway::apiserver::kinds
