// Graph data out of Git repositories, read from the object database: nothing is ever checked out.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "graphdata/load.h"
#include "http/client.h"

namespace fairway::sources {

/// The graph data of one revision ("HEAD~1", "origin/main", a tag, a commit, a tree) of the repository that
/// `folder` lies in. Where `folder` is a folder below the top of a working tree, that part of the tree is the
/// graph data. Errors: no repository there (`not_found`), no such revision (`not_found`, with what to try), a
/// tree beyond the limits of graphdata::read_directory (`too_large`).
Result<graphdata::Files> read_git_tree(const std::string& folder, const std::string& revision);

/// A copy of a remote repository (bare, objects only), brought up to date by asking for what is missing.
class GitClone {
 public:
  /// `url` is http or https; a userinfo part is sent as Basic credentials and shows nowhere. `folder` is made
  /// where it is missing. `client` must outlive the clone.
  GitClone(http::Url url, std::string folder, http::Client& client);

  /// The commit that `ref` (a branch, a tag, a full commit id; empty: the remote's HEAD) is now, its objects
  /// fetched. One small request where nothing changed, none for a commit id that is here already.
  Result<std::string> fetch(const std::string& ref, SteadyTime deadline, const std::stop_token& stop);
  /// The graph data of a fetched commit.
  Result<graphdata::Files> read(const std::string& commit) const;

 private:
  Result<std::string> fetch_once(const std::string& ref, SteadyTime deadline, const std::stop_token& stop);

  http::Url url_;
  std::string folder_;
  http::Client& client_;
};

/// The commit that `ref` (empty: HEAD) is in a repository on this machine, bare or not.
Result<std::string> resolve_git_ref(const std::string& folder, const std::string& ref);

}  // namespace fairway::sources
