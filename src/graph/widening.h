// SPDX-License-Identifier: Apache-2.0

// The updates that one build would open and another one keeps closed: the measure of the widening guard.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "graph/snapshot.h"
#include "graph/withdrawn_updates.h"

namespace fairway::graph {

/// A block that no longer applies. A block is what graph data (or an upstream) has against the updates into
/// one version under one name: a risk, or that they are not served at all. Usually it is one blocked-edges
/// file.
struct LiftedBlock {
  std::string to = {};          ///< the target version
  std::string risk = {};        ///< the risk's name; "": the updates were not served
  std::size_t edges = 0;        ///< number of updates that it no longer restrains, of all architectures
  std::string first_from = {};  ///< lowest source of these updates, with its architecture
};

struct Widening {
  std::vector<LiftedBlock> lifted = {};  ///< lifted blocks, sorted by target, then by risk
  std::size_t blocks = 0;                ///< number of blocks in force before, lifted ones included
  /// 32 hex digits: a hash of all opened updates, of the risks lifted from each with their rules, of the
  /// rules that replace them, and of `salt`. "" if no update is opened.
  std::string id = {};
};

/// Compares two builds update by update. An update is opened if it was not served and is now, if it has lost
/// a risk (by name), or if the matching rules of a risk have changed to others than `Always`: whether fewer
/// clusters match them now cannot be known. An update that comes back is compared with its restrictions in
/// `absent`; other updates that only one of the builds has do not count. One that is left out (for closing a
/// circle, or for a target without an image) counts by its risks. Errors: `limits` (by `clock`) have ended it
/// (`cancelled`, `deadline_exceeded`).
Result<Widening> find_widening(const Snapshot& before, const Snapshot& now,
                               const WithdrawnUpdates& absent = {}, std::string_view salt = {},
                               const Limits& limits = {}, const Clock& clock = Clock::system());

}  // namespace fairway::graph
