// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "graph/evaluated_graph.h"
#include "graph/update_graph.h"
#include "support/shared_data.h"

namespace fairway::graph {
namespace {

constexpr std::string_view source = "https://updates.example.com/graph";

/// tests/graph/data/cincinnati-reader.json: an answer (`input` as JSON, or `text`) with the graph that is
/// read from it and a part of each problem, or with a part of the error.
TEST(ReadCincinnatiJson, ReadsEachAnswerOfTheTable) {
  const auto text = read_file(FAIRWAY_SOURCE_DIR "/tests/graph/data/cincinnati-reader.json");
  ASSERT_TRUE(text) << text.error().message;
  const auto cases = json::parse(*text);
  ASSERT_TRUE(cases) << cases.error().message;
  for (const auto& entry : cases->as_array()) {
    SCOPED_TRACE(std::string(*json::find_string(entry, "name")));
    const auto* input = json::find(entry, "input");
    const auto answer =
        input != nullptr ? json::to_text(*input) : std::string(*json::find_string(entry, "text"));
    const auto read = read_cincinnati_json(answer, source);
    if (const auto fault = json::find_string(entry, "error")) {
      ASSERT_FALSE(read);
      EXPECT_NE(read.error().message.find(*fault), std::string::npos) << read.error().message;
      EXPECT_NE(read.error().message.find(source), std::string::npos) << read.error().message;
      continue;
    }
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(to_cincinnati_json(read->graph), json::to_text(*json::find(entry, "graph")));
    const auto& expected = json::find(entry, "problems")->as_array();
    ASSERT_EQ(read->problems.size(), expected.size())
        << (read->problems.empty() ? "" : read->problems[0].message);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string_view part = expected[i].as_string();
      EXPECT_NE(read->problems[i].message.find(part), std::string::npos) << read->problems[i].message;
      EXPECT_EQ(read->problems[i].kind, problem_kind::upstream);
      EXPECT_EQ(read->problems[i].place.file, source);
    }
    const auto again = read_cincinnati_json(to_cincinnati_json(read->graph), source);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->problems.empty()) << again->problems[0].message;
    EXPECT_EQ(to_cincinnati_json(again->graph), to_cincinnati_json(read->graph));
  }
}

/// Returns an answer with an update that has these risks, as JSON.
std::string with_risks(const std::string& risks) {
  return R"({"nodes":[{"version":"4.6.1","payload":"a"},{"version":"4.6.2","payload":"b"}],"edges":[],)"
         R"("conditionalEdges":[{"edges":[{"from":"4.6.1","to":"4.6.2"}],"risks":[)" +
         risks + "]}]}";
}

// The enhancement of docs/risks.md: `Evaluating` is False for a risk without rules, which
// is not to be told from `Always` once it has become that.
TEST(ReadCincinnatiJson, KeepsRisksWithoutRulesForThoseWhoEvaluateThem) {
  const std::string risk = R"({"url":"u","name":"A","message":"m")";
  for (const char* rules : {"", R"(,"matchingRules":[])", R"(,"matchingRules":null)"}) {
    SCOPED_TRACE(rules);
    const auto kept = read_cincinnati_json(with_risks(risk + rules + "}"), source, RisksWithoutRules::keep);
    ASSERT_TRUE(kept) << kept.error().message;
    ASSERT_EQ(kept->graph.conditional_edges.size(), 1U);
    EXPECT_TRUE(kept->graph.conditional_edges[0].risks[0].matching_rules.empty());
    EXPECT_EQ(kept->graph.conditional_edges[0].risks[0].message, "m");
    ASSERT_EQ(kept->problems.size(), 1U);
    EXPECT_NE(kept->problems[0].message.find("has no `matchingRules`"), std::string::npos);
    const auto published = read_cincinnati_json(with_risks(risk + rules + "}"), source);
    ASSERT_TRUE(published) << published.error().message;
    EXPECT_EQ(published->graph.conditional_edges[0].risks[0].matching_rules, always_rule());
  }
  // What is no list of rules is not understood, whoever asks.
  const auto wrong =
      read_cincinnati_json(with_risks(risk + R"(,"matchingRules":"none"})"), source, RisksWithoutRules::keep);
  ASSERT_TRUE(wrong) << wrong.error().message;
  EXPECT_EQ(wrong->graph.conditional_edges[0].risks[0].matching_rules, always_rule());
}

