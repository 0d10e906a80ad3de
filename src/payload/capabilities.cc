// SPDX-License-Identifier: Apache-2.0

#include "payload/capabilities.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/semver.h"
#include "base/text.h"
#include "capability-sets.txt.h"

namespace fairway::payload {
namespace {

constexpr std::string_view newest_set = "vCurrent";

/// The table of sets.
struct Sets {
  /// Each with all of its capabilities, the smallest first.
  std::vector<std::pair<std::string, CapabilityNames>> sets;
  std::map<std::string, std::vector<std::string>, std::less<>>
      gates;  ///< gates of a capability, any of which opens it

  const CapabilityNames& all() const { return sets.back().second; }
};

Sets read_sets() {
  Sets read;
  for (const std::string_view line : split(capability_sets_text, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    std::vector<std::string> words;
    for (const std::string_view word : split(line, ' ')) words.emplace_back(word);
    if (words.front() == "gated") {
      read.gates[words[1]] = {words.begin() + 2, words.end()};
      continue;
    }
    CapabilityNames names = read.sets.empty() ? CapabilityNames() : read.sets.back().second;
    names.insert(words.begin() + 1, words.end());
    read.sets.emplace_back(words.front(), std::move(names));
  }
  return read;
}

const Sets& sets() {
  static const Sets read = read_sets();
  return read;
}

/// Returns the version that a set is named after: "v4.11".
std::optional<Version> version_of(std::string_view set) {
  if (!set.starts_with('v')) return std::nullopt;
  const auto version = Version::parse(std::string(set.substr(1)) + ".0");
  return version ? std::optional(*version) : std::nullopt;
}

/// Returns the capabilities of a baseline set, but for those that only releases name.
CapabilityNames of_set(std::string_view name) {
  const auto wanted = version_of(name);
  CapabilityNames best;
  for (const auto& [known, names] : sets().sets) {
    if (known == name) return names;
    const auto version = version_of(known);
    if (wanted && version && *version <= *wanted) best = names;
  }
  return best;
}

/// Returns the capabilities that a manifest needs.
CapabilityNames needed_by(const Manifest& manifest) {
  CapabilityNames needed;
  for (std::string& name : capabilities_named(manifest.object.annotation(capability_annotation))) {
    // Another one is no name that there is.
    if (!name.empty() && trim(name) == name) needed.insert(std::move(name));
  }
  return needed;
}

json::Array listed(const CapabilityNames& names) {
  json::Array list;
  for (const std::string& name : names) {
    if (sets().all().contains(name)) list.emplace_back(name);
  }
  return list;
}

}  // namespace

json::Object Capabilities::to_status() const {
  json::Object status;
  if (json::Array names = listed(enabled); !names.empty()) status["enabledCapabilities"] = std::move(names);
  if (json::Array names = listed(known); !names.empty()) status["knownCapabilities"] = std::move(names);
  return status;
}

Capabilities capabilities_of(const k8s::View& spec, const CapabilityNames& before,
                             const CapabilityNames& in_release, const std::set<std::string>& feature_gates) {
  Capabilities made;
  made.known = sets().all();
  made.known.insert(in_release.begin(), in_release.end());
  for (const auto& [name, gates] : sets().gates) {
    const bool open =
        std::ranges::any_of(gates, [&](const std::string& gate) { return feature_gates.contains(gate); });
    if (!open) made.known.erase(name);
  }
  std::string_view set = spec.text("baselineCapabilitySet");
  if (set.empty()) set = newest_set;
  CapabilityNames wanted = set == newest_set ? made.known : of_set(set);
  for (const std::string_view name : spec.texts("additionalEnabledCapabilities")) wanted.emplace(name);
  std::ranges::set_intersection(wanted, made.known, std::inserter(made.enabled, made.enabled.end()));
  for (const std::string& name : before) {
    if (made.enabled.insert(name).second) made.implicit.insert(name);
  }
  return made;
}

CapabilityNames capability_names(const std::vector<Manifest>& manifests) {
  CapabilityNames names;
  for (const Manifest& manifest : manifests) names.merge(needed_by(manifest));
  return names;
}

CapabilityNames kept_by_update(const std::vector<Manifest>& running, const std::vector<Manifest>& next,
                               const Selection& selection, std::optional<std::uint64_t> next_major) {
  std::set<ObjectId> applied;
  if (const auto selected = select(running, selection)) {
    for (const Manifest& manifest : selected->manifests) {
      if (!is_removal(manifest)) applied.insert(manifest.id());
    }
  }
  // Whatever else leaves a manifest out leaves it out with every capability.
  Selection without = selection;
  without.capabilities = without.known_capabilities = std::nullopt;
  without.major_version = next_major;
  CapabilityNames kept;
  for (const Manifest& manifest : next) {
    if (is_removal(manifest) || !applied.contains(manifest.id()) || is_left_out(manifest, without)) continue;
    for (const std::string& name : needed_by(manifest)) {
      if (selection.capabilities && !selection.capabilities->contains(name)) kept.insert(name);
    }
  }
  return kept;
}

}  // namespace fairway::payload
