// SPDX-License-Identifier: Apache-2.0

#include "graph/update_graph.h"

#include <gtest/gtest.h>

namespace fairway::graph {
namespace {

UpdateGraph three_nodes() {
  UpdateGraph graph;
  graph.nodes = {
      {"4.6.23", "r.example/x@sha256:1", {{channels_key, "fast-4.7,stable-4.7"}, {"url", "https://e/\"1\""}}},
      {"4.7.0", "r.example/x@sha256:2", {}},
      {"4.7.4", "r.example/x@sha256:3", {{"url", "\u00fc\n"}}}};
  graph.edges = {{0, 1}, {1, 2}};
  graph.conditional_edges = {{{{0, 2}},
                              {{"https://e/r", "SlowDisks", "Slow.", always_rule()},
                               {"https://e/s", "Other", "O.", always_rule()}}}};
  return graph;
}

TEST(CincinnatiJson, HasItsFieldsInOneOrder) {
  EXPECT_EQ(
      to_cincinnati_json(three_nodes()),
      R"({"version":1,"nodes":[{"version":"4.6.23","payload":"r.example/x@sha256:1","metadata":)"
      R"({"io.openshift.upgrades.graph.release.channels":"fast-4.7,stable-4.7","url":"https://e/\"1\""}},)"
      R"({"version":"4.7.0","payload":"r.example/x@sha256:2","metadata":{}},)"
      R"({"version":"4.7.4","payload":"r.example/x@sha256:3","metadata":{"url":"ü\n"}}],)"
      R"("edges":[[0,1],[1,2]],"conditionalEdges":[{"edges":[{"from":"4.6.23","to":"4.7.4"}],"risks":[)"
      R"({"url":"https://e/r","name":"SlowDisks","message":"Slow.","matchingRules":[{"type":"Always"}]},)"
      R"({"url":"https://e/s","name":"Other","message":"O.","matchingRules":[{"type":"Always"}]}]}]})");
}

TEST(CincinnatiJson, OfAnEmptyGraphHasEmptyLists) {
  EXPECT_EQ(to_cincinnati_json({}), R"({"version":1,"nodes":[],"edges":[],"conditionalEdges":[]})");
}

TEST(Node, FindsItsMetadata) {
  const auto graph = three_nodes();
  EXPECT_EQ(graph.nodes[0].find_metadata(channels_key), "fast-4.7,stable-4.7");
  EXPECT_EQ(graph.nodes[0].find_metadata("nothing"), "");
  EXPECT_EQ(graph.nodes[1].find_metadata("url"), "");
}

TEST(UpdateGraph, FindsAVersionByItsText) {
  const auto graph = three_nodes();
  EXPECT_EQ(graph.find("4.7.0"), 1u);
  EXPECT_EQ(graph.find("4.7"), std::nullopt);
}

}  // namespace
}  // namespace fairway::graph