// 20 bodies that differ in their rules only would say the same 20 times.
TEST(ReadCincinnatiJson, SaysEachTextOfRisksOfOneNameOnce) {
  std::string risks;
  for (int i = 0; i < 30; ++i)
    risks += std::string(i == 0 ? "" : ",") +
             R"({"url":"https://e/A","name":"A","message":"It may break.","matchingRules":[)" +
             R"({"type":"PromQL","promql":{"promql":"q)" + std::to_string(i) + R"("}}]})";
  const auto read = read_cincinnati_json(with_risks(risks), source);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(
      read->graph.conditional_edges[0].risks[0].message,
      "30 different risks are named A, so that it is not clear which clusters this concerns; it is taken "
      "to concern all of them. It may break. https://e/A and 10 more");
  // Faults are told apart by their lines.
  std::string faults;
  for (int i = 0; i < 3; ++i)
    faults += std::string(i == 0 ? "" : ",") + R"({"url":"https://e/)" + std::to_string(i) +
              R"(","name":"GraphDataNotUnderstood","message":"one fault\nfault )" + std::to_string(i) +
              R"(","matchingRules":[{"type":"Always"}]})";
  const auto several = read_cincinnati_json(with_risks(faults), source);
  ASSERT_TRUE(several) << several.error().message;
  EXPECT_EQ(several->graph.conditional_edges[0].risks[0].message, "one fault\nfault 0\nfault 1\nfault 2");
}

// What is put together in each of two lists is put together again where both are of one image.
TEST(ReadCincinnatiJson, SaysEachTextOnceForTwoVersionsWithOneImage) {
  const auto with_name = [](const std::string& name) {
    const auto risk = [&name](const std::string& message) {
      return R"({"url":"https://e/A","name":")" + name + R"(","message":")" + message +
             R"(","matchingRules":[{"type":"Always"}]})";
    };
    const auto group = [](const std::string& to, const std::string& risks) {
      return R"({"edges":[{"from":"4.6.1","to":")" + to + R"("}],"risks":[)" + risks + "]}";
    };
    const auto read = read_cincinnati_json(
        R"({"nodes":[{"version":"4.6.1","payload":"a"},{"version":"4.7.0","payload":"b"},)"
        R"({"version":"4.7.1","payload":"b"}],"edges":[],"conditionalEdges":[)" +
            group("4.7.0", risk("One.") + "," + risk("Two.")) + "," +
            group("4.7.1", risk("One.") + "," + risk("Three.")) + "]}",
        source);
    if (!read || read->graph.conditional_edges.size() != 1) return std::string("not one group");
    EXPECT_EQ(read->graph.conditional_edges[0].edges.size(), 2U);
    return read->graph.conditional_edges[0].risks[0].message;
  };
  EXPECT_EQ(
      with_name("A"),
      "3 different risks are named A, so that it is not clear which clusters this concerns; it is taken "
      "to concern all of them. One. https://e/A Three. Two.");
  EXPECT_EQ(with_name(graph_data_not_understood), "One.\nThree.\nTwo.");
}

