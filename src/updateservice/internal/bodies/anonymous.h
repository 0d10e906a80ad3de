// SPDX-License-Identifier: Apache-2.0

// Texts for callers without credentials, who are not told where anything comes from.
#pragma once

#include <string>
#include <string_view>

#include "graph/explain.h"
#include "graph/explained_updates.h"
#include "graph/problem.h"

namespace fairway::updateservice {

/// Returns a text in which URLs and absolute paths are replaced by "(a URL)" or "(a path)". Paths within
/// graph data (blocked-edges/4.7.4.yaml) stay.
std::string without_places(std::string_view text);

/// Returns a problem, or an explanation, as all callers may read it: only files within the graph data are
/// named, and problems whose messages may quote a server, or say where it is, are replaced by summaries.
graph::Problem for_anonymous(graph::Problem problem);
graph::Explanation for_anonymous(graph::Explanation explanation);
graph::ExplainedUpdates for_anonymous(graph::ExplainedUpdates updates);

}  // namespace fairway::updateservice
