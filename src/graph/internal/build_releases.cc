// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/build_releases.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"
#include "graph/metadata_keys.h"

namespace fairway::graph {

namespace {

// One architecture's releases in the order in which they are met.
struct Collected {
  std::vector<DraftRelease> releases;
  std::map<std::string, std::size_t, std::less<>> index;
  std::map<std::size_t, std::vector<std::optional<std::size_t>>> upstream_nodes;
};

Problem offered_twice(const DraftRelease& kept, std::string_view arch, const std::string& source,
                      const std::string& how) {
  return {.kind = problem_kind::duplicate_version,
          .place = {.file = source},
          .message = "version " + kept.release.text + " (" + std::string(arch) + ") is offered twice " + how +
                     "; remove one of them",
          .versions = {kept.release.text + "+" + std::string(arch)}};
}

Problem two_images(const DraftRelease& kept, std::string_view arch, const std::string& source,
                   const std::string& payload) {
  return offered_twice(kept, arch, source,
                       "with different images: " + kept.release.payload + " of " + kept.release.source +
                           " is served, " + payload + " of " + source + " is left out");
}

/// Returns what a source states about a release beside its image, in a form that compares equal in any order.
auto statement(const std::vector<std::string>& previous, const std::vector<std::string>& next,
               std::map<std::string, std::string> metadata) {
  metadata.erase(channels_key);
  return std::tuple(std::set<std::string>(previous.begin(), previous.end()),
                    std::set<std::string>(next.begin(), next.end()), std::move(metadata));
}

void collect_release(Collected& collected, const Release& release, std::vector<Problem>& problems) {
  const std::string text = release.version.to_string();
  const auto [place, is_new] = collected.index.emplace(text, collected.releases.size());
  // A release without an image cannot be updated to: it never wins over one with an image.
  const bool wins =
      !is_new && collected.releases[place->second].release.payload.empty() && !release.payload.empty();
  if (!is_new && !wins) {
    const DraftRelease& kept = collected.releases[place->second];
    if (release.payload.empty() && !kept.release.payload.empty()) return;  // its list says so
    if (kept.release.payload != release.payload) {
      problems.push_back(two_images(kept, release.arch, release.source, release.payload));
    } else if (statement(kept.previous, kept.next, kept.metadata) !=
               statement(release.previous, release.next, release.metadata)) {
      // One image has one metadata, and which is wrong is unknown. Merging them could recommend more.
      problems.push_back(offered_twice(kept, release.arch, release.source,
                                       "with one image, but other updates or other metadata: what " +
                                           kept.release.source + " says is served, what " + release.source +
                                           " says is left out"));
    }
    return;
  }
  if (is_new) collected.releases.emplace_back();
  DraftRelease& draft = collected.releases[place->second];
  draft.release.version = release.version;
  draft.release.text = text;
  draft.release.payload = release.payload;
  draft.release.source = release.source;
  draft.metadata = release.metadata;
  draft.metadata.erase(channels_key);
  draft.operations = draft.metadata;
  draft.previous = release.previous;
  draft.next = release.next;
  draft.local = true;
}

void collect_upstream(Collected& collected, std::size_t number, const UpstreamGraph& upstream,
                      std::vector<Problem>& problems, Watch& watch) {
  auto& nodes = collected.upstream_nodes[number];
  for (const Node& node : upstream.graph.nodes) {
    if (watch.ended(16)) return;
    const auto version = Version::parse(node.version);
    nodes.emplace_back();
    if (!version) continue;  // the reader leaves such nodes out
    const std::string text = version->with_build("").to_string();
    const auto [place, is_new] = collected.index.emplace(text, collected.releases.size());
    if (is_new) {
      DraftRelease& draft = collected.releases.emplace_back();
      draft.release.version = version->with_build("");
      draft.release.text = text;
      draft.release.payload = node.payload;
      draft.release.source = upstream.source;
      draft.metadata.insert(node.metadata.begin(), node.metadata.end());
      draft.metadata.erase(channels_key);
      std::erase_if(draft.metadata,
                    [](const auto& entry) { return metadata_key::is_operation(entry.first); });
    }
    DraftRelease& draft = collected.releases[place->second];
    if (draft.release.payload != node.payload) {
      problems.push_back(two_images(draft, upstream.arch, upstream.source, node.payload));
      continue;
    }
    nodes.back() = place->second;
    std::vector<std::string>& channels = draft.upstream_channels;
    const auto add = [&](std::string_view name) {
      if (!name.empty() && std::ranges::find(channels, name) == channels.end()) channels.emplace_back(name);
    };
    add(upstream.channel);
    for (const std::string_view name : split(node.find_metadata(channels_key), ',')) {
      if (watch.ended(1 + channels.size())) return;
      add(trim(name));
    }
  }
}

// raw/metadata.json: values of keys that are there already are appended behind a comma, as today's service
// does.
void append_raw_metadata(DraftArchitecture& architecture, const GraphData& data) {
  for (const auto& [version, entries] : data.raw_metadata) {
    const auto release = architecture.find(version);
    if (!release) continue;
    DraftRelease& draft = architecture.releases[*release];
    for (const auto& [key, value] : entries) {
      if (key == channels_key) continue;  // channels come from channels/
      for (auto* const metadata : {&draft.metadata, &draft.operations}) {
        const auto [place, is_new] = metadata->emplace(key, value);
        if (is_new) continue;
        // Two expressions with a comma between them match neither what the one nor what the other matches.
        if (metadata == &draft.operations && key == metadata_key::previous_remove_regex) {
          draft.raw_remove_regex = value;
        } else {
          place->second += "," + value;
        }
      }
    }
  }
}

}  // namespace

std::optional<std::uint32_t> DraftArchitecture::find(std::string_view version) const {
  const std::size_t plus = version.find('+');
  if (plus != std::string_view::npos && version.substr(plus + 1) != name) return std::nullopt;
  const auto found = index.find(version.substr(0, plus));
  if (found == index.end()) return std::nullopt;
  return found->second;
}

std::vector<DraftArchitecture> draft_architectures(const BuildInputs& inputs, std::vector<Problem>& problems,
                                                   Watch& watch) {
  std::map<std::string, Collected> by_name;
  for (const Release& release : inputs.releases) {
    if (watch.ended(16)) return {};
    collect_release(by_name[release.arch], release, problems);
  }
  for (std::size_t i = 0; i < inputs.upstreams.size(); ++i) {
    collect_upstream(by_name[inputs.upstreams[i].arch], i, inputs.upstreams[i], problems, watch);
  }
  if (watch.has_ended()) return {};

  std::vector<DraftArchitecture> architectures;
  for (auto& [name, collected] : by_name) {
    std::vector<std::size_t> order(collected.releases.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {},
                      [&](std::size_t i) -> const Version& { return collected.releases[i].release.version; });

    DraftArchitecture& architecture = architectures.emplace_back();
    architecture.name = name;
    std::vector<std::uint32_t> position(order.size());
    for (const std::size_t from : order) {
      position[from] = static_cast<std::uint32_t>(architecture.releases.size());
      architecture.index.emplace(collected.releases[from].release.text, position[from]);
      architecture.releases.push_back(std::move(collected.releases[from]));
    }
    for (const auto& [number, nodes] : collected.upstream_nodes) {
      auto& mapped = architecture.upstream_nodes[number];
      for (const auto& node : nodes) {
        mapped.push_back(node ? std::optional(position[*node]) : std::nullopt);
      }
    }
    append_raw_metadata(architecture, *inputs.graph_data);
  }
  return architectures;
}

}  // namespace fairway::graph
