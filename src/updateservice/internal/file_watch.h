// Seeing at once that single files change.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace fairway::updateservice {

/// Calls `changed`, from a thread of its own, when one of some files was written, replaced, removed, or is
/// reached by another link (as Kubernetes swaps mounted Secrets): by inotify, and where that does not work by
/// a look each second. Files of one change come one after another: it waits until nothing came for a tenth of
/// a second.
class FileWatch {
 public:
  FileWatch(std::vector<std::string> files, std::function<void()> changed);

 private:
  std::jthread thread_;
};

}  // namespace fairway::updateservice
