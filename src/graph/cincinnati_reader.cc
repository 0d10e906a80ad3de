// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/json.h"
#include "base/json_unambiguous.h"
#include "base/semver.h"
#include "base/text.h"
#include "graph/cincinnati_reply.h"
#include "graph/evaluated_graph.h"
#include "graph/internal/risk_lists.h"
#include "graph/update_graph.h"

namespace fairway::graph {
namespace {

constexpr std::size_t max_text = std::size_t{64} << 20;
constexpr std::size_t max_nodes = 100'000;
constexpr std::size_t max_edges = 5'000'000;
/// Most lists and objects in a text. Each takes some 100 bytes of memory, so they are counted before parsing.
constexpr std::ptrdiff_t max_containers = 8'000'000;
constexpr std::size_t max_problems = 1'000;

constexpr const char* concerns_all = "it is taken to concern every cluster";

std::string shown(const json::Value* value) {
  return value == nullptr ? "missing" : printable(json::to_text(*value), 80);
}

/// Returns the version without build text, as nodes are named here.
std::string_view without_build(std::string_view version) {
  return version.substr(0, version.find('+'));
}

/// Returns a member of an object, or nullptr. Names are compared without regard to case, as today's operator
/// compares them. Several members of one name are ambiguous: the result is then an object that says so, which
/// is neither a list nor a text.
const json::Value* find_member(const json::Value& owner, std::string_view key) {
  static const json::Value several(json::Object{{"members", "several of this name"}});
  const auto* object = owner.if_object();
  if (object == nullptr) return nullptr;
  const json::Value* found = nullptr;
  for (const auto& [name, value] : *object) {
    if (!equals_ignoring_case(name, key)) continue;
    if (found != nullptr) return &several;
    found = &value;
  }
  return found;
}

std::optional<std::string_view> find_text(const json::Value& owner, std::string_view key) {
  const auto* value = find_member(owner, key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string_view(value->get_string());
}

/// Returns whether a risk's matching rules are unset, null or an empty list.
bool has_no_rules(const json::Value& risk) {
  const auto* rules = find_member(risk, "matchingRules");
  return rules == nullptr || rules->is_null() || (rules->is_array() && rules->as_array().empty());
}

class Reader {
 public:
  /// Makes a reader. If `for_cluster` is true, notes are not reported as problems.
  Reader(std::string_view source, RisksWithoutRules without_rules, bool for_cluster = false)
      : source_(source), without_rules_(without_rules), for_cluster_(for_cluster) {}

  Result<ReadGraph> read(const json::Value& document);
  std::vector<Problem> take_notes() { return std::move(notes_); }
  std::vector<IndexPair> take_repeated() { return std::move(repeated_); }

 private:
  using Edge = IndexPair;
  struct Conditional {
    Edge edge;
    RiskLists::Id list;
    friend auto operator<=>(const Conditional&, const Conditional&) = default;
  };

  void problem(std::string message, std::vector<std::string> versions = {});
  /// Reports something odd that lost no data.
  void record(std::string message);
  /// Returns a list of the document; nullptr where it is absent, null, or something else (which `fault`
  /// reports).
  const json::Array* list(const json::Value& owner, std::string_view key, std::string_view owner_name);

  void read_nodes(const json::Array& nodes);
  std::optional<Node> read_node(const json::Value& value, const std::string& name, Version& version);
  void read_metadata(const json::Value& value, const std::string& name, Node& node);
  void sort_nodes();

  void read_edges(const json::Array& edges);
  std::optional<std::uint32_t> node_at(const json::Value& index) const;

  void read_conditional(const json::Value& group, const std::string& name);
  void read_conditional_edge(const json::Value& value, const std::string& name, RiskLists::Id list);
  std::optional<std::uint32_t> end(const json::Value& edge, std::string_view key, const std::string& name,
                                   bool& clear);
  std::vector<Risk> read_risks(const json::Value& group, const std::string& name);
  Risk read_risk(const json::Value& value, const std::string& name);
  std::string rules_fault(const json::Value& risk) const;

  void find_repeated();
  void make_unclear_edges_conditional();
  void join_images();
  void put_together();
  RiskLists::Id not_understood_risk(std::string message);

  const std::string source_;
  const RisksWithoutRules without_rules_;
  const bool for_cluster_;
  ReadGraph result_;
  std::vector<Problem> notes_;
  std::vector<IndexPair> repeated_;
  std::size_t problems_left_out_ = 0;

  std::vector<Version> versions_;
  /// Node of each index of the answer; nothing for an index without a valid node.
  std::vector<std::optional<std::uint32_t>> node_of_;
  std::unordered_map<std::string_view, std::uint32_t> by_version_;
  std::vector<Edge> edges_;
  std::vector<Conditional> conditional_;
  RiskLists lists_{not_understood_url};

  /// True if a part of `conditionalEdges` that is not understood may concern any edge of the answer; the sets
  /// name the sources and targets of edges that it may concern.
  bool all_unclear_ = false;
  std::unordered_set<std::uint32_t> unclear_from_, unclear_to_;
};

void Reader::problem(std::string message, std::vector<std::string> versions) {
  if (result_.problems.size() == max_problems) {
    ++problems_left_out_;
    return;
  }
  result_.problems.push_back(
      {problem_kind::upstream, {source_}, std::move(message), {}, std::move(versions)});
}

void Reader::record(std::string message) {
  if (!for_cluster_) return problem(std::move(message));
  if (notes_.size() < max_problems)
    notes_.push_back({problem_kind::upstream, {source_}, std::move(message), {}, {}});
}

Result<ReadGraph> Reader::read(const json::Value& document) {
  const auto* nodes = list(document, "nodes", "the answer");
  const auto* edges = list(document, "edges", "the answer");
  const auto* conditional = list(document, "conditionalEdges", "the answer");
  if (nodes != nullptr && nodes->size() > max_nodes) {
    return fail(ErrorCode::too_large, std::to_string(nodes->size()) + " nodes are more than the " +
                                          std::to_string(max_nodes) + " that are read");
  }
  std::size_t edge_count = edges == nullptr ? 0 : edges->size();
  if (conditional != nullptr) {
    for (const auto& group : *conditional) {
      const auto* in_group = find_member(group, "edges");
      if (in_group != nullptr && in_group->is_array()) edge_count += in_group->as_array().size();
    }
  }
  if (edge_count > max_edges) {
    return fail(ErrorCode::too_large, std::to_string(edge_count) + " edges are more than the " +
                                          std::to_string(max_edges) + " that are read");
  }

  if (nodes != nullptr) read_nodes(*nodes);
  sort_nodes();
  if (edges != nullptr) read_edges(*edges);
  if (conditional != nullptr) {
    for (std::size_t i = 0; i < conditional->size(); ++i) {
      read_conditional((*conditional)[i], "conditionalEdges[" + std::to_string(i) + "]");
    }
  } else if (const auto* value = find_member(document, "conditionalEdges");
             value != nullptr && !value->is_null()) {
    all_unclear_ = true;
  }
  if (for_cluster_) find_repeated();
  make_unclear_edges_conditional();
  join_images();
  put_together();
  if (problems_left_out_ > 0) {
    result_.problems.push_back({problem_kind::upstream,
                                {source_},
                                "and " + std::to_string(problems_left_out_) + " more problems of this answer",
                                {},
                                {}});
  }
  return std::move(result_);
}

const json::Array* Reader::list(const json::Value& owner, std::string_view key, std::string_view owner_name) {
  const auto* value = find_member(owner, key);
  if (value == nullptr || value->is_null()) return nullptr;
  if (value->is_array()) return &value->as_array();
  problem("`" + std::string(key) + "` of " + std::string(owner_name) + " is not a list but " + shown(value));
  return nullptr;
}

void Reader::read_nodes(const json::Array& nodes) {
  node_of_.resize(nodes.size());
  result_.graph.nodes.reserve(nodes.size());
  std::unordered_map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::string name = "nodes[" + std::to_string(i) + "]";
    Version version;
    auto node = read_node(nodes[i], name, version);
    if (!node) continue;
    const auto [first, added] = seen.emplace(node->version, i);
    if (!added) {
      problem(name + " is left out with its edges: its version " + node->version + " is that of nodes[" +
                  std::to_string(first->second) + "] already",
              {node->version});
      continue;
    }
    node_of_[i] = static_cast<std::uint32_t>(result_.graph.nodes.size());
    result_.graph.nodes.push_back(std::move(*node));
    versions_.push_back(std::move(version));
  }
}

std::optional<Node> Reader::read_node(const json::Value& value, const std::string& name, Version& version) {
  const std::string left_out = " is left out with its edges: ";
  const auto text = find_text(value, "version");
  if (!text) {
    problem(name + left_out + "its version is " + shown(find_member(value, "version")) + ", not a text");
    return std::nullopt;
  }
  auto parsed = Version::parse(*text);
  if (!parsed) {
    problem(name + left_out + parsed.error().message, {std::string(*text)});
    return std::nullopt;
  }
  version = parsed->with_build("");
  Node node{.version = version.to_string()};
  const auto payload = find_text(value, "payload");
  if (!payload || payload->empty()) {
    problem(name + " (" + node.version + ")" + left_out + "its payload is " +
                shown(find_member(value, "payload")) + ", not a pull spec",
            {node.version});
    return std::nullopt;
  }
  node.payload = *payload;
  if (const auto* metadata = find_member(value, "metadata"); metadata != nullptr && !metadata->is_null()) {
    read_metadata(*metadata, name + " (" + node.version + ")", node);
  }
  return node;
}

void Reader::read_metadata(const json::Value& value, const std::string& name, Node& node) {
  if (!value.is_object()) {
    problem("`metadata` of " + name + " is left out: it is not an object but " + shown(&value),
            {node.version});
    return;
  }
  for (const auto& [key, text] : value.as_object()) {
    if (text.is_string()) {
      node.metadata.emplace_back(key, text.as_string());
    } else {
      problem("metadata `" + printable(key, 80) + "` of " + name + " is left out: it is not a text but " +
                  shown(&text),
              {node.version});
    }
  }
  std::sort(node.metadata.begin(), node.metadata.end());
}

void Reader::sort_nodes() {
  auto& nodes = result_.graph.nodes;
  std::vector<std::uint32_t> order(nodes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return versions_[a] < versions_[b]; });
  std::vector<std::uint32_t> place(nodes.size());
  std::vector<Node> sorted(nodes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted[i] = std::move(nodes[order[i]]);
  }
  nodes = std::move(sorted);
  for (auto& node : node_of_) {
    if (node) node = place[*node];
  }
  by_version_.reserve(nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) by_version_.emplace(nodes[i].version, i);
}

std::optional<std::uint32_t> Reader::node_at(const json::Value& index) const {
  const auto* number = index.if_int64();
  if (number == nullptr || *number < 0 || static_cast<std::uint64_t>(*number) >= node_of_.size())
    return std::nullopt;
  return node_of_[static_cast<std::size_t>(*number)];
}

void Reader::read_edges(const json::Array& edges) {
  edges_.reserve(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto* pair = edges[i].if_array();
    std::string fault;
    if (pair == nullptr || pair->size() != 2) {
      fault = "it is not a pair of node indices";
    } else {
      const auto from = node_at((*pair)[0]), to = node_at((*pair)[1]);
      if (!from || !to) {
        fault = "there is no such node, or it was left out";
      } else if (from == to) {
        fault = "it leads to where it comes from";
      } else {
        edges_.emplace_back(*from, *to);
        continue;
      }
    }
    problem("edges[" + std::to_string(i) + "] (" + shown(&edges[i]) + ") is left out: " + fault);
  }
}

void Reader::read_conditional(const json::Value& group, const std::string& name) {
  const auto* edges = list(group, "edges", name);
  if (edges == nullptr) {
    const auto* value = find_member(group, "edges");
    // An object without edges concerns none; anything else may concern all.
    const bool says_something = !group.is_object() || (value != nullptr && !value->is_null());
    problem(name + (says_something ? " may concern any update: " : " is left out: ") +
            "it names no edges in a list");
    if (says_something) all_unclear_ = true;
    return;
  }
  const auto risks = read_risks(group, name);
  const auto list = lists_.add(risks);
  if (lists_.at(list).size() != risks.size())
    record("`risks` of " + name + " has several risks of one name; they are put together");
  for (std::size_t i = 0; i < edges->size(); ++i) {
    read_conditional_edge((*edges)[i], name + ".edges[" + std::to_string(i) + "]", list);
  }
}

void Reader::read_conditional_edge(const json::Value& value, const std::string& name, RiskLists::Id list) {
  bool from_clear = false, to_clear = false;
  const auto from = end(value, "from", name, from_clear), to = end(value, "to", name, to_clear);
  if (from && to) {
    if (from == to) {
      problem(name + " is left out: it leads to where it comes from", {result_.graph.nodes[*from].version});
    } else {
      conditional_.push_back({{*from, *to}, list});
    }
  }
  if (!from_clear && !to_clear) all_unclear_ = true;
  // Half of an edge with risks may mean any edge at that end.
  if (from && !to_clear) unclear_from_.insert(*from);
  if (to && !from_clear) unclear_to_.insert(*to);
}

std::optional<std::uint32_t> Reader::end(const json::Value& edge, std::string_view key,
                                         const std::string& name, bool& clear) {
  const auto text = find_text(edge, key);
  clear = text && Version::parse(*text);
  if (!text) {
    problem(name + " is left out: its `" + std::string(key) + "` is " + shown(find_member(edge, key)) +
            ", not a version");
    return std::nullopt;
  }
  const auto found = by_version_.find(without_build(*text));
  if (found == by_version_.end()) {
    problem(name + " is left out: its `" + std::string(key) + "` " + printable(*text, 80) +
                " is no node of this answer",
            {std::string(*text)});
    return std::nullopt;
  }
  return found->second;
}

std::vector<Risk> Reader::read_risks(const json::Value& group, const std::string& name) {
  const auto* value = find_member(group, "risks");
  std::vector<Risk> risks;
  if (value == nullptr || !value->is_array() || value->as_array().empty()) {
    // The enhancement of docs/risks.md: only recommend the update if there is at least one
    // entry.
    const std::string fault =
        "`risks` of " + name + " is " + shown(value) + ", not a list of at least one risk";
    problem(fault);
    risks.push_back(
        {not_understood_url, graph_data_not_understood, fault + "; " + concerns_all, always_rule()});
    return risks;
  }
  for (std::size_t i = 0; i < value->as_array().size(); ++i) {
    risks.push_back(read_risk(value->as_array()[i], name + ".risks[" + std::to_string(i) + "]"));
  }
  return risks;
}

Risk Reader::read_risk(const json::Value& value, const std::string& name) {
  const auto member = [&](std::string_view key) { return find_text(value, key).value_or(""); };
  Risk risk{std::string(member("url")), std::string(member("name")), std::string(member("message")), {}};
  std::string fault;
  for (const auto* key : {"url", "name", "message"}) {
    if (fault.empty() && trim(member(key)).empty()) {
      fault = "`" + std::string(key) + "` is " + shown(find_member(value, key)) + ", not a text";
    }
  }
  if (fault.empty() && without_rules_ == RisksWithoutRules::keep && has_no_rules(value)) {
    problem(name + " (" + printable(risk.name, 80) + "): it has no `matchingRules`; " + concerns_all);
    return risk;
  }
  if (fault.empty()) fault = rules_fault(value);
  if (fault.empty()) {
    risk.matching_rules = find_member(value, "matchingRules")->as_array();
    canonicalize_rules(risk.matching_rules);
    return risk;
  }
  problem(name + (risk.name.empty() ? "" : " (" + printable(risk.name, 80) + ")") + ": " + fault + "; " +
          concerns_all);
  if (trim(risk.url).empty()) risk.url = not_understood_url;
  if (trim(risk.name).empty()) risk.name = graph_data_not_understood;
  risk.message +=
      (risk.message.empty() ? "" : " ") + ("(Not understood: " + fault) + "; " + concerns_all + ".)";
  risk.matching_rules = always_rule();
  return risk;
}

/// Returns the fault of a risk's matching rules, or "". Unknown types and properties are not faults.
std::string Reader::rules_fault(const json::Value& risk) const {
  const auto* rules = find_member(risk, "matchingRules");
  if (rules == nullptr || !rules->is_array() || rules->as_array().empty()) {
    return "`matchingRules` is " + shown(rules) + ", not a list of at least one rule";
  }
  for (std::size_t i = 0; i < rules->as_array().size(); ++i) {
    const auto& rule = rules->as_array()[i];
    if (json::find_string(rule, "type").value_or("").empty()) {
      return "`matchingRules[" + std::to_string(i) + "]` is " + shown(&rule) + ", which has no type";
    }
  }
  return "";
}

RiskLists::Id Reader::not_understood_risk(std::string message) {
  const Risk risk{not_understood_url, graph_data_not_understood, std::move(message), always_rule()};
  return lists_.add(std::vector{risk});
}

void Reader::find_repeated() {
  std::vector<Edge> edges;
  edges.reserve(conditional_.size());
  for (const Conditional& conditional : conditional_) edges.push_back(conditional.edge);
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 1; i < edges.size(); ++i) {
    if (edges[i] == edges[i - 1] && (repeated_.empty() || repeated_.back() != edges[i]))
      repeated_.push_back(edges[i]);
  }
}

