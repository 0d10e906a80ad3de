// SPDX-License-Identifier: Apache-2.0

// A clone of a remote Git repository, kept up to date over HTTP.
#pragma once

#include <string>

#include "base/limits.h"
#include "base/result.h"
#include "graphdata/load.h"
#include "http/access.h"
#include "http/client.h"

namespace fairway::sources {

/// A copy of a remote repository (bare, objects only), updated by fetching the missing objects.
class GitClone {
 public:
  /// Makes a clone of the repository at `remote` (its fragment is ignored). `folder` is made if it is
  /// missing. `client` and `clock`, which the limits go by, must outlive the clone.
  GitClone(http::Access remote, std::string folder, http::Client& client, const Clock& clock);

  /// Fetches `ref` (a branch, a tag, a full commit id; empty: the remote's HEAD) with its objects, and
  /// returns its commit. One small request if nothing changed, none for a commit id that is present.
  Result<std::string> fetch(const std::string& ref, const Limits& limits);
  /// Reads the graph data of a fetched commit.
  Result<graphdata::Files> read(const std::string& commit, const Limits& limits) const;

 private:
  Result<std::string> fetch_once(const std::string& ref, const Limits& limits);

  http::Access remote_;
  std::string folder_;
  http::Client& client_;
  const Clock& clock_;
};

}  // namespace fairway::sources
