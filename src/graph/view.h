// What somebody may see of a snapshot, and how it reads to them where it speaks of what they may not.
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

/// Hidden are channels, and the versions that stand in hidden channels only; what is in no channel at all is
/// no secret. Their names stand nowhere in what a view tells: texts are redacted, rules that name them become
/// one `Always` rule, files that are named after them get other names. What is left never recommends more
/// than the whole.
///
/// Made once for each audience and build: a view of everything costs nothing, any other some milliseconds.
/// Fixed once made; safe from all threads. The snapshot has to outlive it.
class View {
 public:
  using Metadata = std::vector<std::pair<std::string, std::string>>;

  /// Of everything.
  explicit View(const Snapshot& snapshot);
  /// `channels`: which of the snapshot's channels may be seen, by index. `other_names`: names of channels
  /// that the snapshot does not know (a feeder may name any) and that are hidden too.
  /// `may_see_all`: nothing is hidden from them, now or once there is more.
  View(const Snapshot& snapshot, std::vector<bool> channels,
       std::set<std::string, std::less<>> other_names = {}, bool may_see_all = false);

  const Snapshot& snapshot() const { return *snapshot_; }
  /// Whether there is nothing to hide now.
  bool hides_nothing() const { return withheld_.empty(); }
  bool sees_channel(std::uint32_t index) const { return channels_[index]; }
  /// Whether the snapshot knows a channel of this name that may be seen.
  bool sees_channel(std::string_view name) const;
  /// Whether a name is that of a channel which may not be seen, known or not.
  bool hides_name(std::string_view name) const { return hidden_names_.contains(name); }
  /// Whether a version may be seen for an architecture: that of its build text or `arch`; without any,
  /// whether for some.
  bool sees_version(std::string_view version, std::string_view arch = {}) const;

  bool mentions_hidden(std::string_view text) const { return withheld_.mentions(text); }
  bool mentions_hidden(const Risk& risk) const;
  std::string tell(std::string_view text) const { return withheld_.redact(text); }
  Risk tell(const Risk& risk) const;
  /// Nothing where it concerns a hidden channel or version.
  std::optional<Problem> tell(const Problem& problem) const;
  /// Nothing where it is left out altogether. `key` is one of release metadata.
  std::optional<std::string> tell_metadata(std::string_view key, std::string_view value) const;
  /// An expression over `version+arch` that names nothing hidden, and matches each visible version that
  /// `pattern` matches for any architecture; the same text where it names nothing hidden, nothing where it
  /// matches hidden versions alone.
  std::optional<std::string> tell(const Pattern& pattern) const;
  /// How a file of graph data is called.
  std::string tell_path(const std::string& path) const;
  /// What `tell` says of each of the snapshot's problems.
  std::vector<Problem> problems() const;

  /// The list of risks that an edge is told to have; a list's number is below that of the snapshot's sets.
  std::uint32_t risk_list(std::uint32_t risk_set) const;
  /// Indices of the risks of a list, in serving order.
  const std::vector<std::uint32_t>& risks_in(std::uint32_t risk_list) const;
  const Risk& risk(std::uint32_t index) const;

  /// The graph that a cluster of this channel and architecture is told; an unknown or hidden channel, or an
  /// unknown architecture, gives an empty graph. Node metadata lists the visible channels only.
  UpdateGraph channel_graph(std::string_view channel, std::string_view arch) const;

 private:
  void hide_versions(std::vector<Withheld::Term>& terms);
  std::vector<std::string> visible_paths() const;
  void tell_risks();
  void tell_all_metadata();
  bool singles_out_hidden(const Pattern& pattern) const;
  Node node(const Architecture& architecture, std::uint32_t release) const;

  const Snapshot* snapshot_;
  std::vector<bool> channels_;
  std::set<std::string, std::less<>> hidden_names_;
  bool may_see_all_ = false;
  Withheld withheld_;

  /// A hidden version with an architecture, and others close to it: an expression that matches it and none of
  /// them is about it.
  struct HiddenVersion {
    std::string text;
    std::vector<std::string> near;
  };
  std::vector<HiddenVersion> hidden_versions_;
  // Where something is hidden: all that is known and may be seen.
  std::vector<std::string> architectures_, visible_versions_;
  std::map<std::string, std::string> paths_;

  /// Where some risk is told otherwise: all of them and their lists. Empty: those of the snapshot.
  std::vector<Risk> risks_;
  std::vector<std::vector<std::uint32_t>> risk_lists_;
  std::vector<std::uint32_t> list_of_set_;

  /// The metadata of releases of which some is told otherwise, for each architecture.
  std::vector<std::map<std::uint32_t, Metadata>> metadata_;
};

}  // namespace fairway::graph
