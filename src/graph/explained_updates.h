// SPDX-License-Identifier: Apache-2.0

// All updates from one release of a channel, or into it: those that are served, and why the others are not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/result.h"
#include "graph/explain.h"

namespace fairway::graph {

/// The release that updates are asked about, and which side of them it is.
struct UpdatesQuestion {
  enum class Side { from, to };
  std::string channel;
  std::string arch;
  std::string version;
  Side side = Side::from;
};

struct ExplainedUpdates {
  struct Update {
    std::string from, to;
    Explanation explanation;         ///< with brief texts, and without `risks`
    std::vector<std::size_t> risks;  ///< positions in the list of all
  };
  std::vector<Update> updates;  ///< highest other release first
  std::vector<Reason> reasons;  ///< reasons why the channel does not have the release; then there are no
                                ///< updates
  std::vector<Risk> risks;      ///< each risk of some update once

  /// {"updates":[{"from","to","verdict","reasons","risks":[positions]}],"reasons":[...],"risks":[...]}: a
  /// risk that several updates have stands there once, and reasons name it without its message.
  json::Object to_json() const;
};

/// Most bytes of texts that an answer has. The largest channels have some hundred releases: 100 KiB.
inline constexpr std::size_t most_bytes_of_updates = std::size_t{16} << 20;

/// Explains an update to each higher release of the channel (side `from`), or from each lower one (side
/// `to`), as `explain` does. Errors: `deadline_exceeded`, `cancelled`; `too_large` where the texts have more
/// than `most_bytes`.
Result<ExplainedUpdates> explain_updates(const View& view, const UpdatesQuestion& question,
                                         const Limits& limits, const Clock& clock = Clock::system(),
                                         std::size_t most_bytes = most_bytes_of_updates);

}  // namespace fairway::graph
