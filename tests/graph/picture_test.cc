// SPDX-License-Identifier: Apache-2.0

#include "graph/picture.h"

#include <gtest/gtest.h>

#include "graph/internal/picture_text.h"

namespace fairway::graph {
namespace {

Risk risk(std::string name) {
  return {"https://e", std::move(name), "m", always_rule()};
}

UpdateGraph small_graph() {
  UpdateGraph graph;
  for (const auto* version : {"4.6.1", "4.6.2", "4.7.0", "4.7.1", "4.8.0"})
    graph.nodes.push_back({version, "p", {}});
  graph.edges = {{0, 1}, {0, 2}, {2, 3}, {3, 4}};
  graph.conditional_edges = {{{{0, 3}, {1, 3}}, {risk("A"), risk("B")}}};
  return graph;
}

std::string lines_with(const std::string& text, std::string_view part) {
  std::string found;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = text.find('\n', begin);
    const auto line = text.substr(begin, end - begin);
    if (line.find(part) != std::string::npos) found += line + "\n";
    begin = end + 1;
  }
  return found;
}

std::string mermaid(const UpdateGraph& graph, const PictureOptions& options) {
  const auto text = draw(graph, PictureFormat::mermaid, options);
  EXPECT_TRUE(text) << text.error().message;
  return text.value_or("");
}

TEST(Draw, ShowsEachVersionOfASmallChannel) {
  UpdateGraph graph = small_graph();
  graph.nodes.push_back({"4.8.1", "p", {}});
  EXPECT_EQ(mermaid(graph, {.title = "stable-4.8"}),
            "---\ntitle: \"stable-4.8\"\n---\nflowchart LR\n"
            "  n0[\"4.6.1\"]\n"
            "  n1[\"4.6.2\"]\n"
            "  n2[\"4.7.0\"]\n"
            "  n3[\"4.7.1\"]\n"
            "  n4[\"4.8.0\"]\n"
            "  n5[\"4.8.1\"]\n"
            "  n0 --> n1\n"
            "  n0 --> n2\n"
            "  n0 -.->|\"A<br/>B\"| n3\n"
            "  n1 -.->|\"A<br/>B\"| n3\n"
            "  n2 --> n3\n"
            "  n3 --> n4\n"
            "  classDef asked stroke-width:3px\n");
}

TEST(Draw, ShowsEachVersionOfUpTo36) {
  UpdateGraph graph;
  for (int patch = 0; patch < 36; ++patch) graph.nodes.push_back({"4.1." + std::to_string(patch), "p", {}});
  EXPECT_EQ(lines_with(mermaid(graph, {}), "4.1.35"), "  n35[\"4.1.35\"]\n");
  graph.nodes.push_back({"4.1.36", "p", {}});
  EXPECT_EQ(lines_with(mermaid(graph, {}), "4.1"), "  n0[\"4.1<br/>37 releases\"]\n");
}

TEST(DrawUpdates, ShowsThoseThatAreGivenInTheOrderOfVersions) {
  EXPECT_EQ(draw_updates({{.from = "4.10.0", .to = "4.10.1", .dashed = true, .labels = {"A"}},
                          {.from = "4.9.0", .to = "4.10.0"}},
                         {"4.10.1", "4.8.0"}, PictureFormat::mermaid, ""),
            "flowchart LR\n"
            "  n0[\"4.8.0\"]:::asked\n"
            "  n1[\"4.9.0\"]\n"
            "  n2[\"4.10.0\"]\n"
            "  n3[\"4.10.1\"]:::asked\n"
            "  n2 -.->|\"A\"| n3\n"
            "  n1 --> n2\n"
            "  classDef asked stroke-width:3px\n");
  const std::string many = draw_updates(std::vector<DrawnUpdate>(200, {.from = "4.9.0", .to = "4.10.0"}), {},
                                        PictureFormat::mermaid, "t");
  EXPECT_NE(many.find("t (150 of 200 updates)"), std::string::npos) << many;
}

TEST(Draw, ShowsANodeAMinorVersionOfALargeChannel) {
  UpdateGraph graph = small_graph();
  for (int patch = 1; patch < 33; ++patch) graph.nodes.push_back({"4.8." + std::to_string(patch), "p", {}});
  EXPECT_EQ(mermaid(graph, {.title = "stable-4.8"}),
            "---\ntitle: \"stable-4.8\"\n---\nflowchart LR\n"
            "  n0[\"4.6<br/>2 releases\"]\n"
            "  n1[\"4.7<br/>2 releases\"]\n"
            "  n2[\"4.8<br/>33 releases\"]\n"
            "  n0 -->|\"1 recommended\"| n0\n"
            "  n0 -->|\"1 recommended\"| n1\n"
            "  n0 -.->|\"2 conditional\"| n1\n"
            "  n1 -->|\"1 recommended\"| n1\n"
            "  n1 -->|\"1 recommended\"| n2\n"
            "  classDef asked stroke-width:3px\n");
}

TEST(Draw, ShowsTheUpdatesOutOfARelease) {
  EXPECT_EQ(mermaid(small_graph(), {.from = "4.6.1"}),
            "flowchart LR\n"
            "  n0[\"4.6.1\"]:::asked\n"
            "  n1[\"4.6.2\"]\n"
            "  n2[\"4.7.0\"]\n"
            "  n3[\"4.7.1\"]\n"
            "  n0 --> n1\n"
            "  n0 --> n2\n"
            "  n0 -.->|\"A<br/>B\"| n3\n"
            "  classDef asked stroke-width:3px\n");
}

TEST(Draw, ShowsTheUpdatesIntoARelease) {
  EXPECT_EQ(lines_with(mermaid(small_graph(), {.to = "4.7.1"}), ">"),
            "  n0 -.->|\"A<br/>B\"| n3\n  n1 -.->|\"A<br/>B\"| n3\n  n2 --> n3\n");
}

TEST(Draw, ShowsWhatLiesOnShortestWays) {
  EXPECT_EQ(mermaid(small_graph(), {.from = "4.6.1", .to = "4.8.0"}),
            "flowchart LR\n"
            "  n0[\"4.6.1\"]:::asked\n"
            "  n1[\"4.7.1\"]\n"
            "  n2[\"4.8.0\"]:::asked\n"
            "  n0 -.->|\"A<br/>B\"| n1\n"
            "  n1 --> n2\n"
            "  classDef asked stroke-width:3px\n");
}

TEST(Draw, ShowsBothEndsWhereThereIsNoWay) {
  EXPECT_EQ(
      mermaid(small_graph(), {.from = "4.8.0", .to = "4.6.1"}),
      "flowchart LR\n  n0[\"4.6.1\"]:::asked\n  n1[\"4.8.0\"]:::asked\n  classDef asked stroke-width:3px\n");
}

TEST(Draw, WritesDot) {
  const auto text = draw(small_graph(), PictureFormat::dot, {.from = "4.6.1", .title = "a \"b\" \\N"});
  ASSERT_TRUE(text);
  EXPECT_EQ(text->substr(0, 18), "digraph fairway {\n");
  EXPECT_EQ(lines_with(*text, "  label="), "  label=\"a \\\"b\\\" \\\\N\";\n");
  EXPECT_EQ(lines_with(*text, "n0 "),
            "  n0 [label=\"4.6.1\", fillcolor=\"#cfe3f5\", penwidth=2];\n"
            "  n0 -> n1;\n  n0 -> n2;\n"
            "  n0 -> n3 [style=dashed, color=\"#b5542b\", fontcolor=\"#8a3b1a\", label=\"A\\nB\", "
            "tooltip=\"A, B\"];\n");
}

TEST(Draw, RefusesAnUnknownVersion) {
  for (const auto& options :
       {PictureOptions{.from = "4.9.9"}, PictureOptions{.from = "4.6.1", .to = "4.9.9"}}) {
    const auto text = draw(small_graph(), PictureFormat::dot, options);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code, ErrorCode::not_found);
    EXPECT_NE(text.error().message.find("4.9.9"), std::string::npos);
  }
}

