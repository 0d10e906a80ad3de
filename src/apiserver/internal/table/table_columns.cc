// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/table/table_columns.h"

#include <atomic>

namespace fairway::apiserver::table {
namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

TableColumns::TableColumns(std::span<const Column> columns) : id_(next_id()) {
  json::Array list;
  for (const Column& column : columns) {
    list.push_back(json::Object{{"name", column.name},
                                {"type", column.type},
                                {"format", column.format},
                                {"description", column.description},
                                {"priority", column.priority}});
  }
  json::append_text(definitions_, json::Value(std::move(list)));
}

}  // namespace fairway::apiserver::table
