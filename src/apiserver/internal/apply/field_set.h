// SPDX-License-Identifier: Apache-2.0

// Sets of field paths: what a manager owns.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/apply/path_element.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::apply {

struct Type;

/// A set of paths, as a tree. A path in the set does not imply the paths above and below it.
/// Rules: sigs.k8s.io/structured-merge-diff/v6/fieldpath.
class FieldSet {
 public:
  struct Child;

  FieldSet();
  explicit FieldSet(const std::vector<Path>& paths);
  FieldSet(const FieldSet&);
  FieldSet(FieldSet&&) noexcept;
  FieldSet& operator=(const FieldSet&);
  FieldSet& operator=(FieldSet&&) noexcept;
  ~FieldSet();

  /// Reads FieldsV1: `{"f:spec":{"f:replicas":{}}}`. Elements of an unknown kind are left out. Errors
  /// (`invalid`): a value that is no object, or keys that cannot be read. Depth and size are those of the
  /// document, which the JSON parser bounds.
  static Result<FieldSet> from_fields_v1(const json::Value& fields);
  /// Returns the canonical form, with the keys in the order of Kubernetes.
  json::Object to_fields_v1() const;
  /// Returns the bytes that Kubernetes writes.
  std::string to_text() const;

  /// Adds a path. The empty path, which has no owner, is left out.
  void insert(const Path& path);
  bool has(const Path& path) const;
  bool empty() const;
  /// The number of paths.
  std::size_t size() const;
  /// Calls `call` with each path, members of a node before the paths below them.
  void for_each(const std::function<void(const Path&)>& call) const;
  /// Returns one path a line.
  std::string to_string() const;

  FieldSet united(const FieldSet& other) const;
  FieldSet intersection(const FieldSet& other) const;
  /// Returns the set without the paths of `other`. Paths below those stay.
  FieldSet difference(const FieldSet& other) const;
  /// Returns the set without the paths of `other` and all that is below them.
  FieldSet recursive_difference(const FieldSet& other) const;
  /// Returns the leaves.
  FieldSet leaves() const;
  /// Returns the set with those paths above its own that are declared members of `type`, which is an
  /// object's.
  FieldSet with_named_fields(const Type& type) const;

  const std::vector<PathElement>& members() const { return members_; }
  /// Nodes with children, in order.
  const std::vector<Child>& children() const { return children_; }
  bool has_member(const PathElement& element) const;
  /// The set below an element; nullptr if it is empty.
  const FieldSet* child(const PathElement& element) const;
  const FieldSet* child(std::string_view field_name) const;
  bool has_member(std::string_view field_name) const;

  /// Adds a member, for building sets node by node, in any order.
  void insert_member(const PathElement& element);
  FieldSet& descend(const PathElement& element);
  void append(PathElement member) { members_.push_back(std::move(member)); }
  void append(PathElement element, FieldSet below);

  friend bool operator==(const FieldSet& a, const FieldSet& b);

 private:
  void append_text(std::string& out, bool with_self) const;
  void fill(json::Object& out, bool with_self) const;
  void for_each(Path& prefix, const std::function<void(const Path&)>& call) const;

  std::vector<PathElement> members_;
  std::vector<Child> children_;
};

struct FieldSet::Child {
  PathElement element;
  FieldSet set;
};

}  // namespace fairway::apiserver::apply
