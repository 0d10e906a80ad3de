// SPDX-License-Identifier: Apache-2.0

// An object's metadata while the object is converted: only labels and annotations may come out differently.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "k8s/object.h"

namespace fairway::conversion {

/// Sets apiVersion and kind.
void set_headers(k8s::Dynamic& object, std::string_view group, std::string_view version,
                 std::string_view kind);

/// Checks an object's annotations as an API server checks those that a conversion has changed. Errors:
/// `too_large`, with the length that they have together; `invalid` for a key that is no qualified name, or a
/// value that is no string.
Result<void> check_annotations(const k8s::Dynamic& object);

class ObjectMetadata {
 public:
  /// Takes an object's metadata and leaves it a copy, in which steps may read everything and change labels
  /// and annotations. managedFields, which is long and of no use to steps, is not in the copy. Error: the
  /// object has no metadata, or it is no object (which the API server would not take back).
  static Result<ObjectMetadata> take(k8s::Dynamic& object);

  /// Restores labels and annotations if a step has left no metadata at all.
  void keep_if_dropped(k8s::Dynamic& object) const;
  /// Gives the object its metadata back, with the labels and annotations that it has now: none if they are
  /// gone, the original ones if all metadata is gone. Errors name a label or annotation that the API server
  /// would refuse, and annotations that are too long together.
  Result<void> put_back(k8s::Dynamic& object);

 private:
  explicit ObjectMetadata(json::Object original) : original_(std::move(original)) {}
  Result<void> replace(std::string_view field, const json::Object& current);

  json::Object original_;
};

}  // namespace fairway::conversion
