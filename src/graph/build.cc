// SPDX-License-Identifier: Apache-2.0

#include "graph/build.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/redact.h"
#include "base/text.h"
#include "graph/internal/build_edges.h"
#include "graph/internal/build_releases.h"
#include "graph/internal/idle_metadata.h"

namespace fairway::graph {

namespace {

// All channels that graph data defines or an upstream names, sorted by name.
void collect_channels(const std::vector<DraftArchitecture>& drafts, const BuildInputs& inputs,
                      Snapshot& snapshot) {
  std::map<std::string, SnapshotChannel> channels;
  const auto& data = snapshot.graph_data->channels;
  for (std::uint32_t i = 0; i < data.size(); ++i) {
    SnapshotChannel& channel = channels[data[i].name];
    if (!channel.data) channel.data = i;
    if (channel.description.empty()) channel.description = data[i].description;
  }
  for (const UpstreamGraph& upstream : inputs.upstreams) channels.try_emplace(upstream.channel);
  for (const DraftArchitecture& draft : drafts) {
    for (const DraftRelease& release : draft.releases) {
      for (const std::string& name : release.upstream_channels) channels.try_emplace(name);
    }
  }
  for (auto& [name, channel] : channels) {
    channel.name = name;
    snapshot.channels.push_back(std::move(channel));
  }
}

class Membership {
 public:
  Membership(const std::vector<DraftArchitecture>& drafts, const Snapshot& snapshot) {
    for (const DraftArchitecture& draft : drafts) {
      for (const DraftRelease& release : draft.releases) {
        known_upstream_.insert(release.upstream_channels.begin(), release.upstream_channels.end());
      }
    }
    for (const ChannelData& data : snapshot.graph_data->channels) by_name_[data.name].push_back(&data);
  }

  /// Returns the sorted indices of the releases of one channel. If an upstream also has the channel, the list
  /// of a local channel file narrows the upstream's.
  std::vector<std::uint32_t> members(const DraftArchitecture& draft, const SnapshotChannel& channel,
                                     Watch& watch) const {
    std::set<std::uint32_t> listed;
    const auto data = by_name_.find(channel.name);
    for (const ChannelData* const one :
         data == by_name_.end() ? std::vector<const ChannelData*>{} : data->second) {
      for (const ChannelVersion& version : one->versions) {
        if (const auto release = draft.find(version.version.to_string())) listed.insert(*release);
      }
    }
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < draft.releases.size(); ++i) {
      const DraftRelease& release = draft.releases[i];
      if (watch.ended(4 + release.upstream_channels.size())) return {};
      const bool upstream_lists_it =
          std::ranges::find(release.upstream_channels, channel.name) != release.upstream_channels.end();
      bool is_member = upstream_lists_it;
      if (channel.data) {
        const bool narrowed_away =
            !release.local && !upstream_lists_it && known_upstream_.contains(channel.name);
        is_member = listed.contains(i) && !narrowed_away;
      }
      if (is_member) members.push_back(i);
    }
    return members;
  }

