// SPDX-License-Identifier: Apache-2.0

// Graph data from Git repositories, read from the object database without a checkout.
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "graphdata/load.h"

namespace fairway::sources {

/// Reads the graph data of one revision ("HEAD~1", "origin/main", a tag, a commit, a tree) of the repository
/// that contains `folder`. If `folder` is a subfolder of a working tree, that part of the tree is the graph
/// data. Errors: no repository (`not_found`), no such revision (`not_found`, with suggestions), a tree beyond
/// the limits of graphdata::read_directory, or objects that unpack to more than 64 MiB (`too_large`);
/// `limits`, which are checked before each object, ended it (`cancelled`, `deadline_exceeded`).
Result<graphdata::Files> read_git_tree(const std::string& folder, const std::string& revision,
                                       const Limits& limits = {}, const Clock& clock = Clock::system());

/// Reads a revision in the same way, but only for comparison: entries that would be refused (links,
/// submodules, files that are too large) are included without text.
Result<graphdata::Files> read_git_base(const std::string& folder, const std::string& revision);

/// Returns the paths below `folder`, in byte order, at which Git (its index) and the folder both hold a link
/// or a submodule. None if `folder` is in no working tree.
std::vector<std::string> find_git_links(const std::string& folder);

/// Returns the commit of `ref` (empty: HEAD) in a local repository, bare or not.
Result<std::string> resolve_git_ref(const std::string& folder, const std::string& ref,
                                    const Limits& limits = {}, const Clock& clock = Clock::system());

}  // namespace fairway::sources
