#include "graph/internal/build_edges.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "graph/internal/cycles.h"
#include "graph/metadata_keys.h"

namespace fairway::graph {

namespace {

struct DraftEdge {
  std::uint32_t from = 0, to = 0;
  bool blocked = false, removed_by_metadata = false, without_image = false;
  std::vector<RiskLists::Entry> own_risks;  // an upstream's, or for what is not understood of metadata
  std::vector<std::uint32_t> blocks;        // conditional or not understood, by index into GraphData::blocks
};

std::uint64_t key_of(std::uint32_t from, std::uint32_t to) {
  return (std::uint64_t{to} << 32) | from;
}

class EdgeBuilder {
 public:
  EdgeBuilder(const DraftArchitecture& draft, const EdgeInputs& inputs, std::vector<Problem>& problems)
      : draft_(draft), inputs_(inputs), data_(inputs.data), problems_(problems) {
    for (const DraftRelease& release : draft.releases) {
      names_.push_back(release.release.text + "+" + draft.name);
    }
  }

  void declare_edges();
  void apply_blocks();
  void apply_metadata_removals();
  void apply_metadata_faults();
  void leave_out_targets_without_image(Architecture& architecture);
  void finish(Architecture& architecture);

 private:
  DraftEdge* declare(std::uint32_t from, std::uint32_t to);
  void declare_upstream(std::size_t number, const std::vector<std::optional<std::uint32_t>>& nodes);
  void add_by_metadata(std::uint32_t release, std::string_view key, bool release_is_target);
  void remove_by_metadata(std::uint32_t release, std::string_view key, bool release_is_target);
  void sort_by_target();
  const std::vector<bool>& sources_matched_by(const Pattern& pattern);

