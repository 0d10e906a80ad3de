// SPDX-License-Identifier: Apache-2.0

#include "graph/view.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "graph/internal/neutral_paths.h"
#include "graph/internal/risk_lists.h"
#include "graph/metadata_keys.h"
#include "graph/snapshot.h"

namespace fairway::graph {
namespace {

/// Architectures that expressions may name, even without releases for them.
constexpr std::string_view well_known_architectures[] = {"amd64", "arm64", "multi", "ppc64le", "s390x"};
/// A patch level that no release has: an expression that matches it covers the whole minor version.
constexpr std::string_view far_patch = "999983";

/// Returns "VERSION+ARCH", the text that expressions are searched in.
std::string with_architecture(std::string_view version, std::string_view arch) {
  return std::string(version) + "+" + std::string(arch);
}

/// Returns an expression that matches these versions of any architecture.
std::string expression_of(const std::vector<std::string>& versions) {
  std::string text = "^(";
  for (const std::string& version : versions) {
    if (text.size() > 2) text += '|';
    for (const char c : version) text += c == '.' ? std::string("[.]") : std::string(1, c);
  }
  return text + ")[+]";
}

}  // namespace

View::View(const Snapshot& snapshot)
    : snapshot_(&snapshot), channels_(snapshot.channels.size(), true), may_see_all_(true) {}

View::View(const Snapshot& snapshot, std::vector<bool> channels,
           std::set<std::string, std::less<>> other_names, bool may_see_all)
    : snapshot_(&snapshot),
      channels_(std::move(channels)),
      hidden_names_(std::move(other_names)),
      may_see_all_(may_see_all) {
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (!channels_[i]) hidden_names_.insert(snapshot.channels[i].name);
  }
  if (hidden_names_.empty()) return;
  std::vector<Withheld::Term> terms;
  for (const std::string& name : hidden_names_) terms.push_back({name});
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i]) terms.push_back({snapshot.channels[i].name, false});
  }
  hide_versions(terms);
  withheld_ = Withheld(terms);
  paths_ = neutral_paths(visible_paths(), withheld_);
  if (!paths_.empty()) {
    for (const auto& [path, redacted] : paths_) terms.push_back({path, true, false, redacted});
    withheld_ = Withheld(std::move(terms));
  }
  redact_risks();
  redact_all_metadata();
}

bool View::sees_channel(std::string_view name) const {
  const auto index = snapshot_->find_channel(name);
  return index && channels_[*index];
}

bool View::sees_version(std::string_view version, std::string_view arch) const {
  if (hidden_names_.empty()) return true;
  const std::size_t plus = version.find('+');
  if (plus != std::string_view::npos && arch.empty()) arch = version.substr(plus + 1);
  const auto found = snapshot_->version_channels.find(version.substr(0, plus));
  if (found == snapshot_->version_channels.end()) return true;
  const auto some_visible = [this](const std::vector<std::uint32_t>& channels) {
    return std::ranges::any_of(channels, [this](std::uint32_t channel) { return channels_[channel]; });
  };
  const auto& by_arch = found->second;
  bool listed = false;
  for (const std::string_view listing : {std::string_view{}, arch}) {
    const auto channels = arch.empty() ? by_arch.end() : by_arch.find(listing);
    if (channels == by_arch.end()) continue;
    if (some_visible(channels->second)) return true;
    listed = true;
  }
  return !listed &&
         std::ranges::any_of(by_arch, [&](const auto& listing) { return some_visible(listing.second); });
}

void View::hide_versions(std::vector<Withheld::Term>& terms) {
  std::set<std::string> architectures(std::begin(well_known_architectures),
                                      std::end(well_known_architectures));
  for (const Architecture& architecture : snapshot_->architectures) {
    architectures.insert(architecture.name);
    for (const SnapshotRelease& release : architecture.releases) {
      if (snapshot_->version_channels.contains(release.text)) continue;
      terms.push_back({release.text, false, true});
      visible_versions_.push_back(release.text);
    }
  }
  for (const auto& [version, listings] : snapshot_->version_channels) {
    for (const auto& [arch, channels] : listings) {
      if (!arch.empty()) architectures.insert(arch);
    }
  }
  architectures_.assign(architectures.begin(), architectures.end());

  for (const auto& [version, listings] : snapshot_->version_channels) {
    const bool shown = sees_version(version);
    terms.push_back({version, !shown, true});
    if (shown) visible_versions_.push_back(version);
    const std::string minor = version.substr(0, version.find('.', version.find('.') + 1) + 1);
    for (const std::string& arch : architectures_) {
      if (sees_version(version, arch)) continue;
      // Of a version that is hidden altogether the architectures that there are releases for will do.
      if (!shown && !snapshot_->architectures.empty() && snapshot_->find_architecture(arch) == nullptr)
        continue;
      HiddenVersion hidden{with_architecture(version, arch),
                           {with_architecture(minor + std::string(far_patch), arch)}};
      if (shown) {
        terms.push_back({hidden.text, true, true});
        for (const std::string& other : architectures_) {
          if (sees_version(version, other)) hidden.near.push_back(with_architecture(version, other));
        }
      }
      hidden_versions_.push_back(std::move(hidden));
    }
  }
  std::ranges::sort(visible_versions_);
  visible_versions_.erase(std::unique(visible_versions_.begin(), visible_versions_.end()),
                          visible_versions_.end());
}

