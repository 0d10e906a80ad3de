// The changes of all resources, for the controllers of the server itself.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "apiserver/objects/internal/objects.h"
#include "apiserver/storage/storage.h"

namespace fairway::apiserver {

/// What controllers see of an object: each that is there, and each change.
struct Observed {
  std::string resource;  ///< `storage::Key::resource`
  /// The object; of a deletion its last state.
  storage::RecordPtr record;
  bool deleted = false;
};

/// Follows everything that is stored, in one thread. A resource that is served later is followed from then
/// on.
class ChangeFeed {
 public:
  /// Called on that thread for each object and change, and with `idle` when all has been seen that has
  /// happened so far; `idle` returns whether work is left that has to be tried again soon.
  struct Observer {
    std::function<void(const Observed&)> observe;
    std::function<bool()> idle;
  };
  ChangeFeed(Objects& objects, Observer observer);
  ~ChangeFeed();
  ChangeFeed(const ChangeFeed&) = delete;
  ChangeFeed& operator=(const ChangeFeed&) = delete;

 private:
  void run(const std::stop_token& stop);
  void follow_new_resources();
  void follow(const std::string& resource);
  /// False where there was nothing.
  bool read();
  void wake();

  Objects& objects_;
  Observer observer_;
  std::uint64_t generation_ = 0;
  std::map<std::string, std::unique_ptr<storage::Watch>> watches_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool ready_ = true;
  std::jthread thread_;
};

}  // namespace fairway::apiserver
