// SPDX-License-Identifier: Apache-2.0

// Graph data in a folder of this machine.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "sources/internal/fetch/folder_watch.h"
#include "sources/source.h"

namespace fairway::sources {

/// Returns the SHA-256 over the names and bytes of files.
std::string content_revision(const graphdata::Files& files);

class DirectorySource final : public GraphDataSource {
 public:
  explicit DirectorySource(std::string folder, FolderWatchOptions options = {});

  std::string name() const override { return folder_; }
  /// Reads the folder after it has been quiet for a moment (200 ms; Git's lock gone), and returns the files
  /// only if nothing was written meanwhile, so that half of a checkout is never taken for all of it. An error
  /// (`unavailable`) if it does not settle within a second: a watch reports again when it does.
  Result<FetchedGraphData> fetch(const FetchContext& context) override;
  bool watch(std::function<void()> changed, std::stop_token stop) override;

 private:
  std::string folder_;
  FolderWatchOptions options_;
  std::mutex mutex_;
  std::string known_;  ///< fingerprint of what was fetched last
  std::optional<FolderWatch> watch_;
};

}  // namespace fairway::sources