std::vector<std::string> View::visible_paths() const {
  std::set<std::string> paths;
  for (const Block& block : snapshot_->graph_data->blocks) {
    if (sees_version(block.to.to_string())) paths.insert(block.file);
  }
  for (const ChannelData& channel : snapshot_->graph_data->channels) {
    if (!sees_channel(channel.name)) continue;
    paths.insert(channel.place.file);
    for (const ChannelVersion& version : channel.versions) paths.insert(version.place.file);
  }
  return {paths.begin(), paths.end()};
}

std::string View::redact_path(const std::string& path) const {
  const auto other = paths_.find(path);
  return other == paths_.end() ? path : other->second;
}

bool View::singles_out_hidden(const Pattern& pattern) const {
  const auto matches = [&](const std::string& text) { return pattern.search(text); };
  return withheld_.mentions(pattern.text()) ||
         std::ranges::any_of(hidden_versions_, [&](const HiddenVersion& hidden) {
           return matches(hidden.text) && std::ranges::none_of(hidden.near, matches);
         });
}

std::optional<std::string> View::redact(const Pattern& pattern) const {
  if (hides_nothing() || !singles_out_hidden(pattern)) return pattern.text();
  std::vector<std::string> matched;
  for (const std::string& version : visible_versions_) {
    const auto matches = [&](const std::string& arch) {
      return sees_version(version, arch) && pattern.search(with_architecture(version, arch));
    };
    if (std::ranges::any_of(architectures_, matches)) matched.push_back(version);
  }
  if (matched.empty()) return std::nullopt;
  return matched.size() == visible_versions_.size() ? ".*" : expression_of(matched);
}

bool View::mentions_hidden(const Risk& risk) const {
  return withheld_.mentions(risk.url) || withheld_.mentions(risk.name) || withheld_.mentions(risk.message) ||
         withheld_.mentions(json::to_text(risk.matching_rules));
}

Risk View::redact(const Risk& risk) const {
  Risk redacted{redact(risk.url), redact(risk.name), redact(risk.message), risk.matching_rules};
  // A rule with a part left out might match no cluster.
  if (withheld_.mentions(json::to_text(risk.matching_rules))) redacted.matching_rules = always_rule();
  return redacted;
}

std::optional<Problem> View::redact(const Problem& problem) const {
  const auto hidden_name = [this](const std::string& name) { return hides_name(name); };
  const auto hidden_version = [this](const std::string& version) { return !sees_version(version); };
  if (std::ranges::any_of(problem.channels, hidden_name) ||
      std::ranges::any_of(problem.versions, hidden_version)) {
    return std::nullopt;
  }
  Problem redacted = problem;
  if (!may_see_all_ && !redacted.public_message.empty()) redacted.message = redacted.public_message;
  redacted.place.file = redact(redacted.place.file);
  redacted.message = redact(redacted.message);
  return redacted;
}

std::vector<Problem> View::problems() const {
  std::vector<Problem> redacted;
  for (const Problem& problem : snapshot_->problems) {
    if (auto one = redact(problem)) redacted.push_back(std::move(*one));
  }
  return redacted;
}

std::optional<std::string> View::redact_metadata(std::string_view key, std::string_view value) const {
  if (hides_nothing()) return std::string(value);
  if (withheld_.mentions(key)) return std::nullopt;
  if (key == metadata_key::previous_remove_regex) {
    const auto pattern = Pattern::compile(value);
    if (pattern) return redact(*pattern);
    // It removes every edge until it is fixed.
    return withheld_.mentions(value) ? ".*" : std::string(value);
  }
  if (!metadata_key::is_version_list(key)) return redact(value);
  std::vector<std::string> left;
  for (const std::string_view version : split(value, ',')) {
    if (sees_version(trim(version))) left.emplace_back(version);
  }
  if (left.empty()) return std::nullopt;
  return redact(join(left, ","));
}

