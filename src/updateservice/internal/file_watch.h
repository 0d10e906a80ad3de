// SPDX-License-Identifier: Apache-2.0

// Seeing at once that single files change.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace fairway::updateservice {

/// Calls `changed`, from a thread of its own, when one of some files was written, replaced, removed, or is
/// reached by another link (as Kubernetes swaps mounted Secrets): by inotify, and otherwise by a check each
/// second. Files of one change arrive one after another, so it waits until nothing has changed for a tenth of
/// a second.
class FileWatch {
 public:
  FileWatch(std::vector<std::string> files, std::function<void()> changed);

 private:
  std::jthread thread_;
};

}  // namespace fairway::updateservice
