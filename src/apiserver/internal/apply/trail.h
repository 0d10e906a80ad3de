// SPDX-License-Identifier: Apache-2.0

// The path of a walk through a value, for messages and for the sets that the walk fills.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/apply/field_set.h"
#include "base/result.h"

namespace fairway::apiserver::apply::internal {

/// One step from the root to a value; lives on the stack of the walk. Nodes of the sets are looked up only at
/// first use: most of a walk adds nothing to them.
class Trail {
 public:
  using Sets = std::array<FieldSet*, 3>;

  explicit Trail(Sets sets = {}) : nodes_(sets) {}
  Trail(const Trail& parent, std::string_view field) : parent_(&parent), field_(field) {}
  Trail(const Trail& parent, const PathElement& element) : parent_(&parent), element_(&element) {}
  Trail(const Trail&) = delete;
  Trail& operator=(const Trail&) = delete;

  /// Adds this path to a set, by its place in `Sets`. The root is not added.
  void insert(std::size_t set) const;
  /// Adds the path of a child.
  void insert(std::size_t set, const PathElement& child) const { node(set).insert_member(child); }
  /// The path as in messages: ".spec.ports[port=80]".
  std::string to_string() const;

 private:
  PathElement element() const { return element_ != nullptr ? *element_ : PathElement::field(field_); }
  FieldSet& node(std::size_t set) const;

  const Trail* parent_ = nullptr;
  std::string_view field_;
  const PathElement* element_ = nullptr;
  // While this trail lives, nothing else is added to its parent's nodes: they stay where they are.
  mutable Sets nodes_{};
};

/// The faults of a value, each with its path.
class Faults {
 public:
  void add(const Trail& at, std::string_view message);
  bool empty() const { return lines_.empty(); }
  std::size_t size() const { return lines_.size(); }
  /// The faults as one error: one line, or "errors:" and one line each.
  Error to_error() const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace fairway::apiserver::apply::internal
