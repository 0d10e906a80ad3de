// What callers without credentials are told of where things come from: nothing.
#pragma once

#include <string>
#include <string_view>

#include "graph/explain.h"
#include "graph/problem.h"

namespace fairway::updateservice {

/// A text without URLs and absolute paths: each becomes what stands for it, "(a URL)" or "(a path)". What
/// lies within graph data (blocked-edges/4.7.4.yaml) stays.
std::string without_places(std::string_view text);

/// A problem, or an explanation, as anybody may read it: of files only those within the graph data are named,
/// and problems whose messages may quote a server, or say where it is, are summed up.
graph::Problem for_anonymous(graph::Problem problem);
graph::Explanation for_anonymous(graph::Explanation explanation);

}  // namespace fairway::updateservice
