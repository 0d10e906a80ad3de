// SPDX-License-Identifier: Apache-2.0

#include "graph/changes.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/semver.h"

namespace fairway::graph {
namespace {

/// An edge by the versions of its ends, so that two graphs can be compared.
using Ends = std::pair<std::string_view, std::string_view>;

/// The risks of an edge: names for people, bodies for comparing. Shared by all edges of one group.
struct Risks {
  std::vector<std::string> names;
  std::set<std::string> bodies;
  /// Pairs of name and body.
  std::set<std::pair<std::string, std::string>> all;
};

class Edges {
 public:
  explicit Edges(const UpdateGraph& graph) {
    risks_.reserve(graph.conditional_edges.size() + 1);
    risks_.emplace_back();
    for (const auto& pair : graph.edges) add(graph, pair, risks_.front());
    for (const auto& group : graph.conditional_edges) {
      auto& risks = risks_.emplace_back();
      for (const auto& risk : group.risks) {
        std::string body = risk.body();
        risks.names.push_back(risk.name);
        risks.all.emplace(risk.name, body);
        risks.bodies.insert(std::move(body));
      }
      for (const auto& pair : group.edges) add(graph, pair, risks);
    }
  }
  Edges(const Edges&) = delete;
  Edges& operator=(const Edges&) = delete;

  const std::map<Ends, const Risks*>& all() const { return by_ends_; }
  const Risks* find(const Ends& ends) const {
    const auto found = by_ends_.find(ends);
    return found == by_ends_.end() ? nullptr : found->second;
  }

 private:
  void add(const UpdateGraph& graph, const IndexPair& pair, const Risks& risks) {
    by_ends_.emplace(Ends(graph.nodes[pair.first].version, graph.nodes[pair.second].version), &risks);
  }

  std::vector<Risks> risks_;
  std::map<Ends, const Risks*> by_ends_;
};

/// Orders versions as a graph's nodes are ordered, parsing each version only once.
class Order {
 public:
  Order(const UpdateGraph& a, const UpdateGraph& b) {
    for (const auto* graph : {&a, &b}) {
      for (const auto& node : graph->nodes) versions_.try_emplace(node.version, parse(node.version));
    }
  }
  bool operator()(const std::string& a, const std::string& b) const {
    return versions_.at(a) < versions_.at(b);
  }
  bool operator()(const EdgeChange& a, const EdgeChange& b) const {
    return a.from != b.from ? (*this)(a.from, b.from) : (*this)(a.to, b.to);
  }

 private:
  static Version parse(const std::string& text) { return Version::parse(text).value_or(Version{}); }

  std::map<std::string, Version> versions_;
};

bool holds_all(const std::set<std::string>& whole, const std::set<std::string>& part) {
  return std::ranges::includes(whole, part);
}

void compare_nodes(const UpdateGraph& before, const UpdateGraph& now, Changes& changes) {
  std::map<std::string_view, const Node*> old;
  for (const auto& node : before.nodes) old.emplace(node.version, &node);
  for (const auto& node : now.nodes) {
    const auto found = old.find(node.version);
    if (found == old.end()) {
      changes.nodes_added.push_back(node.version);
      continue;
    }
    const auto& was = *found->second;
    if (was.payload != node.payload || was.metadata != node.metadata)
      changes.nodes_changed.push_back(node.version);
    old.erase(found);
  }
  for (const auto& node : before.nodes) {
    if (old.contains(node.version)) changes.nodes_removed.push_back(node.version);
  }
}

/// Returns the names that existed before and now have another body.
std::vector<std::string> changed_names(const Risks& was, const Risks& is) {
  std::vector<std::string> changed;
  for (const auto& risk : is.all) {
    const bool known = std::ranges::find(was.names, risk.first) != was.names.end();
    if (known && !was.all.contains(risk)) changed.push_back(risk.first);
  }
  return changed;
}

void compare_edges(const Edges& before, const Edges& now, Changes& changes) {
  for (const auto& [ends, risks] : now.all()) {
    EdgeChange change{std::string(ends.first), std::string(ends.second), risks->names, {}, {}};
    const auto* was = before.find(ends);
    if (was == nullptr) {
      changes.edges_added.push_back(std::move(change));
      continue;
    }
    if (was->bodies == risks->bodies) continue;
    change.risks_before = was->names;
    change.risks_changed = changed_names(*was, *risks);
    auto& list = holds_all(was->bodies, risks->bodies) ? changes.risk_lifted : changes.put_at_risk;
    list.push_back(std::move(change));
  }
  for (const auto& [ends, risks] : before.all()) {
    if (now.find(ends) != nullptr) continue;
    changes.edges_removed.push_back(
        {std::string(ends.first), std::string(ends.second), risks->names, risks->names, {}});
  }
}

json::Array texts(const std::vector<std::string>& list) {
  return json::Array(list.begin(), list.end());
}

json::Array edges_to_json(const std::vector<EdgeChange>& edges, bool was_there) {
  json::Array list;
  for (const auto& edge : edges) {
    json::Object entry{{"from", edge.from}, {"to", edge.to}, {"risks", texts(edge.risks)}};
    if (was_there) entry["risksBefore"] = texts(edge.risks_before);
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

bool Changes::empty() const {
  return nodes_added.empty() && nodes_removed.empty() && nodes_changed.empty() && edges_added.empty() &&
         edges_removed.empty() && put_at_risk.empty() && risk_lifted.empty();
}

json::Object Changes::to_json() const {
  return json::Object{{"nodes", json::Object{{"added", texts(nodes_added)},
                                             {"removed", texts(nodes_removed)},
                                             {"changed", texts(nodes_changed)}}},
                      {"edges", json::Object{{"added", edges_to_json(edges_added, false)},
                                             {"removed", edges_to_json(edges_removed, false)},
                                             {"putAtRisk", edges_to_json(put_at_risk, true)},
                                             {"riskLifted", edges_to_json(risk_lifted, true)}}}};
}

Changes find_changes(const UpdateGraph& before, const UpdateGraph& now) {
  Changes changes;
  compare_nodes(before, now, changes);
  compare_edges(Edges(before), Edges(now), changes);
  const Order order(before, now);
  for (auto* list :
       {&changes.edges_added, &changes.edges_removed, &changes.put_at_risk, &changes.risk_lifted}) {
    std::ranges::sort(*list, order);
  }
  return changes;
}

}  // namespace fairway::graph
