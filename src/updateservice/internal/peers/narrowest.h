// SPDX-License-Identifier: Apache-2.0

// The builds of several replicas as one: an update is as open as at the replica where it is least open.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "updateservice/builder.h"

namespace fairway::updateservice {

/// Most different graphs that are merged; more are an Error.
inline constexpr std::size_t most_peer_graphs = 4;

/// A build to compare with (BuiltInputs::of_peers), and its snapshot.
struct NarrowestBuild {
  std::shared_ptr<const BuiltInputs> inputs;
  std::shared_ptr<const graph::Snapshot> snapshot;
};

/// Merges the builds of replicas. Each update has all restrictions that any of them has; withdrawn updates
/// that one of them remembers are remembered for all. An image that they do not agree on is dropped. `held`
/// has at least one. Errors: a graph cannot be built, there are too many different ones, `limits` (by
/// `clock`) have ended it.
Result<NarrowestBuild> narrowest(const std::vector<std::shared_ptr<const BuiltInputs>>& held,
                                 const std::string& problem_url, const Limits& limits, const Clock& clock);

}  // namespace fairway::updateservice
