// A clone of a remote Git repository, kept up to date over HTTP.
#pragma once

#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "graphdata/load.h"
#include "http/access.h"
#include "http/client.h"

namespace fairway::sources {

/// A copy of a remote repository (bare, objects only), brought up to date by asking for what is missing.
class GitClone {
 public:
  /// The repository at `remote` (the fragment says nothing here). `folder` is made where it is missing.
  /// `client` and `clock`, which is that of the limits, outlive the clone.
  GitClone(http::Access remote, std::string folder, http::Client& client, const Clock& clock);

  /// The commit that `ref` (a branch, a tag, a full commit id; empty: the remote's HEAD) is now, its objects
  /// fetched. One small request where nothing changed, none for a commit id that is here already.
  Result<std::string> fetch(const std::string& ref, const Limits& limits);
  /// The graph data of a fetched commit.
  Result<graphdata::Files> read(const std::string& commit, const Limits& limits) const;

 private:
  Result<std::string> fetch_once(const std::string& ref, const Limits& limits);

  http::Access remote_;
  std::string folder_;
  http::Client& client_;
  const Clock& clock_;
};

}  // namespace fairway::sources
