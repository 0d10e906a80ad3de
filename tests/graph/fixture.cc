// SPDX-License-Identifier: Apache-2.0

#include "fixture.h"

#include <stdexcept>
#include <string>

#include "base/file.h"

namespace fairway::graph::testing {
namespace {

template <class T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

const json::Array& list(const json::Value& owner, std::string_view key) {
  static const json::Array none;
  const auto* value = json::find(owner, key);
  return value == nullptr ? none : value->as_array();
}

std::string text(const json::Value& owner, std::string_view key) {
  return std::string(json::find_string(owner, key).value_or(""));
}

std::vector<ChannelVersion> channel_versions(const json::Array& versions, const std::string& file, int line) {
  std::vector<ChannelVersion> result;
  for (const auto& version : versions) {
    result.push_back({need(Version::parse(std::string_view(version.as_string()))), {file, line++, 3}});
  }
  return result;
}

ChannelData channel(const json::Value& description) {
  ChannelData data;
  data.name = text(description, "name");
  const std::string file = "channels/" + data.name + ".yaml";
  data.place = {file, 1, 7};
  data.versions = channel_versions(list(description, "versions"), file, 11);
  data.tombstones = channel_versions(list(description, "tombstones"), file, 51);
  if (const auto* feeder = json::find(description, "feeder")) {
    data.feeder =
        Feeder{text(*feeder, "name"), text(*feeder, "filter"), text(*feeder, "delay"), "", {file, 3, 3}};
  }
  return data;
}

Block block(const json::Value& description, std::size_t number) {
  Block block;
  const auto file = text(description, "file");
  block.file = "blocked-edges/" + (file.empty() ? std::to_string(number) + ".yaml" : file);
  block.place = {block.file, 1, 5};
  block.to = need(Version::parse(text(description, "to")));
  if (const auto from = json::find_string(description, "from")) block.from = need(Pattern::compile(*from));
  const auto effect = text(description, "effect");
  block.effect = effect == "removed"       ? Block::Effect::removed
                 : effect == "conditional" ? Block::Effect::conditional
                                           : Block::Effect::not_understood;
  if (block.effect != Block::Effect::removed) {
    const auto name = text(description, "name");
    block.risk = {"https://example.com/" + name, name, name + ".", always_rule()};
    if (const auto message = json::find_string(description, "message")) block.risk.message = *message;
    if (const auto query = json::find_string(description, "promql")) {
      block.risk.matching_rules = {
          json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", *query}}}}};
    }
  }
  return block;
}

}  // namespace

json::Value read_data(std::string_view name) {
  return need(json::parse(need(read_file(FAIRWAY_SOURCE_DIR "/tests/graph/data/" + std::string(name)))));
}

std::shared_ptr<const Snapshot> build_snapshot(const json::Value& description) {
  BuildInputs inputs;
  GraphData graph_data;
  inputs.problem_url = "https://example.com/problem";
  graph_data.schema = need(Version::parse("1.2.0"));
  if (const auto* releases = json::find(description, "releases")) {
    for (const auto& [arch, documents] : releases->as_object()) {
      for (const auto& document : documents.as_array()) {
        json::Object whole{{"kind", "cincinnati-metadata-v0"}};
        for (const auto& [key, value] : document.as_object()) whole[key] = value;
        whole["image"] = "registry.example/release:" + text(document, "version") + "-" + std::string(arch);
        inputs.releases.push_back(need(read_release_metadata(whole, arch, "releases.json")));
      }
    }
  }
  for (const auto& one : list(description, "channels")) graph_data.channels.push_back(channel(one));
  for (const auto& one : list(description, "blocks")) {
    graph_data.blocks.push_back(block(one, graph_data.blocks.size()));
  }
  if (const auto* metadata = json::find(description, "raw_metadata")) {
    for (const auto& [version, values] : metadata->as_object()) {
      for (const auto& [key, value] : values.as_object()) {
        graph_data.raw_metadata[version][key] = std::string_view(value.as_string());
      }
    }
  }
  for (const auto& one : list(description, "metadataFaults")) {
    MetadataFault& fault = graph_data.metadata_faults.emplace_back();
    fault.place = {"raw/metadata.json", 7, 2};
    if (const auto version = json::find_string(one, "version"))
      fault.edges.version = need(Version::parse(*version));
    fault.risk = {"https://example.com/problem", graph_data_not_understood, "raw/metadata.json:7: bad",
                  always_rule()};
  }
  for (const auto& one : list(description, "upstreams")) {
    const std::string source = "https://updates.example.com/graph";
    inputs.upstreams.push_back(
        {source, text(one, "channel"), text(one, "arch"),
         need(read_cincinnati_json(json::to_text(*json::find(one, "answer")), source)).graph});
  }
  for (const auto& one : list(description, "problems")) {
    Problem problem{text(one, "kind"), {text(one, "file")}, text(one, "message"), {}, {}};
    for (const auto& version : list(one, "versions")) problem.versions.emplace_back(version.as_string());
    inputs.problems.push_back(std::move(problem));
  }
  inputs.graph_data = std::make_shared<const GraphData>(std::move(graph_data));
  return build(std::move(inputs));
}

View view_without(const Snapshot& snapshot, const json::Array& hidden) {
  std::vector<bool> channels(snapshot.channels.size(), true);
  for (const auto& name : hidden)
    channels[*snapshot.find_channel(std::string_view(name.as_string()))] = false;
  return {snapshot, std::move(channels)};
}

}  // namespace fairway::graph::testing
