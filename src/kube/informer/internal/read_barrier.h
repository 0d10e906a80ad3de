// Holds reads of an informer until its first list is there, and until it has what this process has written.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "base/timed_condition.h"
#include "k8s/object.h"
#include "kube/client/options.h"
#include "kube/informer/internal/key_hash.h"

namespace fairway::kube {

/// Safe from all threads. A watch brings changes in the order of their resourceVersions, so an informer that
/// has come to version N has every write up to N. Versions are compared as numbers, as etcd makes them; one
/// that is no number is not waited for.
class ReadBarrier {
 public:
  /// `uid_of`: the uid of an object in the store, "" where it is not there.
  ReadBarrier(Clock& clock, std::function<std::string(const k8s::Key& key)> uid_of);

  /// The first list is in the store.
  void note_synced();
  /// The store has everything up to this version. One that is no number, or 0, says nothing.
  void note_progress(std::string_view version);
  /// The server is asked for a list.
  void note_list_begins();
  /// The answer to that was that the kind is not served, and the store is empty: what was written before went
  /// with the kind, and will not come.
  void note_not_served();
  /// This process has written the object; the server has made it this version.
  void note_written(const k8s::Key& key, std::string_view version);
  /// This process has deleted the object with this uid ("": not known); in which version is not known,
  /// either.
  void note_removed(const k8s::Key& key, std::string_view uid);
  /// Ends all waits, now and later, with `cancelled`.
  void stop();

  /// Waits for the first list, and for what was written of this object before the call (nullptr: of all).
  /// Errors: `deadline_exceeded` after the deadline of `limits` by the clock, and `cancelled` where
  /// `limits.stop` is requested or this was stopped. They say what is missing.
  Result<void> wait(const k8s::Key* key, const Limits& limits);

 private:
  /// What is missing, or nothing. `up_to`: with no key, the newest version that counts.
  std::optional<std::string> missing(const k8s::Key* key, std::uint64_t up_to) const;
  void update();
  void settle(std::uint64_t up_to);

  Clock& clock_;
  const std::function<std::string(const k8s::Key& key)> uid_of_;
  /// Synced, and nothing is waited for: reads pass without a lock.
  std::atomic<bool> open_{false};
  std::mutex mutex_;
  bool synced_ = false, stopped_ = false;
  std::uint64_t progress_ = 0;
  /// The newest version that was waited for when the last list began.
  std::uint64_t list_began_at_ = 0;
  std::unordered_map<k8s::Key, std::uint64_t, KeyHash> written_;
  std::multimap<std::uint64_t, k8s::Key> by_version_;
  std::map<k8s::Key, std::string> removed_;
  TimedCondition changed_;
};

}  // namespace fairway::kube