 private:
  std::set<std::string> known_upstream_;
  std::map<std::string_view, std::vector<const ChannelData*>> by_name_;
};

void assign_channels(const DraftArchitecture& draft, const Membership& membership, const Snapshot& snapshot,
                     Architecture& architecture, Watch& watch) {
  std::vector<std::uint32_t> display_order(snapshot.channels.size());
  for (std::uint32_t i = 0; i < display_order.size(); ++i) display_order[i] = i;
  std::ranges::sort(display_order, [&](std::uint32_t a, std::uint32_t b) {
    return channel_display_less(snapshot.channels[a].name, snapshot.channels[b].name);
  });
  architecture.members.resize(snapshot.channels.size());
  for (const std::uint32_t channel : display_order) {
    architecture.members[channel] = membership.members(draft, snapshot.channels[channel], watch);
    for (const std::uint32_t release : architecture.members[channel]) {
      architecture.releases[release].channels.push_back(channel);
    }
  }
}

// Also versions without a release image: a version that only a hidden channel's file names stays hidden.
void index_version_channels(Snapshot& snapshot, Watch& watch) {
  std::map<std::string, std::map<std::string, std::set<std::uint32_t>>> index;
  for (const ChannelData& data : snapshot.graph_data->channels) {
    const std::uint32_t channel = *snapshot.find_channel(data.name);
    for (const auto* const list : {&data.versions, &data.tombstones}) {
      for (const ChannelVersion& version : *list) {
        if (watch.ended(16)) return;
        index[version.version.with_build("").to_string()][version.version.build()].insert(channel);
      }
    }
  }
  for (const Architecture& architecture : snapshot.architectures) {
    for (const SnapshotRelease& release : architecture.releases) {
      if (release.channels.empty()) continue;
      if (watch.ended(16 + 8 * release.channels.size())) return;
      auto& listings = index[release.text];
      for (const std::uint32_t channel : release.channels) {
        // Most versions are listed for all architectures at once.
        if (!listings[""].contains(channel)) listings[architecture.name].insert(channel);
      }
    }
  }
  for (const auto& [version, listings] : index) {
    for (const auto& [arch, channels] : listings) {
      if (!channels.empty())
        snapshot.version_channels[version][arch].assign(channels.begin(), channels.end());
    }
  }
}

bool is_known_architecture(const Snapshot& snapshot, std::string_view arch) {
  constexpr std::array<std::string_view, 5> usual{"amd64", "arm64", "multi", "ppc64le", "s390x"};
  return std::ranges::find(usual, arch) != usual.end() || snapshot.find_architecture(arch) != nullptr;
}

/// Reports blocks that block nothing, since nobody would notice a typo in `to` or `from`. Targets without a
/// release share one problem: a mirror of a few releases lacks most of them.
void report_idle_blocks(const std::vector<bool>& meets, const std::vector<bool>& has_target,
                        Snapshot& snapshot) {
  if (snapshot.architectures.empty()) return;
  std::vector<const Block*> without_target;
  for (std::size_t i = 0; i < meets.size(); ++i) {
    const Block& block = snapshot.graph_data->blocks[i];
    if (meets[i] || block.effect == Block::Effect::not_understood) continue;
    const std::string& arch = block.to.build();
    const bool odd_architecture = !arch.empty() && !is_known_architecture(snapshot, arch);
    if (!has_target[i] && !odd_architecture) {
      without_target.push_back(&block);
      continue;
    }
    const std::string to = block.to.to_string();
    snapshot.problems.push_back(
        {.kind = problem_kind::block_meets_nothing,
         .place = block.place,
         .message = odd_architecture
                        ? "`to` names the architecture " + arch + ", which no release has: " + to +
                              " is not blocked by this file"
                        : "no update into " + to +
                              " comes from what `from` matches: this file blocks nothing; fix the "
                              "expression, or remove the file",
         .versions = {block.to.with_build("").to_string()}});
  }
  if (without_target.empty()) return;
  constexpr std::size_t named = 5;
  Problem problem{.kind = problem_kind::block_meets_nothing, .place = {.file = "blocked-edges"}};
  std::vector<std::string> names;
  for (const Block* block : without_target) {
    // All of them: who may not see one is not to read how many there are.
    problem.versions.push_back(block->to.with_build("").to_string());
    if (names.size() < named) names.push_back(block->file + " (" + block->to.to_string() + ")");
  }
  const std::size_t more = without_target.size() - names.size();
  problem.message = "there is no release for the `to` of " + join(names, ", ") +
                    (more > 0 ? " and " + std::to_string(more) + " more files" : "") + ": they block nothing";
  snapshot.problems.push_back(std::move(problem));
}

}  // namespace

std::shared_ptr<const Snapshot> build(BuildInputs inputs) {
  // Nothing ends it.
  return std::move(*build(std::move(inputs), {}, Clock::system()));
}

Result<std::shared_ptr<const Snapshot>> build(BuildInputs inputs, const Limits& limits, const Clock& clock) {
  Watch watch(limits, clock);
  const auto ended = [&watch] { return watch.why("building the graph"); };
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->problems = std::move(inputs.problems);
  const auto& data_problems = inputs.graph_data->problems;
  snapshot->problems.insert(snapshot->problems.end(), data_problems.begin(), data_problems.end());

  const std::vector<DraftArchitecture> drafts = draft_architectures(inputs, snapshot->problems, watch);
  if (watch.has_ended()) return ended();
  snapshot->graph_data = std::move(inputs.graph_data);
  collect_channels(drafts, inputs, *snapshot);

  const Membership membership(drafts, *snapshot);
  const std::string problem_url = inputs.problem_url.empty() ? not_understood_url : inputs.problem_url;
  RiskLists risks(problem_url);
  const std::size_t block_count = snapshot->graph_data->blocks.size();
  std::vector<bool> meets(block_count), has_target(block_count);
  EdgeInputs edge_inputs{
      *snapshot->graph_data, inputs.upstreams, risks, {}, meets, has_target, problem_url, watch};
  for (const Block& block : snapshot->graph_data->blocks) {
    edge_inputs.block_risks.push_back(block.effect == Block::Effect::removed ? 0
                                                                             : risks.add_risk(block.risk));
  }
  for (const DraftArchitecture& draft : drafts) {
    Architecture& architecture = snapshot->architectures.emplace_back();
    architecture.name = draft.name;
    for (const DraftRelease& release : draft.releases) {
      SnapshotRelease& added = architecture.releases.emplace_back(release.release);
      added.metadata.assign(release.metadata.begin(), release.metadata.end());
    }
    assign_channels(draft, membership, *snapshot, architecture, watch);
    if (watch.has_ended()) return ended();
    build_edges(draft, edge_inputs, architecture, snapshot->problems);
    if (watch.has_ended()) return ended();
  }
  report_idle_blocks(meets, has_target, *snapshot);
  report_idle_metadata(*snapshot, watch);
  if (watch.has_ended()) return ended();
  for (const RiskLists::RiskId id : risks.disputed()) {
    snapshot->problems.push_back(
        {.kind = problem_kind::risk_bodies_differ, .message = risks.risk(id).message});
  }
  snapshot->risks = risks.take_risks();
  snapshot->risk_sets = risks.take_lists();
  index_version_channels(*snapshot, watch);
  if (watch.ended()) return ended();
  for (Problem& problem : snapshot->problems) {
    for (std::string* text : {&problem.place.file, &problem.message, &problem.public_message})
      *text = redact_urls(*text);
  }
  return snapshot;
}

}  // namespace fairway::graph
