// Graph data from Git repositories, read from the object database without a checkout.
#pragma once

#include <string>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "graphdata/load.h"

namespace fairway::sources {

/// The graph data of one revision ("HEAD~1", "origin/main", a tag, a commit, a tree) of the repository that
/// contains `folder`. If `folder` is a subfolder of a working tree, that part of the tree is the graph data.
/// Errors: no repository (`not_found`), no such revision (`not_found`, with suggestions), a tree beyond the
/// limits of graphdata::read_directory, or objects that unpack to more than 64 MiB (`too_large`); `limits`,
/// which are looked at before each object, ended it (`cancelled`, `deadline_exceeded`).
Result<graphdata::Files> read_git_tree(const std::string& folder, const std::string& revision,
                                       const Limits& limits = {}, const Clock& clock = Clock::system());

/// The commit of `ref` (empty: HEAD) in a local repository, bare or not.
Result<std::string> resolve_git_ref(const std::string& folder, const std::string& ref,
                                    const Limits& limits = {}, const Clock& clock = Clock::system());

}  // namespace fairway::sources
