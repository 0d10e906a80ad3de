// SPDX-License-Identifier: Apache-2.0

// Rows of built-in kinds, beside those of Kubernetes's own printers (tests/conformance/kube/kinds-tables).
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

#include "apiserver/internal/table/table_columns.h"
#include "support/cases.h"

namespace fairway::apiserver::table {
namespace {

using namespace std::chrono_literals;

const WallTime now = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);

/// Replaces texts like "@90" and "@90u" by times.
json::Value dated(const json::Value& document) {
  std::string text = json::to_text(document);
  for (std::size_t at = text.find("\"@"); at != std::string::npos; at = text.find("\"@", at + 1)) {
    std::size_t digits = 0;
    int seconds = 0;
    try {
      seconds = std::stoi(text.substr(at + 2), &digits);
    } catch (const std::invalid_argument&) {
      continue;  // a schedule: "@daily"
    }
    const bool with_micros = text[at + 2 + digits] == 'u';
    std::string shown = format_time(now - std::chrono::seconds(seconds));
    if (with_micros) shown.insert(shown.size() - 1, ".000000");
    text.replace(at + 1, 1 + digits + (with_micros ? 1 : 0), shown);
  }
  return json::parse(text).value();
}

TEST(Tables, ShowTheRowsOfKubernetes) {
  int ended = 0;
  for (const json::Value& one :
       fairway::testing::read_cases(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/tables.json")) {
    const json::Value& document = fairway::testing::field(one, "document");
    const json::Value& expected = fairway::testing::field(one, "table");
    SCOPED_TRACE(json::to_text(document));
    const auto version = k8s::GroupVersion::parse(fairway::testing::text(document, "apiVersion"));
    const TableColumnsPtr columns =
        built_in_columns({version->group, fairway::testing::text(document, "kind")});
    json::Value definitions = json::parse(columns->definitions()).value();
    for (json::Value& column : definitions.as_array()) {
      EXPECT_EQ(column.at("description"), "");
      column.as_object().erase("description");
    }
    EXPECT_EQ(json::to_text(definitions), json::to_text(expected.at("columns")));
    const Row row = columns->row(dated(document), now);
    EXPECT_EQ(json::to_text(json::Value(row.cells)), json::to_text(expected.at("cells")));
    const json::Value* conditions = json::find(expected, "conditions");
    ASSERT_EQ(row.conditions.empty(), conditions == nullptr);
    if (conditions == nullptr) continue;
    EXPECT_EQ(row.conditions[0].at("type"), conditions->at(0).at("type"));
    EXPECT_EQ(row.conditions[0].at("status"), conditions->at(0).at("status"));
    EXPECT_EQ(row.conditions[0].at("reason"), conditions->at(0).at("reason"));
    ++ended;
  }
  EXPECT_GT(ended, 0);
}

TEST(Tables, ShowNameAndCreationWhereAKindHasNoColumns) {
  const TableColumnsPtr columns = built_in_columns({"rbac.authorization.k8s.io", "Role"});
  const auto role =
      json::parse(R"({"metadata":{"name":"r","creationTimestamp":"2025-12-31T00:00:00Z"}})").value();
  EXPECT_EQ(json::to_text(json::Value(columns->row(role, now).cells)), R"(["r","2025-12-31T00:00:00Z"])");
  EXPECT_NE(columns->definitions().find(R"("name":"Created At","type":"date")"), std::string::npos);
}

TEST(Tables, OfServicesOfTheApi) {
  const TableColumnsPtr columns = built_in_columns({"apiregistration.k8s.io", "APIService"});
  const auto cells = [&](std::string_view text) {
    return json::to_text(json::Value(columns->row(json::parse(text).value(), now).cells));
  };
  EXPECT_EQ(cells(R"({"metadata":{"name":"v1."}})"), R"(["v1.","Local","Unknown","<unknown>"])");
  const std::string_view gone =
      R"({"metadata":{"name":"v1.x"},"spec":{"service":{"namespace":"n","name":"s"}},
          "status":{"conditions":[{"type":"Available","status":"False","reason":"Gone"}]}})";
  EXPECT_EQ(cells(gone), R"x(["v1.x","n/s","False (Gone)","<unknown>"])x");
}

TEST(Tables, OfCustomResourcesHaveTheColumnsOfTheVersion) {
  const auto version = json::parse(R"({"name":"v1","additionalPrinterColumns":[
      {"name":"Color","type":"string","jsonPath":".spec.color"},
      {"name":"Size","type":"integer","format":"int32","priority":1,"jsonPath":".spec.size","description":"How large."},
      {"name":"Age","type":"date","jsonPath":".metadata.creationTimestamp"}]})")
                           .value();
  const TableColumnsPtr columns = custom_columns(k8s::View(version.as_object()));
  EXPECT_EQ(json::to_text(json::parse(columns->definitions()).value()),
            R"([{"name":"Name","type":"string","format":"name","description":"","priority":0},)"
            R"({"name":"Color","type":"string","format":"","description":)"
            R"("Custom resource definition column (in JSONPath format): .spec.color","priority":0},)"
            R"({"name":"Size","type":"integer","format":"int32","description":"How large.","priority":1},)"
            R"({"name":"Age","type":"date","format":"","description":)"
            R"("Custom resource definition column (in JSONPath format): .metadata.creationTimestamp",)"
            R"("priority":0}])");
  const auto object = json::parse(
      R"({"metadata":{"name":"w","creationTimestamp":"2025-12-31T23:00:00Z"},"spec":{"size":3}})");
  EXPECT_EQ(json::to_text(json::Value(columns->row(*object, now).cells)), R"(["w",null,3,"60m"])");

  const TableColumnsPtr without = custom_columns(k8s::View(json::Object{}));
  EXPECT_EQ(json::to_text(json::Value(without->row(*object, now).cells)), R"(["w","60m"])");
}

}  // namespace
}  // namespace fairway::apiserver::table
