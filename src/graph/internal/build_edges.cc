// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/build_edges.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "graph/internal/copy_of_pattern.h"
#include "graph/internal/cycles.h"
#include "graph/metadata_keys.h"

namespace fairway::graph {

namespace {

/// Most risks of one update; real graph data has 9 at most. An update with more becomes conditional on one
/// risk that says so, for all clusters: lists of thousands for each update would take hours and all memory.
constexpr std::size_t max_risks = 100;
/// Most mentions of risks by upstreams for one update, before equal ones are merged.
constexpr std::size_t max_own_risks = 10'000;
/// Most risks in all distinct lists together.
constexpr std::size_t max_listed_risks = 1'000'000;
/// Limits of regular expressions in the metadata of releases, as of graph data
/// (docs/graph-data-limits.md).
constexpr std::size_t max_expression_bytes = 4096;
constexpr std::size_t max_program = 1'000;
constexpr std::size_t max_programs = 30'000;
/// Most problems of one architecture that are reported one by one.
constexpr std::size_t max_edge_problems = 1'000;

struct DraftEdge {
  std::uint32_t from = 0, to = 0;
  bool blocked = false, removed_by_metadata = false, too_many_risks = false;
  std::optional<std::uint32_t> without_image = {};  // index of the problem
  std::vector<RiskLists::Entry> own_risks = {};  // an upstream's, or for what is not understood of metadata
  std::vector<std::uint32_t> blocks = {};  // conditional or not understood, by index into GraphData::blocks
};

std::uint64_t key_of(std::uint32_t from, std::uint32_t to) {
  return (std::uint64_t{to} << 32) | from;
}

class EdgeBuilder {
 public:
  EdgeBuilder(const DraftArchitecture& draft, const EdgeInputs& inputs, std::vector<Problem>& problems)
      : draft_(draft), inputs_(inputs), data_(inputs.data), problems_(problems), watch_(inputs.watch) {
    for (const DraftRelease& release : draft.releases) {
      names_.push_back(release.release.text + "+" + draft.name);
    }
  }

  void declare_edges();
  void apply_blocks();
  void apply_metadata_removals();
  void apply_metadata_faults();
  void leave_out_targets_without_image();
  void finish(Architecture& architecture);

 private:
  void tell(Problem problem);
  DraftEdge* declare(std::uint32_t from, std::uint32_t to);
  void declare_upstream(std::size_t number, const std::vector<std::optional<std::uint32_t>>& nodes);
  void add_by_metadata(std::uint32_t release, std::string_view key, bool release_is_target);
  void remove_by_metadata(std::uint32_t release, std::string_view key, bool release_is_target);
  void remove_by_expression(std::uint32_t release, const std::string& text);
  Result<Pattern> compile(const std::string& text);
  void sort_by_target();
  const std::vector<bool>& sources_matched_by(const Pattern& pattern);
  RiskLists::Id list_of(DraftEdge& edge);
  void tell_of_too_many_risks();