void View::redact_risks() {
  RiskLists lists{not_understood_url};
  std::vector<RiskLists::Entry> redacted;
  bool differs = false;
  for (const Risk& risk : snapshot_->risks) {
    const bool mentions = mentions_hidden(risk);
    redacted.push_back({lists.add_risk(mentions ? redact(risk) : risk)});
    differs = differs || mentions;
  }
  if (!differs) return;
  for (const auto& set : snapshot_->risk_sets) {
    std::vector<RiskLists::Entry> entries;
    for (const std::uint32_t risk : set) entries.push_back(redacted[risk]);
    list_of_set_.push_back(lists.add(entries));
  }
  risks_ = lists.take_risks();
  risk_lists_ = lists.take_lists();
}

std::uint32_t View::risk_list(std::uint32_t risk_set) const {
  return list_of_set_.empty() ? risk_set : list_of_set_[risk_set];
}

const std::vector<std::uint32_t>& View::risks_in(std::uint32_t risk_list) const {
  return list_of_set_.empty() ? snapshot_->risk_sets[risk_list] : risk_lists_[risk_list];
}

const Risk& View::risk(std::uint32_t index) const {
  return list_of_set_.empty() ? snapshot_->risks[index] : risks_[index];
}

void View::redact_all_metadata() {
  for (const Architecture& architecture : snapshot_->architectures) {
    auto& redacted = metadata_.emplace_back();
    for (std::uint32_t i = 0; i < architecture.releases.size(); ++i) {
      const Metadata& whole = architecture.releases[i].metadata;
      Metadata left;
      for (const auto& [key, value] : whole) {
        if (auto one = redact_metadata(key, value)) left.emplace_back(key, std::move(*one));
      }
      if (left != whole) redacted.emplace(i, std::move(left));
    }
  }
}

Node View::node(const Architecture& architecture, std::uint32_t release) const {
  const SnapshotRelease& whole = architecture.releases[release];
  Node node{.version = whole.text, .payload = whole.payload, .metadata = whole.metadata};
  if (!metadata_.empty()) {
    const auto& redacted =
        metadata_[static_cast<std::size_t>(&architecture - snapshot_->architectures.data())];
    if (const auto other = redacted.find(release); other != redacted.end()) node.metadata = other->second;
  }
  std::string names;
  for (const std::uint32_t channel : whole.channels) {
    if (!channels_[channel]) continue;
    if (!names.empty()) names += ',';
    names += snapshot_->channels[channel].name;
  }
  const auto place =
      std::ranges::lower_bound(node.metadata, std::string_view(channels_key), {},
                               [](const auto& entry) { return std::string_view(entry.first); });
  node.metadata.emplace(place, channels_key, std::move(names));
  return node;
}

UpdateGraph View::channel_graph(std::string_view channel, std::string_view arch) const {
  UpdateGraph graph;
  const Architecture* const architecture = snapshot_->find_architecture(arch);
  const auto index = snapshot_->find_channel(channel);
  if (architecture == nullptr || !index || !channels_[*index]) return graph;

  const std::vector<std::uint32_t>& members = architecture->members[*index];
  constexpr std::uint32_t outside = UINT32_MAX;
  std::vector<std::uint32_t> position(architecture->releases.size(), outside);
  graph.nodes.reserve(members.size());
  for (const std::uint32_t release : members) {
    position[release] = static_cast<std::uint32_t>(graph.nodes.size());
    graph.nodes.push_back(node(*architecture, release));
  }

  // Members ascend, and edges are sorted by from: groups are found in the order of their first edge.
  constexpr std::size_t no_group = SIZE_MAX;
  std::vector<std::size_t> group_of(snapshot_->risk_sets.size(), no_group);
  for (const std::uint32_t from : members) {
    auto edge = std::ranges::lower_bound(architecture->edges, from, {}, &SnapshotEdge::from);
    for (; edge != architecture->edges.end() && edge->from == from; ++edge) {
      if (position[edge->to] == outside) continue;
      const IndexPair pair(position[from], position[edge->to]);
      if (edge->risk_set == RiskLists::none) {
        graph.edges.push_back(pair);
        continue;
      }
      const std::uint32_t list = risk_list(edge->risk_set);
      std::size_t& group = group_of[list];
      if (group == no_group) {
        group = graph.conditional_edges.size();
        ConditionalEdges& added = graph.conditional_edges.emplace_back();
        for (const std::uint32_t id : risks_in(list)) added.risks.push_back(risk(id));
      }
      graph.conditional_edges[group].edges.push_back(pair);
    }
  }
  return graph;
}

}  // namespace fairway::graph
