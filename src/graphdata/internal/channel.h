// SPDX-License-Identifier: Apache-2.0

// One channel file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/graph_data.h"
#include "graphdata/internal/budget.h"
#include "graphdata/internal/fault.h"

namespace fairway::graphdata {

struct ChannelFile {
  std::string file;
  /// The parsed text; empty if it is not YAML.
  yaml::Parsed parsed;
  /// Faults for which the graph data is refused, by position.
  std::vector<Fault> faults;
  /// Faults that matter only to tooling beside the update service: a filter that does not compile, a feeder
  /// without name.
  std::vector<Fault> notes;
  graph::ChannelData channel;
};

/// Returns whether a path is that of a channel file: `channels/*.yaml`, and nothing else (today's service
/// reads no
/// `.yml`).
bool is_channel(std::string_view path);

ChannelFile read_channel(const std::string& file, const std::string& text, Budget& budget);

}  // namespace fairway::graphdata