TEST(Draw, NeverDrawsMoreThanCanBeRead) {
  UpdateGraph graph;
  for (int minor = 1; minor <= 4; ++minor) {
    for (int patch = 0; patch < 200; ++patch) {
      graph.nodes.push_back({"4." + std::to_string(minor) + "." + std::to_string(patch), "p", {}});
    }
  }
  for (std::uint32_t from = 0; from < 600; ++from) {
    for (std::uint32_t to = from / 200 * 200 + 200; to < from / 200 * 200 + 400; ++to)
      graph.edges.emplace_back(from, to);
  }
  const auto count = [](const std::string& text) {
    std::size_t arrows = 0;
    for (auto at = text.find("-->"); at != std::string::npos; at = text.find("-->", at + 1)) ++arrows;
    return arrows;
  };
  for (const auto& options :
       {PictureOptions{}, PictureOptions{.from = "4.1.0"}, PictureOptions{.to = "4.4.199"},
        PictureOptions{.from = "4.1.0", .to = "4.4.199"}}) {
    const auto text = mermaid(graph, options);
    EXPECT_LE(count(text), 200u);
    EXPECT_GE(count(text), 3u);
  }
  const auto between = mermaid(graph, {.from = "4.1.0", .to = "4.4.199"});
  EXPECT_EQ(lines_with(between, "title"), "title: \"(143 of 40400 updates on the shortest paths)\"\n")
      << between;
  EXPECT_NE(between.find("4.3.189"), std::string::npos);
}

TEST(PictureText, CutsLongListsAndEscapesEverything) {
  const Picture picture{"t",
                        {{{"<a & \"b\">\n#1;`x`"}, false}, {{"c\\d"}, false}},
                        {{0, 1, true, {"One", "Two", "Three", "Four", "Five"}}}};
  const auto dot = to_text(picture, PictureFormat::dot);
  EXPECT_EQ(lines_with(dot, "[label=\"<a") + lines_with(dot, "  n1 ["),
            "  n0 [label=\"<a & \\\"b\\\"> #1;`x`\"];\n  n1 [label=\"c\\\\d\"];\n");
  EXPECT_NE(dot.find("label=\"One\\nTwo\\nThree\\nand 2 more\", tooltip=\"One, Two, Three, Four, Five\""),
            std::string::npos);
  const auto text = to_text(picture, PictureFormat::mermaid);
  EXPECT_EQ(lines_with(text, "n0["), "  n0[\"#60;a #38; #34;b#34;#62; #35;1#59;#96;x#96;\"]\n");
  EXPECT_NE(text.find("n0 -.->|\"One<br/>Two<br/>Three<br/>and 2 more\"| n1"), std::string::npos);
}

}  // namespace
}  // namespace fairway::graph
