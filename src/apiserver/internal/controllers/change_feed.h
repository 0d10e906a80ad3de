// SPDX-License-Identifier: Apache-2.0

// The changes of all resources, for the controllers of the server itself.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/storage/storage.h"

namespace fairway::apiserver::controllers {

/// An event that controllers see: each existing object, and each change.
struct Observed {
  std::string resource;  ///< `storage::Key::resource`
  /// The object; for a deletion its last state.
  storage::RecordPtr record;
  bool deleted = false;
};

/// The rest of a controller's work.
enum class WorkLeft {
  none,
  more,    ///< to be continued, once the changes of the meantime have been seen
  failed,  ///< to be retried soon
};

/// Follows everything that is stored, in one thread. A resource that is served later is followed from then
/// on. No write waits for the controllers: a change that has left the memory before they saw it is read from
/// the file. If it is not kept any more, they begin anew with the existing objects.
class ChangeFeed {
 public:
  struct Observer {
    /// Called on that thread for each object and change.
    std::function<void(const Observed&)> observe;
    /// Called when changes of this resource may have been missed. Its existing objects are observed again
    /// after this; known objects that are not observed again are gone.
    std::function<void(const std::string& resource)> resync;
    /// Called when everything that has happened so far has been seen. Returns soon after `stop` is requested.
    std::function<WorkLeft(const std::stop_token& stop)> work;
  };
  ChangeFeed(objects::Objects& objects, Observer observer);
  ~ChangeFeed();
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;

 private:
  void run(const std::stop_token& stop);
  void follow_served();
  /// Begins to follow a resource. Returns false if it could not be read: it is retried then.
  bool follow(const std::string& resource);
  /// Resumes a watch that has ended, if its next change is still kept.
  void resume(const std::string& resource);
  /// Reads changes. Returns false if there were none.
  bool read();
  void wake();

  objects::Objects& objects_;
  Observer observer_;
  /// Generation of the registry at which everything that it serves was followed; 0: some resources are not.
  std::uint64_t generation_ = 0;
  std::map<std::string, std::unique_ptr<storage::Watch>> watches_;
  /// Resources that have been followed before, and those that could not be read the last time.
  std::set<std::string> known_, unreadable_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool ready_ = true;
  std::jthread thread_;
};

}  // namespace fairway::apiserver::controllers
