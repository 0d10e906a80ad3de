// What an update service answers, from bytes to checked values. Pure: no network, no disk, no clock.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/problem.h"
#include "graph/update_graph.h"

namespace fairway::upstream {

/// Reads the update graph of `channel` for `arch` as graph::read_cincinnati_json does: item by item, and
/// never wider than the answer. A graph without nodes is a value, with a problem that says what to look at;
/// but a text without a list of nodes, or with a list of which nothing can be read, is an Error (`invalid`).
/// `source` is the answer's URL, for messages.
Result<graph::ReadGraph> read_graph(std::string_view text, const std::string& source,
                                    std::string_view channel, std::string_view arch);

/// A channel that an update service declares.
struct Channel {
  std::string name;
  std::string description;  ///< "" without one
};

struct ChannelList {
  std::vector<Channel> channels;  ///< by name, in byte order
  std::vector<graph::Problem> problems;
};

/// Reads {"channels": {NAME: {"description": TEXT}}} (enhancement channel-metadata). Other keys are ignored.
/// An entry or a description that is not understood keeps its channel, without description, and is a problem.
/// An Error: no JSON, no object `channels`, more than 100,000 of them or than 16 MiB.
Result<ChannelList> read_channels(std::string_view text, const std::string& source);

}  // namespace fairway::upstream
