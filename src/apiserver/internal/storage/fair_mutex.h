// SPDX-License-Identifier: Apache-2.0

// A lock that is given in the order in which it was asked for.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace fairway::apiserver::storage {

/// A mutex whose waiters take turns. A thread that unlocks a `std::mutex` and locks it again at once is
/// mostly its next owner, too: one that reads page after page would delay the writer for as long as it likes.
class FairMutex {
 public:
  void lock() {
    std::unique_lock lock(mutex_);
    const std::uint64_t turn = next_++;
    changed_.wait(lock, [&] { return now_ == turn; });
  }
  void unlock() {
    {
      const std::scoped_lock lock(mutex_);
      ++now_;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0;  ///< the turn of the next caller
  std::uint64_t now_ = 0;   ///< the turn that holds the lock
};

}  // namespace fairway::apiserver::storage
