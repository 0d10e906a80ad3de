// SPDX-License-Identifier: Apache-2.0

// libgit2's objects with owners, and its errors as values. Only the git_*.cc files see this.
#pragma once

#include <git2.h>

#include <memory>
#include <string>

#include "base/result.h"

namespace fairway::sources {

template <class T, void (*release)(T*)>
struct GitRelease {
  void operator()(T* object) const { release(object); }
};
template <class T, void (*release)(T*)>
using GitHandle = std::unique_ptr<T, GitRelease<T, release>>;

using GitRepository = GitHandle<git_repository, git_repository_free>;
using GitObject = GitHandle<git_object, git_object_free>;
using GitTree = GitHandle<git_tree, git_tree_free>;
using GitTreeEntry = GitHandle<git_tree_entry, git_tree_entry_free>;
using GitDatabaseObject = GitHandle<git_odb_object, git_odb_object_free>;
using GitDatabase = GitHandle<git_odb, git_odb_free>;
using GitIndex = GitHandle<git_index, git_index_free>;
using GitRemote = GitHandle<git_remote, git_remote_free>;
using GitReference = GitHandle<git_reference, git_reference_free>;

/// Takes ownership of the handle that a libgit2 call stored in its out parameter.
template <class Handle, class Call>
int git_take(Handle& handle, Call&& call) {
  typename Handle::pointer raw = nullptr;
  const int code = call(&raw);
  handle.reset(raw);
  return code;
}

/// Initializes libgit2, once a process: small caches, and no configuration files of users.
void start_git();

/// Returns libgit2's last error of this thread, as an Error of that code: its text, or "doing: its text".
Error git_failure(ErrorCode code);
Error git_failure(ErrorCode code, const std::string& doing);

/// Returns an id as 40 hex digits.
std::string git_id_text(const git_oid& id);

}  // namespace fairway::sources