// Whoever takes the first of two, and whoever takes the last, may each recommend what the other would not.
TEST(ReadCincinnatiJson, RefusesAKeyThatStandsTwiceInOneObject) {
  const std::string nodes =
      R"({"version":1,"nodes":[{"version":"4.6.1","payload":"a"},{"version":"4.6.2","payload":"b"}],)"
      R"("edges":[[0,1]],"conditionalEdges":)";
  const std::string rules = R"("matchingRules":[{"type":"Always"}])";
  const std::string risk = R"("url":"u","name":"A","message":"m",)";
  const std::string edge = R"([{"edges":[{"from":"4.6.1","to":"4.6.2")";
  EXPECT_TRUE(read_cincinnati_json(nodes + edge + R"(}],"risks":[{)" + risk + rules + "}]}]}", source));
  for (
      const auto& [text, key] : std::vector<std::pair<std::string, std::string>>{
          {nodes + edge + R"(}],"risks":[{)" + risk + rules + R"(}]}],"conditionalEdges":[]})",
           "conditionalEdges"},
          {nodes + edge + R"(,"to":"4.7.0"}],"risks":[{)" + risk + rules + "}]}]}", "to"},
          {nodes + edge + R"(}],"risks":[{)" + risk + rules + R"(}],"risks":[]}]})", "risks"},
          {nodes + edge + R"(}],"risks":[{)" + risk + rules + "," + rules + "}]}]}", "matchingRules"},
          {nodes + edge + R"(}],"risks":[{)" + risk +
               R"q("matchingRules":[{"type":"PromQL","promql":{"promql":"vector(1)","promql":"vector(0)"}}]}]}]})q",
           "promql"}}) {
    const auto read = read_cincinnati_json(text, source);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find("the key '" + key + "' stands twice"), std::string::npos)
        << read.error().message;
  }
}

TEST(ReadCincinnatiJson, NamesAtMostAThousandProblemsAndCountsTheRest) {
  std::string text = R"({"nodes":[],"edges":[)";
  for (int i = 0; i < 3000; ++i) text += i == 0 ? "[0,1]" : ",[0,1]";
  const auto read = read_cincinnati_json(text + "]}", source);
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->problems.size(), 1001u);
  EXPECT_EQ(read->problems.back().message, "and 2000 more problems of this answer");
}

TEST(ReadCincinnatiJson, RefusesMoreThanAHundredThousandNodes) {
  std::string text = R"({"nodes":[)";
  for (int i = 0; i <= 100'000; ++i) text += i == 0 ? "{}" : ",{}";
  const auto read = read_cincinnati_json(text + "]}", source);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::too_large);
}

TEST(ReadCincinnatiJson, RefusesTextsThatWouldTakeTooMuchMemory) {
  std::string spaces;
  spaces.resize((std::size_t{64} << 20) + 1, ' ');
  const auto too_long = read_cincinnati_json(spaces, source);
  ASSERT_FALSE(too_long);
  EXPECT_EQ(too_long.error().code, ErrorCode::too_large);
  std::string brackets;
  brackets.resize(9'000'000, '[');
  const auto too_deep = read_cincinnati_json(brackets, source);
  ASSERT_FALSE(too_deep);
  EXPECT_EQ(too_deep.error().code, ErrorCode::too_large);
}

using Ends = std::pair<std::string, std::string>;

std::set<Ends> recommended(const UpdateGraph& graph) {
  std::set<Ends> edges;
  for (const auto& [from, to] : graph.edges)
    edges.emplace(graph.nodes[from].version, graph.nodes[to].version);
  return edges;
}

/// Collects all values of a document, so that each can be corrupted.
void collect(json::Value& value, std::vector<json::Value*>& all) {
  all.push_back(&value);
  if (auto* array = value.if_array()) {
    for (auto& item : *array) collect(item, all);
  } else if (auto* object = value.if_object()) {
    for (auto& entry : *object) collect(entry.value(), all);
  }
}

