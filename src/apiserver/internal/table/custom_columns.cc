// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include "apiserver/internal/table/printer_column.h"
#include "apiserver/internal/table/table_columns.h"

namespace fairway::apiserver::table {
namespace {

class CustomColumns final : public TableColumns {
 public:
  CustomColumns(std::span<const Column> columns, std::vector<PrinterColumn> printers)
      : TableColumns(columns), printers_(std::move(printers)) {}

  Row row(const json::Value& object, WallTime now) const override {
    Row row;
    const json::Object* members = object.if_object();
    row.cells.emplace_back(members != nullptr ? k8s::View(*members).text("metadata.name")
                                              : std::string_view{});
    for (const PrinterColumn& printer : printers_) row.cells.push_back(printer.cell(object, now));
    return row;
  }

 private:
  std::vector<PrinterColumn> printers_;
};

}  // namespace

TableColumnsPtr custom_columns(const k8s::View& version) {
  std::vector<Column> columns{{.name = "Name", .format = "name", .description = ""}};
  std::vector<PrinterColumn> printers;
  const auto add = [&](std::string_view path, Column column) {
    auto printer = PrinterColumn::of(path, column.type);
    if (!printer) return false;
    printers.push_back(*std::move(printer));
    columns.push_back(std::move(column));
    return true;
  };
  const std::vector<k8s::View> asked = version.items("additionalPrinterColumns");
  if (asked.empty()) {
    add(".metadata.creationTimestamp", {.name = "Age", .type = "date", .format = "", .description = ""});
  }
  for (const k8s::View& one : asked) {
    const std::string path(one.text("jsonPath"));
    std::string description(one.text("description"));
    if (description.empty()) {
      description = "Custom resource definition column (in JSONPath format): " + path;
    }
    Column column{.name = std::string(one.text("name")),
                  .type = std::string(one.text("type")),
                  .format = std::string(one.text("format")),
                  .description = std::move(description),
                  .priority = static_cast<std::int32_t>(one.integer("priority"))};
    if (!add(path, std::move(column))) break;
  }
  return std::make_shared<const CustomColumns>(columns, std::move(printers));
}

}  // namespace fairway::apiserver::table
