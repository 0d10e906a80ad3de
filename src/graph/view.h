// SPDX-License-Identifier: Apache-2.0

// The part of a snapshot that one audience may see, with mentions of hidden channels and versions redacted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pattern.h"
#include "graph/internal/withheld.h"
#include "graph/problem.h"
#include "graph/risk.h"
#include "graph/update_graph.h"

namespace fairway::graph {

struct Architecture;
class Snapshot;

/// The part of a snapshot that an audience may see. Hidden are channels, and versions that are in hidden
/// channels only; versions in no channel are visible. A view never contains a hidden name: texts are
/// redacted, matching rules that contain one become one `Always` rule, files named after one are renamed. A
/// view never recommends more than the whole snapshot.
///
/// Made once per audience and build: a view of everything is free, any other takes milliseconds. Immutable;
/// safe from all threads. The snapshot must outlive it.
class View {
 public:
  using Metadata = std::vector<std::pair<std::string, std::string>>;

  /// Makes a view of everything.
  explicit View(const Snapshot& snapshot);
  /// Makes a restricted view. `channels`: whether each of the snapshot's channels is visible, by index.
  /// `other_names`: hidden channels that are not in the snapshot (a feeder may name any). `may_see_all`: the
  /// audience may see everything, channels added later included.
  View(const Snapshot& snapshot, std::vector<bool> channels,
       std::set<std::string, std::less<>> other_names = {}, bool may_see_all = false);

  const Snapshot& snapshot() const { return *snapshot_; }
  /// Returns whether nothing is hidden at present.
  bool hides_nothing() const { return withheld_.empty(); }
  bool sees_channel(std::uint32_t index) const { return channels_[index]; }
  /// Returns whether the snapshot has a visible channel of this name.
  bool sees_channel(std::string_view name) const;
  /// Returns whether the name is that of a hidden channel, in the snapshot or not.
  bool hides_name(std::string_view name) const { return hidden_names_.contains(name); }
  /// Returns whether a version is visible for an architecture: that of its build metadata, or else `arch`;
  /// without either, for any.
  bool sees_version(std::string_view version, std::string_view arch = {}) const;

  bool mentions_hidden(std::string_view text) const { return withheld_.mentions(text); }
  bool mentions_hidden(const Risk& risk) const;
  std::string redact(std::string_view text) const { return withheld_.redact(text); }
  Risk redact(const Risk& risk) const;
  /// Redacts a problem; std::nullopt if it affects a hidden channel or version.
  std::optional<Problem> redact(const Problem& problem) const;
  /// Redacts an entry of release metadata, whose key is `key`; std::nullopt if it is left out.
  std::optional<std::string> redact_metadata(std::string_view key, std::string_view value) const;
  /// Returns a regular expression over `version+arch` that names nothing hidden and matches each visible
  /// version that `pattern` matches, for any architecture: the same text if it names nothing hidden,
  /// std::nullopt if it matches hidden versions only.
  std::optional<std::string> redact(const Pattern& pattern) const;
  /// Returns the visible path of a file of graph data.
  std::string redact_path(const std::string& path) const;
  /// Returns the visible problems of the snapshot, redacted by `redact`.
  std::vector<Problem> problems() const;

  /// Returns the visible list of risks of an edge's risk set; its index is below the number of the snapshot's
  /// sets.
  std::uint32_t risk_list(std::uint32_t risk_set) const;
  /// Returns the indices of the risks of a list, in serving order.
  const std::vector<std::uint32_t>& risks_in(std::uint32_t risk_list) const;
  const Risk& risk(std::uint32_t index) const;

  /// Returns the graph served to clusters of this channel and architecture; an unknown or hidden channel, or
  /// an unknown architecture, gives an empty graph. Node metadata lists the visible channels only.
  UpdateGraph channel_graph(std::string_view channel, std::string_view arch) const;

 private:
  void hide_versions(std::vector<Withheld::Term>& terms);
  std::vector<std::string> visible_paths() const;
  void redact_risks();
  void redact_all_metadata();
  bool singles_out_hidden(const Pattern& pattern) const;
  Node node(const Architecture& architecture, std::uint32_t release) const;

  const Snapshot* snapshot_;
  std::vector<bool> channels_;
  std::set<std::string, std::less<>> hidden_names_;
  bool may_see_all_ = false;
  Withheld withheld_;

  /// A hidden version with an architecture, and similar versions: an expression that matches it and none of
  /// these reveals it.
  struct HiddenVersion {
    std::string text = {};
    std::vector<std::string> near = {};
  };
  std::vector<HiddenVersion> hidden_versions_;
  // If something is hidden: all that is visible.
  std::vector<std::string> architectures_, visible_versions_;
  std::map<std::string, std::string> paths_;

  /// All risks and their lists, if some risk is redacted. Empty: those of the snapshot.
  std::vector<Risk> risks_;
  std::vector<std::vector<std::uint32_t>> risk_lists_;
  std::vector<std::uint32_t> list_of_set_;

  /// The metadata of releases in which something is redacted, per architecture.
  std::vector<std::map<std::uint32_t, Metadata>> metadata_;
};

}  // namespace fairway::graph
