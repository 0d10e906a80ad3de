// SPDX-License-Identifier: Apache-2.0

// The patch strategies of the built-in kinds: how lists and objects are merged.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "k8s/group_version.h"

namespace fairway::k8s {

/// The fields of one type whose merging is not the usual one (objects member by member, lists as a whole).
class PatchSchema {
 public:
  struct Field {
    /// Schema of the object, or of the items of the list; nullptr if everything below is merged as usual.
    const PatchSchema* type = nullptr;
    /// True if the list is merged item by item: by `merge_key`, or, if that is empty, as a set of texts or
    /// numbers.
    bool merge = false;
    /// True if the object is replaced as a whole.
    bool replace = false;
    std::string merge_key = {};
  };

  /// Returns the schema of a built-in kind; nullptr for all others: a strategic merge patch cannot be applied
  /// to them.
  static const PatchSchema* of(const GroupKind& kind);

  /// Returns a field; nullptr: it is merged as usual.
  const Field* find(std::string_view field) const;
  /// Adds a field, for types that are known from elsewhere. The schema that it points to must outlive this.
  void add(std::string_view name, Field field) {
    fields_.insert_or_assign(std::string(name), std::move(field));
  }

 private:
  friend class PatchSchemas;
  std::map<std::string, Field, std::less<>> fields_;
};

}  // namespace fairway::k8s
