// SPDX-License-Identifier: Apache-2.0

#include <map>

#include "apiserver/internal/table/cells.h"
#include "apiserver/internal/table/table_columns.h"

namespace fairway::apiserver::table {
namespace {

class BuiltInColumns final : public TableColumns {
 public:
  BuiltInColumns(std::span<const Column> columns, const Printer& printer)
      : TableColumns(columns), row_(printer.row), asks_for_mark_(printer.asks_for_mark) {}
  Row row(const json::Value& object, WallTime now) const override { return row_(view(object), now); }
  bool has_mark() const override { return asks_for_mark_ != nullptr; }
  bool asks_for_mark(const json::Value& object) const override {
    return asks_for_mark_ != nullptr && asks_for_mark_(view(object));
  }
  void mark(Row& row) const override {
    json::Value& name = row.cells.front();
    name = std::string(name.as_string()) + " (default)";
  }

 private:
  k8s::View view(const json::Value& object) const {
    const json::Object* members = object.if_object();
    return members != nullptr ? k8s::View(*members) : k8s::View(empty_);
  }

  json::Object empty_;
  Row (*row_)(const k8s::View& object, WallTime now);
  bool (*asks_for_mark_)(const k8s::View& object);
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
  return std::make_shared<const BuiltInColumns>(columns, printer);
}

Row name_and_creation(const k8s::View& object, WallTime) {
  return {{object.text("metadata.name"), object.text("metadata.creationTimestamp")}, {}};
}

std::map<k8s::GroupKind, TableColumnsPtr> all() {
  std::map<k8s::GroupKind, TableColumnsPtr> made;
  for (const auto& printers : {pod_printers(), workload_printers(), network_printers(), storage_printers(),
                               policy_printers(), cluster_printers(), device_printers()}) {
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
