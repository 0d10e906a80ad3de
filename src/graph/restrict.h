// SPDX-License-Identifier: Apache-2.0

// One build with what another one holds against its updates.
#pragma once

#include <memory>
#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "graph/snapshot.h"
#include "graph/withdrawn_updates.h"

namespace fairway::graph {

/// Returns `now` with each of its updates restrained at least as much as in `before` or `absent`: updates
/// that they do not serve are not served, and their risks are added. Of two risks of one name, one that
/// concerns all clusters wins; if neither does and their rules differ, one that concerns all takes their
/// place, with `problem_url` if it has no url. Updates that only `before` has are not added. Errors: `limits`
/// (by `clock`) have ended it (`cancelled`, `deadline_exceeded`).
Result<std::shared_ptr<Snapshot>> restrict_as(const Snapshot& now, const Snapshot& before,
                                              const WithdrawnUpdates& absent, const std::string& problem_url,
                                              const Limits& limits = {},
                                              const Clock& clock = Clock::system());

}  // namespace fairway::graph
