// SPDX-License-Identifier: Apache-2.0

// Reasons why an update is recommended, conditional or not served.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "graph/snapshot.h"

namespace fairway::graph {

struct Reason {
  /// One of: recommended, unknown-channel, unknown-architecture, unknown-version, not-in-channel, tombstoned,
  /// no-such-edge, blocked, removed-by-metadata, conditional, problem.
  std::string kind = {};
  Place place = {};
  std::string message = {};
  std::string problem = {};  ///< kind of the problem (problem_kind), if `kind` is `problem`
};

struct Explanation {
  enum class Verdict { recommended, conditional, none };
  Verdict verdict = Verdict::none;
  std::vector<Reason> reasons = {};
  std::vector<Risk> risks = {};

  /// {"verdict","reasons":[{"kind","file","line","message"}],"risks":[...]}; file and line only where known.
  json::Object to_json() const;
};

/// Returns all reasons, not only the first: whether both versions exist and are in the channel (if one is
/// not, whether a channel further up the feeders lists or tombstones it), whether release metadata declares
/// the edge, which files block it or make it conditional, and which problems affect it. Names nothing that
/// the view hides.
Explanation explain(const View& view, std::string_view channel, std::string_view arch, std::string_view from,
                    std::string_view to);

}  // namespace fairway::graph
