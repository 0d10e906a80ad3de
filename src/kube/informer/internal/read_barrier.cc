#include "kube/informer/internal/read_barrier.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fairway::kube {

namespace {

/// 0 for what is no number: it is older than everything, and so never waited for.
std::uint64_t number_of(std::string_view version) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
  return error == std::errc{} && end == version.data() + version.size() ? number : 0;
}

}  // namespace

ReadBarrier::ReadBarrier(Clock& clock, std::function<std::string(const k8s::Key&)> uid_of)
    : clock_(clock), uid_of_(std::move(uid_of)) {}

/// With the lock, after anything that a wait may be for.
void ReadBarrier::update() {
  std::erase_if(removed_, [&](const auto& removed) {
    return !written_.contains(removed.first) && uid_of_(removed.first) != removed.second;
  });
  open_.store(synced_ && written_.empty() && removed_.empty(), std::memory_order_release);
  changed_.notify_all();
}

void ReadBarrier::note_synced() {
  const std::lock_guard lock(mutex_);
  synced_ = true;
  update();
}

void ReadBarrier::note_progress(std::string_view version) {
  const std::uint64_t number = number_of(version);
  const std::lock_guard lock(mutex_);
  if (number != 0) {
    if (number < progress_) {
      // The server was restored from a backup: the versions of before will not come.
      written_.clear();
      by_version_.clear();
    }
    progress_ = number;
  }
  if (written_.empty() && removed_.empty()) return;
  settle(progress_);
  update();
}

void ReadBarrier::note_list_begins() {
  const std::lock_guard lock(mutex_);
  list_began_at_ = by_version_.empty() ? 0 : by_version_.rbegin()->first;
}

void ReadBarrier::note_not_served() {
  const std::lock_guard lock(mutex_);
  settle(list_began_at_);
  update();
}

/// With the lock: nothing up to this version is waited for any more.
void ReadBarrier::settle(std::uint64_t up_to) {
  const auto end = by_version_.upper_bound(up_to);
  for (auto at = by_version_.begin(); at != end; ++at) {
    const auto found = written_.find(at->second);
    if (found != written_.end() && found->second <= up_to) written_.erase(found);
  }
  by_version_.erase(by_version_.begin(), end);
}

void ReadBarrier::note_written(const k8s::Key& key, std::string_view version) {
  const std::uint64_t number = number_of(version);
  const std::lock_guard lock(mutex_);
  if (number <= progress_) return;
  auto [at, made] = written_.try_emplace(key, number);
  if (!made && at->second >= number) return;
  at->second = number;
  by_version_.emplace(number, key);
  open_.store(false, std::memory_order_release);
}

void ReadBarrier::note_removed(const k8s::Key& key, std::string_view uid) {
  const std::lock_guard lock(mutex_);
  const std::string known = uid_of_(key);
  // Some servers do not say which uid it had. Then it is the one that is known: to wait for the end of the
  // uid "" would be to wait while there is no object.
  const std::string removed = uid.empty() ? known : std::string(uid);
  if (removed.empty() || (!written_.contains(key) && known != removed)) return;
  removed_.insert_or_assign(key, removed);
  open_.store(false, std::memory_order_release);
}

void ReadBarrier::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  update();
}

std::optional<std::string> ReadBarrier::missing(const k8s::Key* key, std::uint64_t up_to) const {
  if (!synced_) return "its first list";
  const auto version_text = [&](const k8s::Key& of, std::uint64_t version) {
    return "version " + std::to_string(version) + " of " + of.to_string() +
           ", which this process has written";
  };
  if (key != nullptr) {
    if (const auto found = written_.find(*key); found != written_.end())
      return version_text(*key, found->second);
    if (const auto found = removed_.find(*key); found != removed_.end() && uid_of_(*key) == found->second)
      return "the end of " + key->to_string() + ", which this process has deleted";
    return std::nullopt;
  }
  if (!by_version_.empty() && by_version_.begin()->first <= up_to)
    return version_text(by_version_.begin()->second, by_version_.begin()->first);
  for (const auto& [of, uid] : removed_) {
    if (uid_of_(of) == uid) return "the end of " + of.to_string() + ", which this process has deleted";
  }
  return std::nullopt;
}

Result<void> ReadBarrier::wait(const k8s::Key* key, const Limits& limits) {
  if (open_.load(std::memory_order_acquire)) return {};
  const Limits within = limits.has_deadline() ? limits : limits.at_most(clock_, default_call_timeout);
  std::unique_lock lock(mutex_);
  const std::uint64_t up_to = by_version_.empty() ? 0 : by_version_.rbegin()->first;
  std::optional<std::string> what;
  changed_.wait(lock, clock_, within, [&] {
    what = missing(key, up_to);
    return !what || stopped_;
  });
  if (!what) return {};
  if (stopped_) return fail(ErrorCode::cancelled, "the informer was stopped before it had " + *what);
  if (limits.stop.stop_requested())
    return fail(ErrorCode::cancelled, "stopped before the informer had " + *what);
  return fail(ErrorCode::deadline_exceeded, "the informer does not have " + *what);
}

}  // namespace fairway::kube
