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

/// What a folder of graph data looks like without reading any file.
struct FolderState {
  /// Of the names, inodes, sizes and time stamps of all that may count: equal texts mean that nothing was
  /// written between.
  std::string fingerprint;
  /// When something in it was changed last, by the file system's clock; the epoch for an empty or absent
  /// folder.
  WallTime newest;
  /// Git is at work in it (.git/index.lock).
  bool locked = false;
  /// Why not all of it was looked at; empty: all was. The reader refuses such a folder.
  std::string fault;
};
/// The clock says whether Git's lock is so old that the process that made it must have ended.
FolderState read_folder_state(const std::string& folder, const Clock& clock);

struct FolderWatchOptions {
  std::chrono::milliseconds settle{200};    ///< a change is reported when nothing has happened for this long,
  std::chrono::milliseconds longest{1000};  ///< or after this long, whatever happens
  /// Intervals of reading time stamps beside inotify (links to links and the like may escape it), and without
  /// it.
  std::chrono::milliseconds slow_interval{30'000}, quick_interval{1000};
  /// For tests: as if inotify did not work here.
  bool without_inotify = false;
  Clock* clock = &Clock::system();
};

/// Reports changes to a folder, to what it is linked to, and to whether it is there, until `stop` or its own
/// end. Folders are followed to 8 levels and through the links of the first one alone, and as far as they lie
/// in the folder; at most 100,000 names are looked at, and 8,192 folders watched. Seen are: files written,
/// renamed and removed in the folder and below, and the swap of symbolic links on the way to it or to its
/// first-level folders (as mounted ConfigMaps, git-sync and deployments by link do).
class FolderWatch {
 public:
  /// `known` is the fingerprint of the state that the caller knows already; empty: it knows none and will
  /// look itself. `changed` is called from the watch's thread.
  FolderWatch(std::string folder, std::string known, std::function<void()> changed, std::stop_token stop,
              FolderWatchOptions options = {});

 private:
  std::jthread thread_;
};

}  // namespace fairway::sources