  const DraftArchitecture& draft_;
  const EdgeInputs& inputs_;
  const GraphData& data_;
  std::vector<Problem>& problems_;
  std::vector<std::string> names_;  // "version+arch", what `from` is searched in
  std::vector<DraftEdge> edges_;
  std::unordered_map<std::uint64_t, std::size_t> edge_index_;
  std::vector<std::size_t> first_into_;  // edges_ sorted by target: where each target's edges begin
  std::map<std::string, std::vector<bool>> matched_;
};

DraftEdge* EdgeBuilder::declare(std::uint32_t from, std::uint32_t to) {
  if (from == to) {
    const std::string& text = draft_.releases[to].release.text;
    problems_.push_back({.kind = problem_kind::edge_left_out,
                         .place = {.file = draft_.releases[to].release.source},
                         .message = "release " + text + " (" + draft_.name +
                                    ") is said to update to itself; the edge is left out",
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
      if (const auto from = draft_.find(version)) declare(*from, i);
    }
    for (const std::string& version : draft_.releases[i].next) {
      if (const auto to = draft_.find(version)) declare(i, *to);
    }
  }
  for (const auto& [number, nodes] : draft_.upstream_nodes) declare_upstream(number, nodes);
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
  for (const IndexPair& pair : upstream.graph.edges) declare_pair(pair);
  for (const ConditionalEdges& conditional : upstream.graph.conditional_edges) {
    std::vector<RiskLists::Entry> risks;
    for (const Risk& risk : conditional.risks) {
      risks.push_back({inputs_.risks.add_risk(risk), &upstream.source});
    }
    for (const IndexPair& pair : conditional.edges) {
      DraftEdge* const edge = declare_pair(pair);
      if (edge == nullptr) continue;
      edge->own_risks.insert(edge->own_risks.end(), risks.begin(), risks.end());
    }
  }
}

void EdgeBuilder::add_by_metadata(std::uint32_t release, std::string_view key, bool release_is_target) {
  const auto& metadata = draft_.releases[release].operations;
  const auto found = metadata.find(std::string(key));
  if (found == metadata.end()) return;
  for (const std::string_view version : split(found->second, ',')) {
    const auto other = draft_.find(trim(version));
    if (!other) continue;
    if (!draft_.releases[release].local || !draft_.releases[*other].local) {
      // Local graph data only narrows what an upstream recommends.
      const std::string& text = draft_.releases[release].release.text;
      const std::string& other_text = draft_.releases[*other].release.text;
      problems_.push_back(
          {.kind = problem_kind::edge_left_out,
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
    for (const std::string& name : names_) place->second.push_back(pattern.search(name));
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
      DraftEdge& edge = edges_[i];
      if (matched != nullptr && !(*matched)[edge.from]) continue;
      inputs_.meets[number] = true;
      if (block.effect == Block::Effect::removed) {
        edge.blocked = true;
      } else {
        edge.blocks.push_back(number);
      }
    }
  }
}

void EdgeBuilder::remove_by_metadata(std::uint32_t release, std::string_view key, bool release_is_target) {
  const auto& metadata = draft_.releases[release].operations;
  const auto found = metadata.find(std::string(key));
  if (found == metadata.end()) return;
  for (const std::string_view version : split(found->second, ',')) {
    const auto other = draft_.find(trim(version));
    if (!other && !trim(version).empty() && !Version::parse(trim(version))) {
      const std::string& text = draft_.releases[release].release.text;
      problems_.push_back({.kind = problem_kind::graph_data,
                           .place = {.file = draft_.releases[release].release.source},
                           .message = "metadata '" + std::string(key) + "' of " + text + ": '" +
                                      printable(trim(version)) + "' is no version; all edges " +
                                      (release_is_target ? "into " : "out of ") + text +
                                      " are left out until it is fixed",
                           .versions = {names_[release]}});
      for (DraftEdge& edge : edges_) {
        if ((release_is_target ? edge.to : edge.from) == release) edge.removed_by_metadata = true;
      }
      continue;
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
    const auto& metadata = draft_.releases[i].operations;
    const auto found = metadata.find(std::string(metadata_key::previous_remove_regex));
    if (found == metadata.end()) continue;
    const auto pattern = Pattern::compile(found->second);
    if (!pattern) {
      const std::string& text = draft_.releases[i].release.text;
      problems_.push_back({.kind = problem_kind::graph_data,
                           .place = {.file = draft_.releases[i].release.source},
                           .message = "metadata '" + std::string(metadata_key::previous_remove_regex) +
                                      "' of " + text + ": " + pattern.error().message + "; all edges into " +
                                      text + " are left out until it is fixed",
                           .versions = {names_[i]}});
    }
    const std::vector<bool>* const matched = pattern ? &sources_matched_by(*pattern) : nullptr;
    for (std::size_t e = first_into_[i]; e < first_into_[i + 1]; ++e) {
      if (matched == nullptr || (*matched)[edges_[e].from]) edges_[e].removed_by_metadata = true;
    }
  }
}

void EdgeBuilder::apply_metadata_faults() {
  for (const MetadataFault& fault : data_.metadata_faults) {
    const auto& [version, into, out_of] = fault.edges;
    const auto release = version ? draft_.find(version->to_string()) : std::nullopt;
    if (version && !release) continue;
    const RiskLists::Entry entry{inputs_.risks.add_risk(fault.risk), &fault.place.file};
    for (DraftEdge& edge : edges_) {
      if (!version || (into && edge.to == *release) || (out_of && edge.from == *release))
        edge.own_risks.push_back(entry);
    }
  }
}

/// What has no image cannot be updated to.
void EdgeBuilder::leave_out_targets_without_image(Architecture& architecture) {
  for (std::uint32_t to = 0; to < draft_.releases.size(); ++to) {
    const SnapshotRelease& release = draft_.releases[to].release;
    if (!release.payload.empty() || first_into_[to] == first_into_[to + 1]) continue;
    problems_.push_back({.kind = problem_kind::release_without_image,
                         .place = {.file = release.source},
                         .message = "release " + release.text + " (" + draft_.name +
                                    ") has no image: no update into it is served",
                         .versions = {names_[to]}});
    const auto problem = static_cast<std::uint32_t>(problems_.size() - 1);
    for (std::size_t i = first_into_[to]; i < first_into_[to + 1]; ++i) {
      edges_[i].without_image = true;
      if (edges_[i].blocked || edges_[i].removed_by_metadata) continue;
      architecture.removed.push_back(
          {.from = edges_[i].from, .to = to, .why = RemovedEdge::Why::left_out, .problem = problem});
    }
  }
}

void EdgeBuilder::finish(Architecture& architecture) {
  // Most edges share their list of blocks with many others.
  std::map<std::vector<std::uint32_t>, std::uint32_t> set_by_blocks;
  for (const DraftEdge& edge : edges_) {
    if (edge.blocked || edge.removed_by_metadata) {
      architecture.removed.push_back(
          {.from = edge.from,
           .to = edge.to,
           .why = edge.blocked ? RemovedEdge::Why::blocked : RemovedEdge::Why::metadata});
      continue;
    }
    if (edge.without_image) continue;
    const auto add_list = [&] {
      std::vector<RiskLists::Entry> entries = edge.own_risks;
      for (const std::uint32_t block : edge.blocks) {
        entries.push_back({inputs_.block_risks[block], &data_.blocks[block].file});
      }
      return inputs_.risks.add(entries);
    };
    std::uint32_t risk_set = RiskLists::none;
    if (!edge.own_risks.empty()) {
      risk_set = add_list();
    } else if (!edge.blocks.empty()) {
      const auto [place, is_new] = set_by_blocks.emplace(edge.blocks, 0);
      if (is_new) place->second = add_list();
      risk_set = place->second;
    }
    architecture.edges.push_back({.from = edge.from, .to = edge.to, .risk_set = risk_set});
  }

  // A cluster that follows updates must not come round in a circle: a cycle needs an edge down to a lower
  // version.
  const auto closing = find_descending_edges_in_cycles(architecture.edges, architecture.releases.size());
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
                                    .problem = static_cast<std::uint32_t>(problems_.size() - 1)});
  }
  const std::set<IndexPair> left_out(closing.begin(), closing.end());
  std::erase_if(architecture.edges, [&](const SnapshotEdge& edge) {
    return !left_out.empty() && left_out.contains(IndexPair(edge.from, edge.to));
  });
  const auto by_ends = [](const auto& edge) { return IndexPair(edge.from, edge.to); };
  std::ranges::sort(architecture.edges, {}, by_ends);
  std::ranges::sort(architecture.removed, {}, by_ends);
}

}  // namespace

void build_edges(const DraftArchitecture& draft, const EdgeInputs& inputs, Architecture& architecture,
                 std::vector<Problem>& problems) {
  EdgeBuilder builder(draft, inputs, problems);
  builder.declare_edges();
  builder.apply_blocks();
  builder.apply_metadata_removals();
  builder.apply_metadata_faults();
  builder.leave_out_targets_without_image(architecture);
  builder.finish(architecture);
}

}  // namespace fairway::graph
