// SPDX-License-Identifier: Apache-2.0

// graph::build of what sources gave.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "updateservice/builder.h"

namespace fairway::updateservice {

/// Builds the snapshot of inputs whose graph data is loaded already; `problems` are added to it. Errors:
/// those of `build_snapshot`.
Result<std::shared_ptr<const graph::Snapshot>> build_loaded(
    const BuiltInputs& inputs, std::shared_ptr<const graph::GraphData> graph_data,
    std::vector<graph::Problem> problems, const std::string& problem_url, const Limits& limits,
    const Clock& clock);

}  // namespace fairway::updateservice
