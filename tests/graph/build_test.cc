// SPDX-License-Identifier: Apache-2.0

// Cases of tests/graph/data/build.json: releases, channels and blocks in, edges and conditional edges out.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "graph/snapshot.h"

namespace fairway::graph {
namespace {

std::string text_of(const json::Value& value) {
  return std::string(value.as_string());
}

Version version(std::string_view text) {
  return Version::parse(text).value();
}

Risk to_risk(const json::Value& value) {
  return {.url = text_of(value.at("url")),
          .name = text_of(value.at("name")),
          .message = text_of(value.at("message")),
          .matching_rules = value.at("matchingRules").as_array()};
}

Release to_release(std::string_view text, const std::string& payload, const json::Value& links) {
  Release release{.version = version(text), .arch = "amd64", .payload = payload, .source = "releases.json"};
  const json::Value* const next = json::find(links, "next");
  const json::Array& previous = links.is_array() ? links.as_array() : json::Array{};
  for (const json::Value& link : previous) release.previous.push_back(text_of(link));
  if (next != nullptr) {
    for (const json::Value& link : next->as_array()) release.next.push_back(text_of(link));
  }
  return release;
}

IndexPair to_pair(const json::Value& value) {
  return {value.as_array()[0].to_number<std::uint32_t>(), value.as_array()[1].to_number<std::uint32_t>()};
}

UpstreamGraph to_upstream(const json::Value& value) {
  UpstreamGraph upstream{
      .source = text_of(value.at("source")), .channel = text_of(value.at("channel")), .arch = "amd64"};
  for (const auto& [name, channels] : value.at("nodes").as_object()) {
    const json::Value* const payload = json::find(value, "payload");
    upstream.graph.nodes.push_back(
        {.version = name,
         .payload = (payload != nullptr ? text_of(*payload) : "upstream") + "/" + std::string(name),
         .metadata = {{channels_key, text_of(channels)}}});
  }
  if (const json::Value* metadata = json::find(value, "metadata")) {
    for (Node& node : upstream.graph.nodes) {
      const json::Value* const entries = json::find(*metadata, node.version);
      if (entries == nullptr) continue;
      for (const auto& [key, text] : entries->as_object()) node.metadata.emplace_back(key, text_of(text));
    }
  }
  for (const json::Value& edge : value.at("edges").as_array()) upstream.graph.edges.push_back(to_pair(edge));
  for (const json::Value& entry : value.at("conditional").as_array()) {
    ConditionalEdges& added = upstream.graph.conditional_edges.emplace_back();
    for (const json::Value& edge : entry.at("edges").as_array()) added.edges.push_back(to_pair(edge));
    for (const json::Value& risk : entry.at("risks").as_array()) added.risks.push_back(to_risk(risk));
  }
  return upstream;
}

BuildInputs to_inputs(const json::Value& c) {
  BuildInputs inputs;
  GraphData graph_data;
  for (const auto& [text, links] : c.at("releases").as_object()) {
    inputs.releases.push_back(to_release(text, "image/" + std::string(text), links));
  }
  if (const json::Value* extra = json::find(c, "extra_releases")) {
    for (const json::Value& release : extra->as_array()) {
      inputs.releases.push_back(to_release(text_of(release.at(0)),
                                           release.at(1).is_null() ? "" : "image/" + text_of(release.at(1)),
                                           release.at(2)));
    }
  }
  for (const auto& [name, versions] : c.at("channels").as_object()) {
    ChannelData& channel = graph_data.channels.emplace_back(ChannelData{.name = name});
    for (const json::Value& text : versions.as_array())
      channel.versions.push_back({.version = version(text_of(text))});
  }
  if (const json::Value* blocks = json::find(c, "blocks")) {
    for (const json::Value& value : blocks->as_array()) {
      Block& block = graph_data.blocks.emplace_back();
      block.file = text_of(value.at("file"));
      block.to = version(text_of(value.at("to")));
      const std::string effect = text_of(value.at("effect"));
      if (effect == "removed") block.effect = Block::Effect::removed;
      if (effect == "conditional") block.effect = Block::Effect::conditional;
      if (const auto from = json::find_string(value, "from")) block.from = Pattern::compile(*from).value();
      if (const json::Value* risk = json::find(value, "risk")) block.risk = to_risk(*risk);
    }
  }
  if (const json::Value* raw = json::find(c, "raw")) {
    for (const auto& [text, entries] : raw->as_object()) {
      for (const auto& [key, value] : entries.as_object()) {
        graph_data.raw_metadata[text][key] = text_of(value);
      }
    }
  }
  if (const json::Value* faults = json::find(c, "metadataFaults")) {
    for (const json::Value& value : faults->as_array()) {
      MetadataFault& fault = graph_data.metadata_faults.emplace_back();
      if (const auto text = json::find_string(value, "version")) fault.edges.version = version(*text);
      fault.edges.into = json::find(value, "into") != nullptr;
      fault.edges.out_of = json::find(value, "out_of") != nullptr;
      fault.risk = {"https://e/D", graph_data_not_understood, "D.", always_rule()};
    }
  }
  if (const json::Value* upstreams = json::find(c, "upstreams")) {
    for (const json::Value& upstream : upstreams->as_array())
      inputs.upstreams.push_back(to_upstream(upstream));
  }
  inputs.graph_data = std::make_shared<const GraphData>(std::move(graph_data));
  return inputs;
}

std::vector<std::string> strings(const json::Value& c, std::string_view key) {
  std::vector<std::string> texts;
  if (const json::Value* list = json::find(c, key)) {
    for (const json::Value& text : list->as_array()) texts.push_back(text_of(text));
  }
  std::ranges::sort(texts);
  return texts;
}

std::string edge_text(const UpdateGraph& graph, const IndexPair& pair) {
  return graph.nodes[pair.first].version + " " + graph.nodes[pair.second].version;
}

void check(const json::Value& c) {
  const auto snapshot = build(to_inputs(c));
  const std::string channel(json::find_string(c, "channel").value_or("stable-4.1"));
  const UpdateGraph graph = snapshot->channel_graph(channel, "amd64");

  std::vector<std::string> edges, conditional;
  std::set<std::string> messages;
  for (const IndexPair& pair : graph.edges) edges.push_back(edge_text(graph, pair));
  for (const ConditionalEdges& entry : graph.conditional_edges) {
    for (const IndexPair& pair : entry.edges) {
      std::string line = edge_text(graph, pair);
      for (const Risk& risk : entry.risks) line += " " + risk.name;
      conditional.push_back(line);
    }
    for (const Risk& risk : entry.risks) messages.insert(risk.message);
  }
  std::ranges::sort(edges);
  std::ranges::sort(conditional);
  EXPECT_EQ(edges, strings(c, "edges"));
  EXPECT_EQ(conditional, strings(c, "conditional"));
  if (const json::Value* groups = json::find(c, "groups")) {
    EXPECT_EQ(graph.conditional_edges.size(), groups->to_number<std::size_t>());
  }
  if (json::find(c, "risk_messages") != nullptr) {
    const auto expected = strings(c, "risk_messages");
    EXPECT_EQ(messages, std::set<std::string>(expected.begin(), expected.end()));
  }
  if (json::find(c, "nodes") != nullptr) {
    std::vector<std::string> nodes;
    for (const Node& node : graph.nodes) nodes.push_back(node.version);
    EXPECT_EQ(nodes, strings(c, "nodes"));
  }
  std::vector<std::string> problems;
  for (const Problem& problem : snapshot->problems) problems.push_back(problem.kind);
  EXPECT_EQ(problems, strings(c, "problems"));
}

TEST(Build, DoesWhatEachCaseOfTheTableSays) {
  const auto cases = json::parse(read_file(FAIRWAY_SOURCE_DIR "/tests/graph/data/build.json").value());
  ASSERT_TRUE(cases) << cases.error().message;
  for (const json::Value& c : cases->as_array()) {
    SCOPED_TRACE(text_of(c.at("name")));
    check(c);
  }
}

TEST(Build, GivesTheSameBytesForTheSameInputInAnyOrderOfReleases) {
  const json::Value c = json::parse(R"({"releases":{"4.1.0":[],"4.1.1":["4.1.0"],"4.1.2":["4.1.1","4.1.0"]},
                                        "channels":{"stable-4.1":["4.1.2","4.1.0","4.1.1"]}})")
                            .value();
  BuildInputs forwards = to_inputs(c);
  BuildInputs backwards = to_inputs(c);
  std::ranges::reverse(backwards.releases);
  const auto bytes = [](BuildInputs inputs) {
    const auto snapshot = build(std::move(inputs));
    return to_cincinnati_json(snapshot->channel_graph("stable-4.1", "amd64"));
  };
  EXPECT_EQ(bytes(std::move(forwards)), bytes(std::move(backwards)));
}

TEST(Channels, AreShownByTheTextAfterTheDash) {
  std::vector<std::string> names = {"stable-4.9", "candidate-4.10", "fast-4.9", "nodash", "stable-4.10"};
  std::ranges::sort(names, channel_display_less);
  EXPECT_EQ(join(names, ","), "candidate-4.10,stable-4.10,fast-4.9,stable-4.9,nodash");
}

}  // namespace
}  // namespace fairway::graph
