// SPDX-License-Identifier: Apache-2.0

// The columns in which objects of a resource are shown.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/group_version.h"
#include "k8s/view.h"

namespace fairway::apiserver::table {

/// A `TableColumnDefinition` of meta.k8s.io.
struct Column {
  std::string name;
  std::string type = "string";
  /// Format: "name" for the column that names the object.
  std::string format;
  std::string description;
  /// Columns above 0 are shown on request (`kubectl get -o wide`).
  std::int32_t priority = 0;
};

/// An object as a row.
struct Row {
  json::Array cells;
  /// Member `conditions`: that a Pod has ended; empty if there are none.
  json::Array conditions;
};

/// The columns of a resource. Immutable; safe from all threads.
class TableColumns {
 public:
  explicit TableColumns(std::span<const Column> columns);
  virtual ~TableColumns() = default;

  /// Id that is unique for each: it identifies values made with these columns.
  std::uint64_t id() const { return id_; }
  /// The `columnDefinitions` as JSON.
  const std::string& definitions() const { return definitions_; }
  /// Returns the row of an object that is in the version of the resource; ages are those at `now`. An empty
  /// object, as that of a bookmark, has a row too.
  virtual Row row(const json::Value& object, WallTime now) const = 0;
  /// Returns whether one row of a list may have a mark: the class that is the default.
  virtual bool has_mark() const { return false; }
  /// Returns whether an object asks for the mark. Of several in a list the newest one has it, and of those
  /// made in the same second the first by name.
  virtual bool asks_for_mark(const json::Value& /*object*/) const { return false; }
  /// Marks a row.
  virtual void mark(Row&) const {}

 private:
  std::uint64_t id_;
  std::string definitions_;
};

using TableColumnsPtr = std::shared_ptr<const TableColumns>;

/// Returns the columns of a built-in kind as kube-apiserver has them, without descriptions: those of
/// k8s.io/kubernetes/pkg/printers/internalversion. Kinds that have none there show their name and creation.
TableColumnsPtr built_in_columns(const k8s::GroupKind& kind);

/// Returns the columns of a version of a CustomResourceDefinition: `spec.versions[*]`. Without columns of its
/// own it shows the age. A column whose path cannot be read ends them, as in the real server.
TableColumnsPtr custom_columns(const k8s::View& version);

}  // namespace fairway::apiserver::table