void Reader::make_unclear_edges_conditional() {
  if (!all_unclear_ && unclear_from_.empty() && unclear_to_.empty()) return;
  const auto list = all_unclear_
                        ? not_understood_risk(
                              "The update service does not say in a list which updates are risky, so "
                              "that any update may have risks; " +
                              std::string(concerns_all))
                        : not_understood_risk(
                              "The update service names a risky update of which only one end, an "
                              "end of this update, is clear; " +
                              std::string(concerns_all));
  std::vector<Conditional> unclear;
  const auto add_if_unclear = [&](const Edge& edge) {
    if (all_unclear_ || unclear_from_.contains(edge.first) || unclear_to_.contains(edge.second)) {
      unclear.push_back({edge, list});
    }
  };
  for (const auto& edge : edges_) add_if_unclear(edge);
  for (const auto& conditional : conditional_) add_if_unclear(conditional.edge);
  conditional_.insert(conditional_.end(), unclear.begin(), unclear.end());
}

/// Treats versions of the same image as one target: a risk of one is a risk of the other, as in the
/// cluster-version operator.
void Reader::join_images() {
  std::unordered_map<std::string_view, std::uint32_t> images;
  std::vector<std::uint32_t> image_of;
  for (const Node& node : result_.graph.nodes) {
    image_of.push_back(images.emplace(node.payload, static_cast<std::uint32_t>(images.size())).first->second);
  }
  if (images.size() == image_of.size()) return;
  std::map<Edge, std::vector<RiskLists::Id>> risky;
  for (const auto& [edge, list] : conditional_) risky[{edge.first, image_of[edge.second]}].push_back(list);
  std::vector<Edge> targets = edges_;
  for (const auto& conditional : conditional_) targets.push_back(conditional.edge);
  for (const Edge& edge : targets) {
    const auto found = risky.find({edge.first, image_of[edge.second]});
    if (found == risky.end()) continue;
    for (const RiskLists::Id list : found->second) conditional_.push_back({edge, list});
  }
  std::sort(conditional_.begin(), conditional_.end());
  conditional_.erase(std::unique(conditional_.begin(), conditional_.end()), conditional_.end());
}

