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

/// Updates that no build has at present, but one before had, with what it held against them. An upstream that
/// answers nothing once, a list of releases that is short once, or metadata that is taken out and put back
/// would otherwise open them.
struct WithdrawnUpdates {
  struct Ends {
    std::string arch, from, to;
    friend auto operator<=>(const Ends&, const Ends&) = default;
  };
  /// Indices into `risks`; none: the update was not served.
  std::map<Ends, std::vector<std::uint32_t>> updates;
  std::vector<Risk> risks;  ///< each body once
  /// There were more of them than are remembered: updates that nothing is known of may be among them.
  bool overflowed = false;
};

/// Of more updates than these it is forgotten what was held against them.
inline constexpr std::size_t max_withdrawn_updates = 200'000;
/// An update with more risks than these, or whose risks are more bodies than are kept of all updates, is
/// remembered as one that was not served.
inline constexpr std::size_t max_withdrawn_risks = 64, max_withdrawn_bodies = 20'000;

/// Computes the withdrawn updates after `now` replaces `before`: of those `known` before, and of the updates
/// of `before`. An update that is left out (for closing a circle, or for a target without an image) is
/// withdrawn; one that is served, or removed, is not. What several builds held against one counts together.
/// `held`: `now` is not what the sources say, so that all that was known stays. `most`: how many are
/// remembered. `limits` go by `clock`. Error: `cancelled`, `deadline_exceeded`.
Result<WithdrawnUpdates> withdrawn_updates(const WithdrawnUpdates& known, const Snapshot& before,
                                           const Snapshot& now, bool held = false,
                                           std::size_t most = max_withdrawn_updates,
                                           const Limits& limits = {}, const Clock& clock = Clock::system());

/// Adds to `known` each update that `now` restrains more than `before` does, with all that `now` holds
/// against it. An Error: as of `withdrawn_updates`.
Result<WithdrawnUpdates> with_closed_updates(const WithdrawnUpdates& known, const Snapshot& before,
                                             const Snapshot& now, std::size_t most = max_withdrawn_updates,
                                             const Limits& limits = {}, const Clock& clock = Clock::system());

}  // namespace fairway::graph
