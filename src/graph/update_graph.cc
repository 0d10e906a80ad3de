// SPDX-License-Identifier: Apache-2.0

#include "graph/update_graph.h"

#include <algorithm>
#include <charconv>

#include "base/json.h"

namespace fairway::graph {
namespace {

void append_number(std::string& out, std::uint32_t number) {
  char digits[10];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

/// Returns the versions with their quotes, made once: they are most of a graph's text.
std::vector<std::string> quote_versions(const std::vector<Node>& nodes) {
  std::vector<std::string> quoted(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) json::append_quoted(quoted[i], nodes[i].version);
  return quoted;
}

/// Returns an upper estimate of the text's size, so that it is allocated once.
std::size_t guess_size(const UpdateGraph& graph) {
  std::size_t size = 128 + graph.edges.size() * 12;
  for (const auto& node : graph.nodes) {
    size += 64 + node.version.size() + node.payload.size();
    for (const auto& [key, value] : node.metadata) size += 8 + key.size() + value.size() + value.size() / 8;
  }
  for (const auto& group : graph.conditional_edges) {
    size += 64 + group.edges.size() * 48;
    for (const auto& risk : group.risks)
      size += 512 + risk.url.size() + risk.name.size() + risk.message.size();
  }
  return size;
}

void append_nodes(std::string& out, const std::vector<Node>& nodes,
                  const std::vector<std::string>& versions) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    out += i == 0 ? R"({"version":)" : R"(,{"version":)";
    out += versions[i];
    out += R"(,"payload":)";
    json::append_quoted(out, nodes[i].payload);
    out += R"(,"metadata":{)";
    bool first = true;
    for (const auto& [key, value] : nodes[i].metadata) {
      if (!first) out += ',';
      first = false;
      json::append_quoted(out, key);
      out += ':';
      json::append_quoted(out, value);
    }
    out += "}}";
  }
}

void append_edges(std::string& out, const std::vector<IndexPair>& edges) {
  bool first = true;
  for (const auto& [from, to] : edges) {
    out += first ? "[" : ",[";
    first = false;
    append_number(out, from);
    out += ',';
    append_number(out, to);
    out += ']';
  }
}

void append_conditional(std::string& out, const ConditionalEdges& group,
                        const std::vector<std::string>& versions) {
  out += R"({"edges":[)";
  bool first = true;
  for (const auto& [from, to] : group.edges) {
    out += first ? R"({"from":)" : R"(,{"from":)";
    first = false;
    out += versions[from];
    out += R"(,"to":)";
    out += versions[to];
    out += '}';
  }
  out += R"(],"risks":[)";
  first = true;
  for (const auto& risk : group.risks) {
    if (!first) out += ',';
    first = false;
    risk.append_json(out);
  }
  out += "]}";
}

}  // namespace

std::string_view Node::find_metadata(std::string_view key) const {
  const auto found = std::lower_bound(metadata.begin(), metadata.end(), key,
                                      [](const auto& entry, std::string_view k) { return entry.first < k; });
  if (found == metadata.end() || found->first != key) return {};
  return found->second;
}

std::optional<std::uint32_t> UpdateGraph::find(std::string_view version) const {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.version == version; });
  if (found == nodes.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - nodes.begin());
}

std::string to_cincinnati_json(const UpdateGraph& graph) {
  const auto versions = quote_versions(graph.nodes);
  std::string out;
  out.reserve(guess_size(graph));
  out += R"({"version":1,"nodes":[)";
  append_nodes(out, graph.nodes, versions);
  out += R"(],"edges":[)";
  append_edges(out, graph.edges);
  out += R"(],"conditionalEdges":[)";
  bool first = true;
  for (const auto& group : graph.conditional_edges) {
    if (!first) out += ',';
    first = false;
    append_conditional(out, group, versions);
  }
  out += "]}";
  return out;
}

}  // namespace fairway::graph
