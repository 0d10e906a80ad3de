// SPDX-License-Identifier: Apache-2.0

// Tables of meta.k8s.io as JSON.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/internal/table/table_columns.h"
#include "k8s/wire/list.h"

namespace fairway::apiserver::table {

/// Appends a Table to a string, row by row.
class TableWriter {
 public:
  /// Begins a Table. `version`: "v1" or "v1beta1". Items of `head` are not written. Without `columns`,
  /// `columnDefinitions` is null, as in the events of a watch after its first.
  TableWriter(std::string& out, std::string_view version, const k8s::ObjectList& head,
              const TableColumns* columns);
  /// Adds a row. `object` is JSON: the object, its metadata, or null.
  void add(const Row& row, std::string_view object);
  /// Ends the Table. Must be called last.
  void end();

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace fairway::apiserver::table
