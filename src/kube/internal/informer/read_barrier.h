// SPDX-License-Identifier: Apache-2.0

// Holds reads of an informer until its first list is there, and until it has what this process has written.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/timed_condition.h"
#include "k8s/object.h"
#include "kube/client/options.h"
#include "kube/internal/informer/key_hash.h"

namespace fairway::kube {

/// Lets reads wait for this process's own writes. Safe from all threads. A watch brings changes in the order
/// of their resourceVersions, so an informer that has come to version N has every write up to N. Versions are
/// compared as numbers, as etcd makes them; a version that is not a number is not waited for.
///
/// Memory is bounded by the objects of the store, and by `max_keys` of those that it does not have yet:
/// beyond that, reads of every object wait for the newest of these writes.
class ReadBarrier {
 public:
  static constexpr std::size_t max_keys = 10'000;

  /// Creates a barrier. `uid_of` returns the uid of an object in the store, "" if it is not there.
  ReadBarrier(Clock& clock, std::function<std::string(const k8s::Key& key)> uid_of);

  /// Records that the first list is in the store.
  void record_synced();
  /// Records that the store has everything up to this version. A version that is not a number, or 0, is
  /// ignored.
  void record_progress(std::string_view version);
  /// Records that the server is asked for a list.
  void record_list_begins();
  /// Records that the answer to that list was that the kind is not served, and the store is empty: objects
  /// that were written before were deleted with the kind, and will not come.
  void record_not_served();
  /// Records that this process has written the object, and that the server gave it this version.
  void record_written(const k8s::Key& key, std::string_view version);
  /// Records that this process has deleted the object with this uid ("": not known); the version of the
  /// deletion is not known.
  void record_removed(const k8s::Key& key, std::string_view uid);
  /// Ends all waits, now and later, with `cancelled`.
  void stop();

  /// Waits for the first list, and for writes of this object before the call (nullptr: of all). Writes during
  /// the call are not waited for.
  /// Errors: `deadline_exceeded` after the deadline of `limits` by the clock, and `cancelled` if
  /// `limits.stop` is requested or this was stopped. They say what is missing.
  Result<void> wait(const k8s::Key* key, const Limits& limits);

 private:
  using Removed = std::pair<k8s::Key, std::string>;
  /// The conditions that one read waits for, as they were when the read began.
  struct Awaited {
    std::uint64_t restores = 0;
    std::uint64_t version = 0;  ///< 0: none
    std::string written = {};   ///< "version 7 of a/one"
    std::vector<Removed> removed = {};
  };
  Awaited awaited(const k8s::Key* key) const;
  /// Returns a description of what is still missing, or std::nullopt.
  std::optional<std::string> missing(const Awaited& awaited) const;
  std::uint64_t newest_written() const;
  bool is_empty() const { return written_.empty() && removed_.empty() && floor_ <= settled_; }
  void forget_writes();
  void update();
  void settle(std::uint64_t up_to);

  Clock& clock_;
  const std::function<std::string(const k8s::Key& key)> uid_of_;
  /// True if it has synced and nothing is waited for: reads pass without a lock.
  std::atomic<bool> open_{false};
  std::mutex mutex_;
  bool synced_ = false, stopped_ = false;
  std::uint64_t progress_ = 0;
  /// Version up to which nothing is waited for any more.
  std::uint64_t settled_ = 0;
  /// Number of times that progress went back.
  std::uint64_t restores_ = 0;
  /// The newest version that was waited for when the last list began.
  std::uint64_t list_began_at_ = 0;
  /// The newest version of each object that is waited for, and the same in order of versions.
  std::unordered_map<k8s::Key, std::uint64_t, KeyHash> written_;
  std::set<std::pair<std::uint64_t, k8s::Key>> by_version_;
  /// Version that reads of every object wait for: there were too many writes to hold each.
  std::uint64_t floor_ = 0;
  /// Deleted objects, with their uid.
  std::map<k8s::Key, std::string> removed_;
  TimedCondition changed_;
};

}  // namespace fairway::kube
