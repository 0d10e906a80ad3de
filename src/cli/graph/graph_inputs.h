// SPDX-License-Identifier: Apache-2.0

// Inputs of the `fairway graph` commands.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/commands.h"
#include "graph/snapshot.h"
#include "sources/source.h"

namespace fairway::cli {

struct GraphInputs {
  std::vector<std::string> releases;
  std::string graph_data;
  std::string arch = "amd64";
  std::string problem_url;
  sources::Options sources;
};

/// Adds --releases, --graph-data, --arch and the flags of sources.
void add_graph_inputs(CLI::App& command, GraphInputs& inputs);
/// Adds the flags of `add_graph_inputs` but --graph-data and --arch.
void add_release_inputs(CLI::App& command, GraphInputs& inputs);
/// Adds -o/--output with these formats; the first is the default.
void add_output_option(CLI::App& command, std::string& output, std::vector<std::string> formats);

using SnapshotPointer = std::shared_ptr<const graph::Snapshot>;

/// Fetches the sources once and builds a snapshot. Shows progress on a terminal.
Result<SnapshotPointer> load_snapshot(const GraphInputs& inputs);
/// Fetches the releases once, and builds a snapshot with each of these graph-data sources.
Result<std::vector<SnapshotPointer>> load_snapshots(const GraphInputs& inputs,
                                                    const std::vector<std::string>& graph_data);
/// Writes the snapshot's problems to standard error, one per line (the first ten).
void warn_of_problems(const graph::Snapshot& snapshot);

/// Check that a name exists. Error: it does not; the error lists the existing names.
Result<void> require_channel(const graph::Snapshot& snapshot, std::string_view channel);
Result<void> require_architecture(const graph::Snapshot& snapshot, std::string_view arch);
Result<void> require_version(const graph::Snapshot& snapshot, std::string_view arch,
                             std::string_view version);

/// Returns the names of risks, joined by ", ".
std::string risk_names(const std::vector<graph::Risk>& risks);
/// Returns a risk as text: name and url, and the wrapped message below.
std::string describe_risk(const graph::Risk& risk, std::size_t indent);

}  // namespace fairway::cli
