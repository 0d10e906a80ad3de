// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/table/table_text.h"

namespace fairway::apiserver::table {

TableWriter::TableWriter(std::string& out, std::string_view version, const k8s::ObjectList& head,
                         const TableColumns* columns)
    : out_(out) {
  json::Object metadata;
  if (!head.resource_version.empty()) metadata["resourceVersion"] = head.resource_version;
  if (!head.continue_token.empty()) metadata["continue"] = head.continue_token;
  if (head.remaining) metadata["remainingItemCount"] = *head.remaining;
  out_.append(R"({"kind":"Table","apiVersion":"meta.k8s.io/)").append(version).append(R"(","metadata":)");
  json::append_text(out_, metadata);
  out_ += R"(,"columnDefinitions":)";
  out_ += columns != nullptr ? std::string_view(columns->definitions()) : "null";
  out_ += R"(,"rows":[)";
}

void TableWriter::add(const Row& row, std::string_view object) {
  if (!first_) out_ += ',';
  first_ = false;
  out_ += R"({"cells":)";
  json::append_text(out_, json::Value(row.cells));
  if (!row.conditions.empty()) {
    out_ += R"(,"conditions":)";
    json::append_text(out_, json::Value(row.conditions));
  }
  out_.append(R"(,"object":)").append(object).append("}");
}

void TableWriter::end() {
  out_ += "]}";
}

}  // namespace fairway::apiserver::table
