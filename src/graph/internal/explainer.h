// SPDX-License-Identifier: Apache-2.0

// Reasons for the updates of one channel: what `explain` and the list of all updates of a release share.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"
#include "base/semver.h"
#include "graph/explain.h"

namespace fairway::graph {

class Explainer {
 public:
  /// The texts of reasons: whole ones quote the messages of risks, which may be long; brief ones name risks
  /// only.
  enum class Texts { whole, brief };

  /// Makes one for the updates of a channel. The view must outlive it.
  Explainer(const View& view, std::string_view channel, std::string_view arch, Texts texts)
      : view_(view), snapshot_(view.snapshot()), channel_(channel), arch_(arch), texts_(texts) {}

  /// Explains an update; see `explain`. With brief texts, `Explanation::risks` stays empty: `risks()` has
  /// them.
  Explanation run(std::string_view from, std::string_view to);
  /// Returns the risks of the update that was explained last: indices for `View::risk`.
  const std::vector<std::uint32_t>& risks() const { return risks_; }

 private:
  /// A release as the question names it.
  struct End {
    std::string text = {};
    std::optional<Version> version = {};
    std::optional<std::uint32_t> release = {};  ///< nothing where it is unknown, or hidden
    bool in_channel = false;
  };

  /// Returns the expression for searches; compiled once, as long as there are not too many.
  const Pattern& compiled(const Pattern& pattern);
  std::string behind_colon(const std::string& message) const;
  void add(std::string kind, std::string message, Place place = {}, std::string problem = {});
  /// Returns the visible files of a channel; none for a channel that is hidden or unknown.
  std::vector<const ChannelData*> files_of(std::string_view channel) const;

  End look_up(std::string_view asked);
  void explain_unknown(const End& end);
  void explain_not_in_channel(const End& end);
  std::string why_listed_but_not_a_member(const End& end) const;
  void walk_feeders(const End& end, std::string& message);
  std::string other_channels(const End& end) const;

  void explain_edge(const End& from, const End& to);
  std::vector<std::string_view> expressions_of(const std::string& version, std::string_view value) const;
  void explain_removed(const RemovedEdge& removed, const End& from, const End& to);
  void explain_metadata(const End& from, const End& to);
  /// Adds a reason for each block that concerns the edge and has one of these effects; returns the risks'
  /// names.
  std::set<std::string> add_blocks(const End& from, const End& to, bool removing);
  /// Adds a reason for each part of raw metadata that is not understood and concerns the edge; false where
  /// there is none.
  bool add_metadata_faults(const End& from, const End& to);
  void add_problems(const End& from, const End& to);

  const View& view_;
  const Snapshot& snapshot_;
  const std::string channel_, arch_;
  const Architecture* architecture_ = nullptr;
  std::optional<std::uint32_t> channel_index_;
  const Texts texts_;
  Explanation result_;
  std::vector<std::uint32_t> risks_;
  std::map<std::string, Pattern, std::less<>> patterns_;
  std::map<std::string, Result<Pattern>, std::less<>> metadata_patterns_;
};

}  // namespace fairway::graph