void Reader::put_together() {
  std::sort(conditional_.begin(), conditional_.end());
  std::map<RiskLists::Id, std::vector<Edge>> groups;
  std::unordered_set<std::uint64_t> at_risk;
  const auto key = [](const Edge& edge) { return std::uint64_t{edge.first} << 32 | edge.second; };
  for (std::size_t i = 0; i < conditional_.size();) {
    const auto edge = conditional_[i].edge;
    std::vector<RiskLists::Id> ids;
    for (; i < conditional_.size() && conditional_[i].edge == edge; ++i) ids.push_back(conditional_[i].list);
    groups[lists_.merge(std::move(ids))].push_back(edge);
    at_risk.insert(key(edge));
  }

  const auto before = edges_.size();
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  if (edges_.size() != before)
    record(std::to_string(before - edges_.size()) + " edges stand in `edges` more than once");
  const auto both = std::erase_if(edges_, [&](const Edge& edge) { return at_risk.contains(key(edge)); });
  if (both > 0 && !all_unclear_) {
    record(std::to_string(both) + " edges stand in `edges` and have risks as well; they are conditional");
  }

  auto& graph = result_.graph;
  graph.edges = std::move(edges_);
  graph.conditional_edges.reserve(groups.size());
  for (auto& [list, edges] : groups)
    graph.conditional_edges.push_back({std::move(edges), lists_.risks_of(list)});
  std::sort(graph.conditional_edges.begin(), graph.conditional_edges.end(),
            [](const auto& a, const auto& b) { return a.edges.front() < b.edges.front(); });
}

