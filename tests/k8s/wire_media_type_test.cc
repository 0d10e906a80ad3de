// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "base/text.h"
#include "k8s/data.h"
#include "k8s/kubectl_requests.h"
#include "k8s/wire/media_type.h"
#include "support/shared_data.h"

namespace fairway::k8s {
namespace {

std::string describe(const StatusResult<Representation>& chosen) {
  if (!chosen) return std::to_string(chosen.error().code());
  std::string text = chosen->as.kind.empty() ? "json" : chosen->as.to_string();
  if (chosen->protobuf) text = chosen->as.kind.empty() ? "protobuf" : "protobuf " + text;
  if (chosen->yaml) text = chosen->as.kind.empty() ? "yaml" : "yaml " + text;
  return chosen->pretty ? text + " pretty" : text;
}

TEST(MediaType, IsChosenAsTheTableSays) {
  int checked = 0;
  for (const auto& row : fairway::testing::read_table(testing::data_path("wire_accept.tsv"))) {
    SCOPED_TRACE(row.at(0) + " " + row.at(1));
    const bool discovery = row.at(0) == "discovery";
    const AsPredicate not_a_table = [](const GroupVersionKind& as) { return as.kind != "Table"; };
    EXPECT_EQ(
        describe(negotiate(row.at(1), discovery ? is_aggregated_discovery : is_table_or_metadata,
                           row.at(0) == "watch", row.at(0) == "built-in" ? not_a_table : AsPredicate())),
        row.at(2));
    ++checked;
  }
  EXPECT_GT(checked, 20);
}

TEST(MediaType, IsRefusedWithTheTypesThatThereAre) {
  const auto refused = negotiate("application/cbor", is_table_or_metadata);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason(), reason::not_acceptable);
  EXPECT_EQ(refused.error().message(),
            "only the following media types are accepted: application/json, application/yaml");
}

TEST(MediaType, IsWrittenAsItIsRead) {
  EXPECT_EQ(json_as({"meta.k8s.io", "v1", "Table"}).to_string(),
            "application/json;as=Table;v=v1;g=meta.k8s.io");
  for (const std::string text :
       {"application/json", "*/*", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
        "application/vnd.kubernetes.protobuf", "application/json;stream=watch",
        "text/plain;charset=\"a b\""}) {
    const auto clauses = parse_accept(text);
    ASSERT_EQ(clauses.size(), 1U) << text;
    EXPECT_EQ(clauses.front().to_string(), text);
  }
  const auto list = parse_accept("application/json;as=Table;v=v1;g=meta.k8s.io").front();
  EXPECT_EQ(list.as(), (GroupVersionKind{"meta.k8s.io", "v1", "Table"}));
}

TEST(MediaType, StandsInOrderOfWeight) {
  std::vector<std::string> types;
  for (const MediaType& clause :
       parse_accept("*/*, text/plain;q=0.2, , nonsense, application/*, application/json;q=1.0, a/b;q=2")) {
    types.push_back(clause.to_string());
  }
  EXPECT_EQ(join(types, " "), "application/json a/b application/* */* text/plain");
}

TEST(MediaType, OfAllThatKubectlAsksGivesAnAnswer) {
  const auto file = fairway::testing::shared_path("facts/kubectl-requests.txt");
  FAIRWAY_NEEDS_SHARED(file);
  int tables = 0, aggregated = 0;
  for (const testing::KubectlRequest& request : testing::kubectl_requests(file)) {
    SCOPED_TRACE(request.path + " " + request.accept);
    const bool discovery = request.path == "/api" || request.path == "/apis";
    const auto chosen = negotiate(request.accept, discovery ? is_aggregated_discovery : is_table_or_metadata);
    ASSERT_TRUE(chosen) << chosen.error().message();
    tables += chosen->as.kind == representation::table;
    aggregated += chosen->as == GroupVersionKind{"apidiscovery.k8s.io", "v2", "APIGroupDiscoveryList"};
    // As it came, clause by clause.
    std::string written, asked;
    for (const MediaType& clause : parse_accept(request.accept)) written += "," + clause.to_string();
    for (const std::string_view clause : split(request.accept, ',')) {
      if (!trim(clause).empty()) asked += "," + std::string(trim(clause));
    }
    EXPECT_EQ(written, asked);
  }
  EXPECT_GT(tables, 2);
  EXPECT_GT(aggregated, 5);
}

TEST(PartialMetadata, IsAllThatIsLeft) {
  const Dynamic pod(
      json::parse(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","labels":{"x":"y"}},"spec":{}})")
          .value()
          .as_object());
  EXPECT_EQ(
      to_partial_metadata(pod).to_text(),
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","labels":{"x":"y"}}})");
  EXPECT_EQ(to_partial_metadata(Dynamic(), "v1beta1").to_text(),
            R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{}})");
}

}  // namespace
}  // namespace fairway::k8s
