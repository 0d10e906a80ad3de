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

namespace fairway::apiserver {

/// What controllers see of an object: each that is there, and each change.
struct Observed {
  std::string resource;  ///< `storage::Key::resource`
  /// The object; of a deletion its last state.
  storage::RecordPtr record;
  bool deleted = false;
};

/// What is left of a controller's work.
enum class WorkLeft {
  none,
  more,    ///< to go on with, once what has happened meanwhile has been seen
  failed,  ///< to be tried again soon
};

/// Follows everything that is stored, in one thread. A resource that is served later is followed from then
/// on. Nobody waits for the controllers: a change that they are too late for in memory is read from the file,
/// and where it is not kept any more they begin anew with what is there.
class ChangeFeed {
 public:
  struct Observer {
    /// Called on that thread for each object and change.
    std::function<void(const Observed&)> observe;
    /// Changes of this resource may have been missed: what is there is observed again after this, and what
    /// was known and is not observed again is gone.
    std::function<void(const std::string& resource)> resync;
    /// Called when what has happened so far has been seen. Returns before long where `stop` is requested.
    std::function<WorkLeft(const std::stop_token& stop)> work;
  };
  ChangeFeed(Objects& objects, Observer observer);
  ~ChangeFeed();
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;

 private:
  void run(const std::stop_token& stop);
  void follow_served();
  /// False where it could not be read: then it is tried again.
  bool follow(const std::string& resource);
  /// Goes on where a watch has ended, if that is still kept.
  void resume(const std::string& resource);
  /// False where there was nothing.
  bool read();
  void wake();

  Objects& objects_;
  Observer observer_;
  /// Of the registry, when all that it serves was followed; 0: something is not.
  std::uint64_t generation_ = 0;
  std::map<std::string, std::unique_ptr<storage::Watch>> watches_;
  /// Have been followed before; and could not be, the last time.
  std::set<std::string> known_, unreadable_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool ready_ = true;
  std::jthread thread_;
};

}  // namespace fairway::apiserver
