// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/read_barrier.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fairway::kube {

namespace {

/// Returns the version as a number; 0 if it is not one, which is older than everything, and so never waited
/// for.
std::uint64_t number_of(std::string_view version) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
  return error == std::errc{} && end == version.data() + version.size() ? number : 0;
}

}  // namespace

ReadBarrier::ReadBarrier(Clock& clock, std::function<std::string(const k8s::Key&)> uid_of)
    : clock_(clock), uid_of_(std::move(uid_of)) {}

/// Removes deletions that were seen, and wakes readers. Call it with the lock, after any change that a wait
/// may be for.
void ReadBarrier::update() {
  std::erase_if(removed_, [&](const auto& removed) {
    return floor_ <= settled_ && !written_.contains(removed.first) &&
           uid_of_(removed.first) != removed.second;
  });
  open_.store(synced_ && is_empty(), std::memory_order_release);
  changed_.notify_all();
}

void ReadBarrier::forget_writes() {
  written_.clear();
  by_version_.clear();
}

void ReadBarrier::record_synced() {
  const std::lock_guard lock(mutex_);
  synced_ = true;
  update();
}

void ReadBarrier::record_progress(std::string_view version) {
  const std::uint64_t number = number_of(version);
  const std::lock_guard lock(mutex_);
  const bool restored = number != 0 && number < progress_;
  if (restored) {
    // The server was restored from a backup: the versions of before will not come, and what was deleted since
    // may be there again.
    forget_writes();
    removed_.clear();
    floor_ = list_began_at_ = settled_ = 0;
    ++restores_;
  }
  if (number != 0) progress_ = number;
  const bool waited_for = restored || !is_empty();
  settle(progress_);
  if (waited_for) update();
}

void ReadBarrier::record_list_begins() {
  const std::lock_guard lock(mutex_);
  list_began_at_ = newest_written();
}

void ReadBarrier::record_not_served() {
  const std::lock_guard lock(mutex_);
  settle(list_began_at_);
  update();
}

/// Returns the newest version that is waited for, or 0. Call it with the lock.
std::uint64_t ReadBarrier::newest_written() const {
  const std::uint64_t newest = by_version_.empty() ? 0 : by_version_.rbegin()->first;
  return std::max(newest, floor_ > settled_ ? floor_ : 0);
}

/// Marks all versions up to this one as no longer waited for. Call it with the lock.
void ReadBarrier::settle(std::uint64_t up_to) {
  settled_ = std::max(settled_, up_to);
  while (!by_version_.empty() && by_version_.begin()->first <= settled_) {
    written_.erase(by_version_.begin()->second);
    by_version_.erase(by_version_.begin());
  }
}

void ReadBarrier::record_written(const k8s::Key& key, std::string_view version) {
  const std::uint64_t number = number_of(version);
  const std::lock_guard lock(mutex_);
  if (number <= settled_) return;
  if (const auto [at, made] = written_.try_emplace(key, number); !made) {
    if (at->second >= number) return;
    by_version_.erase({at->second, key});
    at->second = number;
  }
  by_version_.emplace(number, key);
  if (written_.size() > max_keys) {
    floor_ = newest_written();
    forget_writes();
  }
  open_.store(false, std::memory_order_release);
}

void ReadBarrier::record_removed(const k8s::Key& key, std::string_view uid) {
  const std::lock_guard lock(mutex_);
  const std::string known = uid_of_(key);
  // Some servers do not say which uid it had. Then it is the one that is known: to wait for the end of the
  // uid "" would be to wait while there is no object.
  const std::string removed = uid.empty() ? known : std::string(uid);
  if (removed.empty()) return;
  if (known != removed) {
    // It may come yet where this process has made it; what others have made is not known to be on its way.
    const bool comes = written_.contains(key) || floor_ > settled_;
    if (!comes || removed_.size() >= max_keys) return;
  }
  removed_.insert_or_assign(key, removed);
  open_.store(false, std::memory_order_release);
}

void ReadBarrier::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  update();
}

ReadBarrier::Awaited ReadBarrier::awaited(const k8s::Key* key) const {
  Awaited result;
  result.restores = restores_;
  const auto await_version = [&](std::uint64_t version, const std::string& of) {
    result.version = version;
    result.written = "version " + std::to_string(version) + of;
  };
  if (floor_ > settled_) await_version(floor_, "");
  if (key == nullptr) {
    if (!by_version_.empty() && by_version_.rbegin()->first > result.version)
      await_version(by_version_.rbegin()->first, " of " + by_version_.rbegin()->second.to_string());
    result.removed.assign(removed_.begin(), removed_.end());
    return result;
  }
  if (const auto found = written_.find(*key); found != written_.end() && found->second > result.version)
    await_version(found->second, " of " + key->to_string());
  if (const auto found = removed_.find(*key); found != removed_.end()) result.removed.emplace_back(*found);
  return result;
}

std::optional<std::string> ReadBarrier::missing(const Awaited& awaited) const {
  if (!synced_) return "its first list";
  if (awaited.restores != restores_) return std::nullopt;
  if (awaited.version > settled_) return awaited.written + ", which this process has written";
  for (const auto& [of, uid] : awaited.removed) {
    if (uid_of_(of) == uid) return "the end of " + of.to_string() + ", which this process has deleted";
  }
  return std::nullopt;
}

Result<void> ReadBarrier::wait(const k8s::Key* key, const Limits& limits) {
  if (open_.load(std::memory_order_acquire)) return {};
  const Limits within = limits.has_deadline() ? limits : limits.at_most(clock_, default_call_timeout);
  std::unique_lock lock(mutex_);
  const Awaited awaited = this->awaited(key);
  std::optional<std::string> what;
  changed_.wait(lock, clock_, within, [&] {
    what = missing(awaited);
    return !what || stopped_;
  });
  if (!what) return {};
  if (stopped_) return fail(ErrorCode::cancelled, "the informer was stopped before it had " + *what);
  if (limits.stop.stop_requested())
    return fail(ErrorCode::cancelled, "stopped before the informer had " + *what);
  return fail(ErrorCode::deadline_exceeded, "the informer does not have " + *what);
}

}  // namespace fairway::kube
