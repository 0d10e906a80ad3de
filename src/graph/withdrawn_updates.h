// SPDX-License-Identifier: Apache-2.0

// Withdrawn updates: served before and not now, with their risks. They must not come back without them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "graph/snapshot.h"

namespace fairway::graph {

/// Updates that the present build lacks but an earlier one had, with their restrictions then. Without this
/// memory an upstream that answers nothing once, a list of releases that is short once, or metadata that is
/// taken out and put back would open them.
struct WithdrawnUpdates {
  struct Ends {
    std::string arch = {}, from = {}, to = {};
    friend auto operator<=>(const Ends&, const Ends&) = default;
  };
  /// Restrictions of each update, as indices into `risks`; empty: the update was not served.
  std::map<Ends, std::vector<std::uint32_t>> updates = {};
  std::vector<Risk> risks = {};  ///< risks with distinct bodies
  /// True if some updates were dropped beyond the limit: an unknown update may be among them.
  bool overflowed = false;
};

/// Most updates that are remembered; the restrictions of further ones are forgotten.
inline constexpr std::size_t max_withdrawn_updates = 200'000;
/// Most risks of an update, and most bodies of all updates; an update that exceeds them is remembered as one
/// that was not served.
inline constexpr std::size_t max_withdrawn_risks = 64, max_withdrawn_bodies = 20'000;

/// Computes the withdrawn updates after `now` replaces `before`: of those `known` before, and of the updates
/// of `before`. An update that is left out (for closing a circle, or for a target without an image) is
/// withdrawn; one that is served, or removed, is not. Restrictions of several builds add up. `held`: `now` is
/// not what the sources say, so that everything known is kept. `most`: how many are remembered. `limits` go
/// by `clock`. Errors: `cancelled`, `deadline_exceeded`.
Result<WithdrawnUpdates> withdrawn_updates(const WithdrawnUpdates& known, const Snapshot& before,
                                           const Snapshot& now, bool held = false,
                                           std::size_t most = max_withdrawn_updates,
                                           const Limits& limits = {}, const Clock& clock = Clock::system());

/// Adds to `known` each update that `now` restrains more than `before` does, with all restrictions of `now`.
/// Errors: those of `withdrawn_updates`.
Result<WithdrawnUpdates> with_closed_updates(const WithdrawnUpdates& known, const Snapshot& before,
                                             const Snapshot& now, std::size_t most = max_withdrawn_updates,
                                             const Limits& limits = {}, const Clock& clock = Clock::system());

}  // namespace fairway::graph
