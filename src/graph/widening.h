// What one build would open that another one keeps closed: the measure of the widening guard.
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

/// A block is what graph data (or an upstream) has against the updates into one version under one name: a
/// risk, or that they are not served at all. Usually one blocked-edges file.
struct LiftedBlock {
  std::string to;          ///< the target version
  std::string risk;        ///< the risk's name; "": the updates were not served
  std::size_t edges = 0;   ///< updates that it would restrain no more, of all architectures
  std::string first_from;  ///< the lowest source of them, with its architecture
};

struct Widening {
  std::vector<LiftedBlock> lifted;  ///< by target, then by risk
  std::size_t blocks = 0;           ///< in force before, those that are lifted included
  /// 32 hex digits: a hash of all updates that are opened, of what is lifted from each with its rules, of the
  /// rules that take their place, and of `salt`. "" if none are.
  std::string id;
};

/// Compares two builds update by update. An update is opened if it was not served and is now, if it has lost
/// a risk (by name), or if the matching rules of a risk have changed to others than `Always`: whether fewer
/// clusters match them now cannot be known. An update that comes back is compared with what `absent` says was
/// held against it; those that only one of the builds knows count for nothing otherwise. One that is left out
/// (for closing a circle, or for a target without an image) counts by its risks. An Error: `limits` (by
/// `clock`) have ended it (`cancelled`, `deadline_exceeded`).
Result<Widening> find_widening(const Snapshot& before, const Snapshot& now,
                               const WithdrawnUpdates& absent = {}, std::string_view salt = {},
                               const Limits& limits = {}, const Clock& clock = Clock::system());

}  // namespace fairway::graph
