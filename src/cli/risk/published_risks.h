// SPDX-License-Identifier: Apache-2.0

// The risks that graph data, or an update service, publishes.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "graph/risk.h"
#include "sources/source.h"

namespace fairway::cli {

/// Source of the risks: one of the first three.
struct RiskSource {
  std::string graph_data, graph_file, upstream;
  std::string channel, arch = "amd64";
  sources::Options sources;
};

/// Adds --graph-data, --graph, --upstream, --channel and --arch, and the flags of sources.
void add_risk_source(CLI::App& command, RiskSource& source);
/// Returns what is wrong with the combination of these flags; std::nullopt: nothing.
std::optional<Error> fault_of(const RiskSource& source);

struct PublishedRisk {
  graph::Risk risk;
  /// Versions of the updates that have the risk, ascending.
  std::vector<std::string> targets;
};

/// Loads the risks, each body once, by name. Warns of parts that could not be read.
Result<std::vector<PublishedRisk>> load_risks(const RiskSource& source);

}  // namespace fairway::cli