Result<json::Value> parse_reply(std::string_view text, const std::string& doing) {
  if (text.size() > max_text) {
    return fail(ErrorCode::too_large, doing + ": the answer has " + std::to_string(text.size()) +
                                          " bytes; at most " + std::to_string(max_text) + " are read");
  }
  if (std::count(text.begin(), text.end(), '[') + std::count(text.begin(), text.end(), '{') >
      max_containers) {
    return fail(ErrorCode::too_large, doing + ": the answer has more than " + std::to_string(max_containers) +
                                          " lists and objects");
  }
  auto document = json::parse_unambiguous(text);
  if (!document) return fail(document.error().within(doing));
  if (!document->is_object()) return fail(ErrorCode::invalid, doing + ": the answer is not a JSON object");
  if (const auto* version = find_member(*document, "version"); version != nullptr && *version != 1) {
    return fail(ErrorCode::unsupported,
                doing + ": its `version` is " + shown(version) + "; only version 1 is understood");
  }
  return document;
}

std::string doing_with(std::string_view source) {
  return "reading the update graph from " + printable(source);
}

}  // namespace

Result<ReadGraph> read_cincinnati_json(std::string_view text, std::string_view source) {
  return read_cincinnati_json(text, source, RisksWithoutRules::match_always);
}

Result<ReadGraph> read_cincinnati_json(std::string_view text, std::string_view source,
                                       RisksWithoutRules without_rules) {
  const std::string doing = doing_with(source);
  const auto document = parse_reply(text, doing);
  if (!document) return fail(document.error());
  auto graph = Reader(source, without_rules).read(*document);
  if (!graph) return fail(graph.error().within(doing));
  return graph;
}

Result<CincinnatiReply> read_cincinnati_reply(std::string_view text, std::string_view source) {
  const std::string doing = doing_with(source);
  const auto document = parse_reply(text, doing);
  if (!document) return fail(document.error());
  Reader reader(source, RisksWithoutRules::keep, true);
  auto read = reader.read(*document);
  if (!read) return fail(read.error().within(doing));
  const json::Value* nodes = json::find(*document, "nodes");
  return CincinnatiReply{.graph = std::move(read->graph),
                         .has_nodes = nodes != nullptr && nodes->is_array(),
                         .problems = std::move(read->problems),
                         .notes = reader.take_notes(),
                         .repeated = reader.take_repeated()};
}

}  // namespace fairway::graph