TEST(ReadCincinnatiJson, NeverRecommendsMoreBecauseAPartIsSpoilt) {
  const auto good = json::parse(
      R"({"version":1,"nodes":[{"version":"4.6.1","payload":"a","metadata":{"url":"u"}},{"version":"4.6.2","payload":"b"},)"
      R"({"version":"4.7.0","payload":"c"},{"version":"4.7.1","payload":"d"}],"edges":[[0,1],[1,2]],"conditionalEdges":[)"
      R"({"edges":[{"from":"4.6.1","to":"4.7.0"},{"from":"4.6.1","to":"4.7.1"}],"risks":[{"url":"u","name":"A",)"
      R"("message":"m","matchingRules":[{"type":"PromQL","promql":{"promql":"q"}}]}]},)"
      R"({"edges":[{"from":"4.7.0","to":"4.7.1"}],"risks":[{"url":"u","name":"B","message":"m",)"
      R"("matchingRules":[{"type":"Always"}]},{"url":"u","name":"C","message":"m","matchingRules":[{"type":"Always"}]}]}]})");
  ASSERT_TRUE(good) << good.error().message;
  const auto before = recommended(read_cincinnati_json(json::to_text(*good), source)->graph);
  ASSERT_EQ(before.size(), 2u);
  const json::Value spoils[] = {
      nullptr, true, 7, -1, 1.5, "", "4.6.1", "x", json::Array{}, json::Object{}, json::Array{0, 3}};
  for (std::size_t number = 0, count = 1; number < count; ++number) {
    for (const auto& spoil : spoils) {
      auto document = *good;
      std::vector<json::Value*> all, risky;
      collect(document, all);
      collect(document.at("conditionalEdges"), risky);
      count = all.size();
      const bool is_risky = std::ranges::find(risky, all[number]) != risky.end();
      *all[number] = spoil;
      SCOPED_TRACE(json::to_text(document));
      const auto read = read_cincinnati_json(json::to_text(document), source);
      if (!read) continue;
      if (is_risky) {
        EXPECT_TRUE(std::ranges::includes(before, recommended(read->graph)));
      }
      const auto again = read_cincinnati_json(to_cincinnati_json(read->graph), source);
      ASSERT_TRUE(again);
      EXPECT_TRUE(again->problems.empty());
      for (const auto& group : read->graph.conditional_edges) EXPECT_FALSE(group.risks.empty());
    }
  }
}

/// Real answers: no edge is recommended that the answer does not list, or lists with risks.
TEST(ReadCincinnatiJson, ReadsTheAnswersOfTheOperatorsCases) {
  const std::filesystem::path folder = fairway::testing::shared_path("data/operator/available-updates/cases");
  FAIRWAY_NEEDS_SHARED(folder);
  int answers = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path());
    const auto file = json::parse(*read_file(entry.path()));
    ASSERT_TRUE(file) << file.error().message;
    for (const auto& round : file->at("input").at("rounds").as_array()) {
      const auto* cincinnati = json::find(round, "cincinnati");
      const auto* body = cincinnati == nullptr ? nullptr : json::find(*cincinnati, "body");
      if (body == nullptr || !body->is_object()) continue;
      ++answers;
      const auto read = read_cincinnati_json(json::to_text(*body), source);
      ASSERT_TRUE(read) << read.error().message;
      std::set<Ends> listed;
      if (const auto* edges = json::find(*body, "edges"); edges != nullptr && edges->is_array()) {
        for (const auto& edge : edges->as_array()) {
          if (!edge.is_array()) continue;
          const auto version = [&](const json::Value& index) {
            return std::string(
                *json::find_string(body->at("nodes").at(index.to_number<std::size_t>()), "version"));
          };
          listed.emplace(version(edge.at(0)), version(edge.at(1)));
        }
      }
      if (const auto* groups = json::find(*body, "conditionalEdges");
          groups != nullptr && groups->is_array()) {
        for (const auto& group : groups->as_array()) {
          for (const auto& edge : group.at("edges").as_array()) {
            listed.erase(
                {std::string(*json::find_string(edge, "from")), std::string(*json::find_string(edge, "to"))});
          }
        }
      }
      EXPECT_EQ(recommended(read->graph), listed);
    }
  }
  EXPECT_GT(answers, 80);
}

}  // namespace
}  // namespace fairway::graph
