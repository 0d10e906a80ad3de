// SPDX-License-Identifier: Apache-2.0

#include "graphdata/lint/queries.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway::graphdata {
namespace {

std::string blocked_edge(const std::string& name, const std::string& query) {
  return "to: 4.7.4\nfrom: .*\nurl: https://example.com/\n" + (name.empty() ? "" : "name: " + name + "\n") +
         "message: M.\nmatchingRules:\n- type: PromQL\n  promql:\n    promql: |\n      " + query + "\n";
}

std::vector<std::string> shown(const LintInputs& inputs) {
  std::vector<std::string> all;
  for (const RiskQuery& query : changed_queries(inputs)) {
    all.push_back(query.risk + ": " + query.query + " at " + query.place.file + ":" +
                  std::to_string(query.place.line) + ":" + std::to_string(query.place.column));
  }
  return all;
}

TEST(ChangedQueries, AreThoseOfAllFilesWithoutABase) {
  LintInputs inputs;
  inputs.files = {
      {"blocked-edges/a.yaml", blocked_edge("A", "max(a)")},
      {"blocked-edges/b.yaml", blocked_edge("B", "max(a)")},
      {"blocked-edges/c.yaml", blocked_edge("", "max(c)")},
      {"blocked-edges/broken.yaml", "to: ["},
      {"blocked-edges/always.yaml",
       "to: 4.7.4\nfrom: .*\nurl: https://example.com/\nname: N\nmessage: M.\nmatchingRules:\n- type: "
       "Always\n"},
      {"channels/a.yaml", blocked_edge("D", "max(d)")}};
  EXPECT_EQ(shown(inputs), (std::vector<std::string>{"A: max(a) at blocked-edges/a.yaml:10:7",
                                                     ": max(c) at blocked-edges/c.yaml:9:7"}));
}

TEST(ChangedQueries, AreNotThoseThatSomeFileOfTheBaseHas) {
  LintInputs inputs;
  inputs.files = {{"blocked-edges/a.yaml", blocked_edge("A", "max(a)")},
                  {"blocked-edges/b.yaml", blocked_edge("B", "max(b)")},
                  {"blocked-edges/c.yaml", blocked_edge("C", "max(c)")}};
  inputs.base = Files{{"blocked-edges/a.yaml", blocked_edge("A", "max(old)")},
                      {"blocked-edges/x.yaml", blocked_edge("X", "max(b) ")},
                      {"blocked-edges/y.yaml", "]"}};
  EXPECT_EQ(shown(inputs), (std::vector<std::string>{"A: max(a) at blocked-edges/a.yaml:10:7",
                                                     "C: max(c) at blocked-edges/c.yaml:10:7"}));
}

}  // namespace
}  // namespace fairway::graphdata
