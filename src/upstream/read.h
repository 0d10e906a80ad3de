// SPDX-License-Identifier: Apache-2.0

// Parses replies of an update service into validated values. No I/O: no network, no disk, no clock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/evaluated_graph.h"
#include "graph/problem.h"
#include "graph/update_graph.h"

namespace fairway::upstream {

/// Parses the update graph of `channel` for `arch` like graph::read_cincinnati_json: item by item, never
/// recommending more than the reply. A graph without nodes is a value, with a problem that says what to
/// check; but a text without a list of nodes, or without any valid node in it, is an Error (`invalid`).
/// `source` is the URL, for messages.
Result<graph::ReadGraph> read_graph(std::string_view text, const std::string& source,
                                    std::string_view channel, std::string_view arch);
/// Parses like the other overload, for callers that evaluate risks: `without_rules` decides about risks
/// without rules.
Result<graph::ReadGraph> read_graph(std::string_view text, const std::string& source,
                                    std::string_view channel, std::string_view arch,
                                    graph::RisksWithoutRules without_rules);

/// A channel that an update service declares.
struct Channel {
  std::string name = {};
  std::string description = {};  ///< "" without one
};

struct ChannelList {
  std::vector<Channel> channels = {};  ///< channels by name, in byte order
  std::vector<graph::Problem> problems = {};
};

/// Reads {"channels": {NAME: {"description": TEXT}}} (channel-metadata of docs/api.md). Other keys are
/// ignored. An invalid entry or description keeps its channel, without description, and is a problem. Errors:
/// not JSON, no object `channels`, more than 100,000 channels or 16 MiB.
Result<ChannelList> read_channels(std::string_view text, const std::string& source);

}  // namespace fairway::upstream
