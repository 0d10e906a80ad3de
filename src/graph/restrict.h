// One build with what another one holds against its updates.
#pragma once

#include <memory>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "graph/snapshot.h"
#include "graph/withdrawn_updates.h"

namespace fairway::graph {

/// `now`, with each of its updates restrained as far as `before` or `absent` restrain it too: what they do
/// not serve is not served, and their risks are added. Of two risks of one name the one that concerns all
/// clusters stands; where none does and their rules differ, one that concerns all takes their place, with
/// `problem_url` where it has no url. What only `before` has is not added. An Error: `limits` (by `clock`)
/// have ended it (`cancelled`, `deadline_exceeded`).
Result<std::shared_ptr<Snapshot>> restrict_as(const Snapshot& now, const Snapshot& before,
                                              const WithdrawnUpdates& absent, const std::string& problem_url,
                                              const Limits& limits = {},
                                              const Clock& clock = Clock::system());

}  // namespace fairway::graph
