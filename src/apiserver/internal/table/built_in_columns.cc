// SPDX-License-Identifier: Apache-2.0

#include <map>

#include "apiserver/internal/table/cells.h"
#include "apiserver/internal/table/table_columns.h"

namespace fairway::apiserver::table {
namespace {

class BuiltInColumns final : public TableColumns {
 public:
  BuiltInColumns(std::span<const Column> columns, Row (*row)(const k8s::View& object, WallTime now))
      : TableColumns(columns), row_(row) {}
  Row row(const json::Value& object, WallTime now) const override {
    const json::Object* members = object.if_object();
    return row_(members != nullptr ? k8s::View(*members) : k8s::View(empty_), now);
  }

 private:
  json::Object empty_;
  Row (*row_)(const k8s::View& object, WallTime now);
};

TableColumnsPtr made_of(const Printer& printer) {
  std::vector<Column> columns;
  for (const Header& header : printer.headers) {
    columns.push_back({.name = std::string(header.name),
                       .type = std::string(header.type),
                       .format = std::string(header.format),
                       .description = "",
                       .priority = header.priority});
  }
  return std::make_shared<const BuiltInColumns>(columns, printer.row);
}

Row name_and_creation(const k8s::View& object, WallTime) {
  return {{object.text("metadata.name"), object.text("metadata.creationTimestamp")}, {}};
}

std::map<k8s::GroupKind, TableColumnsPtr> all() {
  std::map<k8s::GroupKind, TableColumnsPtr> made;
  for (const auto& printers : {pod_printers(), workload_printers(), network_printers(), storage_printers(),
                               policy_printers(), cluster_printers()}) {
    for (const Printer& printer : printers) made.emplace(printer.kind, made_of(printer));
  }
  return made;
}

}  // namespace

TableColumnsPtr built_in_columns(const k8s::GroupKind& kind) {
  static const std::map<k8s::GroupKind, TableColumnsPtr> known = all();
  static const TableColumnsPtr others =
      made_of({{}, {name_header, {.name = "Created At", .type = "date"}}, &name_and_creation});
  const auto found = known.find(kind);
  return found != known.end() ? found->second : others;
}

}  // namespace fairway::apiserver::table