  const DraftArchitecture& draft_;
  const EdgeInputs& inputs_;
  const GraphData& data_;
  std::vector<Problem>& problems_;
  Watch& watch_;
  std::vector<std::string> names_;  // "version+arch", what `from` is searched in
  std::vector<DraftEdge> edges_;
  std::unordered_map<std::uint64_t, std::size_t> edge_index_;
  std::vector<std::size_t> first_into_;  // edges_ sorted by target: where each target's edges begin
  std::map<std::string, std::vector<bool>> matched_;
  std::map<std::string, Result<Pattern>> compiled_;
  std::size_t programs_ = max_programs;  // steps that metadata's expressions may still have
  std::size_t reported_ = 0;
  std::set<std::uint32_t> reported_of_itself_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> reported_of_added_;
  // Most edges share their list of blocks with many others.
  std::map<std::vector<std::uint32_t>, RiskLists::Id> set_by_blocks_;
};

/// Reports a problem, up to `max_edge_problems`: metadata may have millions of faults.
void EdgeBuilder::tell(Problem problem) {
  if (++reported_ <= max_edge_problems) {
    problems_.push_back(std::move(problem));
  } else if (reported_ == max_edge_problems + 1) {
    problems_.push_back({.kind = problem_kind::edge_left_out,
                         .message = "there are more than " + std::to_string(max_edge_problems) +
                                    " such problems of releases for " + draft_.name +
                                    "; the others are not told"});
  }
}

DraftEdge* EdgeBuilder::declare(std::uint32_t from, std::uint32_t to) {
  if (from == to) {
    if (!reported_of_itself_.insert(to).second) return nullptr;
    const std::string& text = draft_.releases[to].release.text;
    tell({.kind = problem_kind::edge_left_out,
          .place = {.file = draft_.releases[to].release.source},
          .message =
              "release " + text + " (" + draft_.name + ") is said to update to itself; the edge is left out",
          .versions = {names_[to]}});
    return nullptr;
  }
  const auto [place, is_new] = edge_index_.emplace(key_of(from, to), edges_.size());
  if (is_new) edges_.push_back({.from = from, .to = to});
  return &edges_[place->second];
}

void EdgeBuilder::declare_edges() {
  std::size_t declared = 0;
  for (const DraftRelease& release : draft_.releases)
    declared += release.previous.size() + release.next.size();
  edges_.reserve(declared);
  edge_index_.reserve(declared);
  for (std::uint32_t i = 0; i < draft_.releases.size(); ++i) {
    for (const std::string& version : draft_.releases[i].previous) {
      if (watch_.ended(8)) return;
      if (const auto from = draft_.find(version)) declare(*from, i);
    }
    for (const std::string& version : draft_.releases[i].next) {
      if (watch_.ended(8)) return;
      if (const auto to = draft_.find(version)) declare(i, *to);
    }
  }
  for (const auto& [number, nodes] : draft_.upstream_nodes) declare_upstream(number, nodes);
  if (watch_.has_ended()) return;
  for (std::uint32_t i = 0; i < draft_.releases.size(); ++i) {
    add_by_metadata(i, metadata_key::previous_add, true);
    add_by_metadata(i, metadata_key::next_add, false);
  }
  sort_by_target();
}

void EdgeBuilder::declare_upstream(std::size_t number,
                                   const std::vector<std::optional<std::uint32_t>>& nodes) {
  const UpstreamGraph& upstream = inputs_.upstreams[number];
  const auto declare_pair = [&](const IndexPair& pair) -> DraftEdge* {
    if (!nodes[pair.first] || !nodes[pair.second]) return nullptr;
    return declare(*nodes[pair.first], *nodes[pair.second]);
  };
  for (const IndexPair& pair : upstream.graph.edges) {
    if (watch_.ended(8)) return;
    declare_pair(pair);
  }
  for (const ConditionalEdges& conditional : upstream.graph.conditional_edges) {
    const bool too_many = conditional.risks.size() > max_risks;
    std::vector<RiskLists::Entry> risks;
    for (const Risk& risk : conditional.risks) {
      if (!too_many) risks.push_back({inputs_.risks.add_risk(risk), &upstream.source});
    }
    for (const IndexPair& pair : conditional.edges) {
      if (watch_.ended(8 + risks.size())) return;
      DraftEdge* const edge = declare_pair(pair);
      if (edge == nullptr) continue;
      edge->too_many_risks =
          edge->too_many_risks || too_many || edge->own_risks.size() + risks.size() > max_own_risks;
      if (edge->too_many_risks) continue;
      edge->own_risks.insert(edge->own_risks.end(), risks.begin(), risks.end());
    }
  }
}

void EdgeBuilder::add_by_metadata(std::uint32_t release, std::string_view key, bool release_is_target) {
  const auto& metadata = draft_.releases[release].operations;
  const auto found = metadata.find(std::string(key));
  if (found == metadata.end()) return;
  for (const std::string_view version : split(found->second, ',')) {
    if (watch_.ended(8)) return;
    const auto other = draft_.find(trim(version));
    if (!other) continue;
    if (!draft_.releases[release].local || !draft_.releases[*other].local) {
      // Local graph data only narrows what an upstream recommends.
      const std::string& text = draft_.releases[release].release.text;
      const std::string& other_text = draft_.releases[*other].release.text;
      if (!reported_of_added_.emplace(release, *other).second) continue;
      tell({.kind = problem_kind::edge_left_out,
            .place = {.file = "raw/metadata.json"},
            .message = "'" + std::string(key) + "' of " + text + " would add an edge with " + other_text +
                       ", which comes from an upstream update service; the edge is left out, because graph "
                       "data only narrows what an upstream recommends",
            .versions = {names_[release], names_[*other]}});
      continue;
    }
    release_is_target ? declare(*other, release) : declare(release, *other);
  }
}

void EdgeBuilder::sort_by_target() {
  std::ranges::sort(edges_, {}, [](const DraftEdge& edge) { return key_of(edge.from, edge.to); });
  edge_index_.clear();
  first_into_.assign(draft_.releases.size() + 1, edges_.size());
  for (std::size_t i = edges_.size(); i-- > 0;) first_into_[edges_[i].to] = i;
  for (std::size_t to = draft_.releases.size(); to-- > 0;) {
    first_into_[to] = std::min(first_into_[to], first_into_[to + 1]);
  }
}

const std::vector<bool>& EdgeBuilder::sources_matched_by(const Pattern& pattern) {
  const auto [place, is_new] = matched_.try_emplace(pattern.text());
  if (is_new) {
    const Pattern copy = copy_of(pattern);
    for (const std::string& name : names_) place->second.push_back(!watch_.ended(16) && copy.search(name));
  }
  return place->second;
}

void EdgeBuilder::apply_blocks() {
  for (std::uint32_t number = 0; number < data_.blocks.size(); ++number) {
    const Block& block = data_.blocks[number];
    const auto to = draft_.find(block.to.to_string());
    if (!to) continue;
    inputs_.has_target[number] = true;
    const std::vector<bool>* const matched = block.from ? &sources_matched_by(*block.from) : nullptr;
    for (std::size_t i = first_into_[*to]; i < first_into_[*to + 1]; ++i) {
      if (watch_.ended()) return;
      DraftEdge& edge = edges_[i];
      if (matched != nullptr && !(*matched)[edge.from]) continue;
      inputs_.meets[number] = true;
      if (block.effect == Block::Effect::removed) {
        edge.blocked = true;
      } else if (edge.blocks.size() < max_risks) {
        edge.blocks.push_back(number);
      } else {
        edge.too_many_risks = true;
      }
    }
  }
}

void EdgeBuilder::remove_by_metadata(std::uint32_t release, std::string_view key, bool release_is_target) {
  const auto& metadata = draft_.releases[release].operations;
  const auto found = metadata.find(std::string(key));
  if (found == metadata.end()) return;
  for (const std::string_view version : split(found->second, ',')) {
    if (watch_.ended(8)) return;
    const auto other = draft_.find(trim(version));
    if (!other && !trim(version).empty() && !Version::parse(trim(version))) {
      const std::string& text = draft_.releases[release].release.text;
      tell({.kind = problem_kind::graph_data,
            .place = {.file = draft_.releases[release].release.source},
            .message = "metadata '" + std::string(key) + "' of " + text + ": '" + printable(trim(version)) +
                       "' is no version; all edges " + (release_is_target ? "into " : "out of ") + text +
                       " are left out until it is fixed",
            .versions = {names_[release]}});
      for (DraftEdge& edge : edges_) {
        if ((release_is_target ? edge.to : edge.from) == release) edge.removed_by_metadata = true;
      }
      // There is nothing left that the rest could remove.
      return;
    }
    if (!other) continue;
    const std::uint32_t from = release_is_target ? *other : release;
    const std::uint32_t to = release_is_target ? release : *other;
    const auto begin = edges_.begin() + static_cast<std::ptrdiff_t>(first_into_[to]);
    const auto end = edges_.begin() + static_cast<std::ptrdiff_t>(first_into_[to + 1]);
    const auto edge = std::ranges::lower_bound(begin, end, from, {}, &DraftEdge::from);
    if (edge != end && edge->from == from) edge->removed_by_metadata = true;
  }
}

void EdgeBuilder::apply_metadata_removals() {
  for (std::uint32_t i = 0; i < draft_.releases.size(); ++i) {
    remove_by_metadata(i, metadata_key::previous_remove, true);
    remove_by_metadata(i, metadata_key::next_remove, false);
    const DraftRelease& release = draft_.releases[i];
    const auto own = release.operations.find(std::string(metadata_key::previous_remove_regex));
    if (own != release.operations.end()) remove_by_expression(i, own->second);
    if (release.raw_remove_regex) remove_by_expression(i, *release.raw_remove_regex);
  }
}

void EdgeBuilder::remove_by_expression(std::uint32_t release, const std::string& text) {
  const auto known = compiled_.find(text);
  const Result<Pattern>& pattern =
      known != compiled_.end() ? known->second : compiled_.emplace(text, compile(text)).first->second;
  if (!pattern) {
    const std::string& version = draft_.releases[release].release.text;
    tell({.kind = problem_kind::graph_data,
          .place = {.file = draft_.releases[release].release.source},
          .message = "metadata '" + std::string(metadata_key::previous_remove_regex) + "' of " + version +
                     ": " + pattern.error().message + "; all edges into " + version +
                     " are left out until it is fixed",
          .versions = {names_[release]}});
  }
  const std::vector<bool>* const matched = pattern ? &sources_matched_by(*pattern) : nullptr;
  for (std::size_t e = first_into_[release]; e < first_into_[release + 1]; ++e) {
    if (matched == nullptr || (*matched)[edges_[e].from]) edges_[e].removed_by_metadata = true;
  }
}

/// Compiles an expression within the limits, since each is searched in the name of every release.
Result<Pattern> EdgeBuilder::compile(const std::string& text) {
  if (text.size() > max_expression_bytes) {
    return fail(ErrorCode::too_large,
                "the expression is longer than " + std::to_string(max_expression_bytes) + " bytes");
  }
  if (programs_ == 0) {
    return fail(ErrorCode::too_large, "the expressions of other releases have " +
                                          std::to_string(max_programs) + " steps of program already");
  }
  auto pattern = Pattern::compile(text);
  const std::size_t cost = pattern ? pattern->program_size() : text.size();
  programs_ -= std::min(programs_, cost);
  if (pattern && cost > max_program) {
    return fail(ErrorCode::too_large, "the expression compiles to " + std::to_string(cost) +
                                          " steps; the limit is " + std::to_string(max_program));
  }
  return pattern;
}

void EdgeBuilder::apply_metadata_faults() {
  for (const MetadataFault& fault : data_.metadata_faults) {
    const auto& [version, into, out_of] = fault.edges;
    const auto release = version ? draft_.find(version->to_string()) : std::nullopt;
    if (version && !release) continue;
    const RiskLists::Entry entry{inputs_.risks.add_risk(fault.risk), &fault.place.file};
    for (DraftEdge& edge : edges_) {
      if (watch_.ended()) return;
      if (!version || (into && edge.to == *release) || (out_of && edge.from == *release))
        edge.own_risks.push_back(entry);
    }
  }
}

/// Leaves out updates into releases without an image, since they cannot be installed.
void EdgeBuilder::leave_out_targets_without_image() {
  for (std::uint32_t to = 0; to < draft_.releases.size(); ++to) {
    const SnapshotRelease& release = draft_.releases[to].release;
    if (!release.payload.empty() || first_into_[to] == first_into_[to + 1]) continue;
    problems_.push_back({.kind = problem_kind::release_without_image,
                         .place = {.file = release.source},
                         .message = "release " + release.text + " (" + draft_.name +
                                    ") has no image: no update into it is served",
                         .versions = {names_[to]}});
    const auto problem = static_cast<std::uint32_t>(problems_.size() - 1);
    for (std::size_t i = first_into_[to]; i < first_into_[to + 1]; ++i) edges_[i].without_image = problem;
  }
}

/// Returns the list of the risks of an update.
RiskLists::Id EdgeBuilder::list_of(DraftEdge& edge) {
  RiskLists& lists = inputs_.risks;
  if (edge.own_risks.empty() && edge.blocks.empty() && !edge.too_many_risks) return RiskLists::none;
  const auto add = [&] {
    std::vector<RiskLists::Entry> entries = edge.own_risks;
    for (const std::uint32_t block : edge.blocks) {
      entries.push_back({inputs_.block_risks[block], &data_.blocks[block].file});
    }
    return lists.add(entries);
  };
  edge.too_many_risks = edge.too_many_risks || lists.listed() > max_listed_risks;
  RiskLists::Id list = RiskLists::none;
  if (!edge.too_many_risks) {
    if (!edge.own_risks.empty()) {
      list = add();
    } else {
      const auto [place, is_new] = set_by_blocks_.emplace(edge.blocks, RiskLists::none);
      if (is_new) place->second = add();
      list = place->second;
    }
    edge.too_many_risks = lists.at(list).size() > max_risks;
  }
  if (!edge.too_many_risks) return list;
  return lists.add(std::vector<Risk>{
      {.url = inputs_.problem_url,
       .name = graph_data_not_understood,
       .message = "More risks are held against this update than can be told (the limit is " +
                  std::to_string(max_risks) + " for one update).",
       .matching_rules = always_rule()}});
}

void EdgeBuilder::tell_of_too_many_risks() {
  std::set<std::uint32_t> targets;
  for (const DraftEdge& edge : edges_) {
    if (edge.too_many_risks) targets.insert(edge.to);
  }
  if (targets.empty()) return;
  Problem problem{.kind = problem_kind::graph_data,
                  .message = "there are more risks than can be told (the limit is " +
                             std::to_string(max_risks) + " for one update); some updates for " + draft_.name +
                             " are conditional on the risk " + graph_data_not_understood +
                             " until there are fewer, those into"};
  constexpr std::size_t named = 5;
  for (const std::uint32_t to : targets) {
    if (problem.versions.size() < named)
      problem.message += (problem.versions.empty() ? " " : ", ") + draft_.releases[to].release.text;
    problem.versions.push_back(names_[to]);
  }
  if (targets.size() > named) problem.message += " and " + std::to_string(targets.size() - named) + " more";
  problems_.push_back(std::move(problem));
}

void EdgeBuilder::finish(Architecture& architecture) {
  for (DraftEdge& edge : edges_) {
    if (watch_.ended(1 + edge.blocks.size() + edge.own_risks.size())) return;
    if (edge.blocked || edge.removed_by_metadata) {
      architecture.removed.push_back(
          {.from = edge.from,
           .to = edge.to,
           .why = edge.blocked ? RemovedEdge::Why::blocked : RemovedEdge::Why::metadata});
      continue;
    }
    const RiskLists::Id risk_set = list_of(edge);
    if (edge.without_image) {
      architecture.removed.push_back({.from = edge.from,
                                      .to = edge.to,
                                      .why = RemovedEdge::Why::left_out,
                                      .problem = *edge.without_image,
                                      .risk_set = risk_set});
      continue;
    }
    architecture.edges.push_back({.from = edge.from, .to = edge.to, .risk_set = risk_set});
  }
  tell_of_too_many_risks();

  // A cluster that follows updates must not come round in a circle: a cycle needs an edge down to a lower
  // version.
  const auto closing = find_descending_edges_in_cycles(architecture.edges, architecture.releases.size());
  std::map<IndexPair, std::uint32_t> left_out;
  for (const IndexPair& pair : closing) left_out.emplace(pair, RiskLists::none);
  std::erase_if(architecture.edges, [&](const SnapshotEdge& edge) {
    const auto found = left_out.empty() ? left_out.end() : left_out.find(IndexPair(edge.from, edge.to));
    if (found == left_out.end()) return false;
    found->second = edge.risk_set;
    return true;
  });
  for (const IndexPair& pair : closing) {
    const std::string& from = architecture.releases[pair.first].text;
    const std::string& to = architecture.releases[pair.second].text;
    problems_.push_back({.kind = problem_kind::edge_left_out,
                         .place = {.file = architecture.releases[pair.second].source},
                         .message = "the edge " + from + " -> " + to + " (" + architecture.name +
                                    ") closes a circle of updates; it goes down, so it is left out",
                         .versions = {names_[pair.first], names_[pair.second]}});
    architecture.removed.push_back({.from = pair.first,
                                    .to = pair.second,
                                    .why = RemovedEdge::Why::left_out,
                                    .problem = static_cast<std::uint32_t>(problems_.size() - 1),
                                    .risk_set = left_out.at(pair)});
  }
  const auto by_ends = [](const auto& edge) { return IndexPair(edge.from, edge.to); };
  std::ranges::sort(architecture.edges, {}, by_ends);
  std::ranges::sort(architecture.removed, {}, by_ends);
}

}  // namespace

void build_edges(const DraftArchitecture& draft, const EdgeInputs& inputs, Architecture& architecture,
                 std::vector<Problem>& problems) {
  EdgeBuilder builder(draft, inputs, problems);
  for (const auto step :
       {&EdgeBuilder::declare_edges, &EdgeBuilder::apply_blocks, &EdgeBuilder::apply_metadata_removals,
        &EdgeBuilder::apply_metadata_faults, &EdgeBuilder::leave_out_targets_without_image}) {
    (builder.*step)();
    // An unfinished step must not be built upon.
    if (inputs.watch.has_ended()) return;
  }
  builder.finish(architecture);
}

}  // namespace fairway::graph
