// Graph data out of Git repositories, read from the object database: nothing is ever checked out.
#pragma once

#include <string>

#include "base/result.h"
#include "graphdata/load.h"

namespace fairway::sources {

/// The graph data of one revision ("HEAD~1", "origin/main", a tag, a commit, a tree) of the repository that
/// `folder` lies in. Where `folder` is a folder below the top of a working tree, that part of the tree is the
/// graph data. Errors: no repository there (`not_found`), no such revision (`not_found`, with what to try), a
/// tree beyond the limits of graphdata::read_directory (`too_large`).
Result<graphdata::Files> read_git_tree(const std::string& folder, const std::string& revision);

/// The commit that `ref` (empty: HEAD) is in a repository on this machine, bare or not.
Result<std::string> resolve_git_ref(const std::string& folder, const std::string& ref);

}  // namespace fairway::sources
