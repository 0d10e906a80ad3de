// SPDX-License-Identifier: Apache-2.0

#include "graph/problem.h"

#include <gtest/gtest.h>

namespace fairway::graph {
namespace {

TEST(Place, SaysAsMuchAsIsKnown) {
  EXPECT_EQ((Place{"a.yaml", 3, 7}.to_string()), "a.yaml:3:7");
  EXPECT_EQ((Place{"a.yaml", 3}.to_string()), "a.yaml:3");
  EXPECT_EQ((Place{"a.yaml", 0, 7}.to_string()), "a.yaml");
  EXPECT_EQ(Place{}.to_string(), "");
}

TEST(Problem, LeavesOutOfItsJsonWhatIsNotKnown) {
  const Problem whole{problem_kind::graph_data, {"a.yaml", 3, 7}, "no", {"stable-4.7"}, {"4.7.4"}};
  EXPECT_EQ(json::to_text(whole.to_json()),
            R"({"kind":"graph-data","file":"a.yaml","line":3,"column":7,"message":"no"})");
  const Problem bare{problem_kind::upstream, {}, "no", {}, {}};
  EXPECT_EQ(json::to_text(bare.to_json()), R"({"kind":"upstream","message":"no"})");
}

}  // namespace
}  // namespace fairway::graph
