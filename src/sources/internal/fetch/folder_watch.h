// SPDX-License-Identifier: Apache-2.0

// Seeing that a folder of graph data changes: inotify where it works, looking at time stamps where it does
// not.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"

namespace fairway::sources {

/// The state of a folder of graph data, without reading any file.
struct FolderState {
  /// Digest of the names, inodes, sizes and time stamps of all that may count: equal texts mean that nothing
  /// was written between.
  std::string fingerprint;
  /// Time of the last change in it, by the file system's clock; the epoch for an empty or absent folder.
  WallTime newest;
  /// True while Git is at work in it (.git/index.lock).
  bool locked = false;
  /// Reason why it was not read completely; empty: it was. The reader refuses such a folder.
  std::string fault;
};
/// Reads the state of a folder. The clock says whether Git's lock is so old that the process that made it
/// must have ended.
FolderState read_folder_state(const std::string& folder, const Clock& clock);

struct FolderWatchOptions {
  std::chrono::milliseconds settle{200};    ///< a change is reported when nothing has happened for this long,
  std::chrono::milliseconds longest{1000};  ///< or after this long, whatever happens
  /// Intervals of reading time stamps, with inotify (which links to links and the like may escape) and
  /// without it.
  std::chrono::milliseconds slow_interval{30'000}, quick_interval{1000};
  /// True to act as if inotify did not work here, for tests.
  bool without_inotify = false;
  Clock* clock = &Clock::system();
};

/// Reports changes to a folder, to the targets of its links, and to its existence, until `stop` or
/// destruction. Folders are followed to 8 levels, as far as they lie in the folder; links are followed on the
/// first level only. At most 100,000 names are read, and 8,192 folders watched. Detected are: files written,
/// renamed and removed in the folder and below, and the swap of symbolic links on the way to it or to its
/// first-level folders (as mounted ConfigMaps, git-sync and deployments by link do).
class FolderWatch {
 public:
  /// Starts to watch. `known` is the fingerprint of the state that the caller knows already; empty: it knows
  /// none and will look itself. `changed` is called from the watch's thread.
  FolderWatch(std::string folder, std::string known, std::function<void()> changed, std::stop_token stop,
              FolderWatchOptions options = {});

 private:
  std::jthread thread_;
};

}  // namespace fairway::sources
