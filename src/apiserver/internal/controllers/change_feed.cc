// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/controllers/change_feed.h"

#include <chrono>
#include <set>
#include <utility>

#include "base/log.h"

namespace fairway::apiserver::controllers {
namespace {

/// Time until failed work is retried, and until new resources are looked for.
constexpr std::chrono::milliseconds retry_period{200};
constexpr std::chrono::seconds look_period{1};
/// Number of batches that are read from each resource before the controllers work: they get their turn even
/// if changes never cease.
constexpr int reads_at_once = 16;

}  // namespace

ChangeFeed::ChangeFeed(objects::Objects& objects, Observer observer)
    : objects_(objects),
      observer_(std::move(observer)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

ChangeFeed::~ChangeFeed() {
  thread_.request_stop();
  thread_.join();
  for (const auto& [resource, watch] : watches_) watch->on_ready({});
}

void ChangeFeed::wake() {
  const std::scoped_lock lock(mutex_);
  ready_ = true;
  changed_.notify_one();
}

bool ChangeFeed::follow(const std::string& resource) {
  storage::Storage& storage = objects_.storage();
  const auto complain = [&](const storage::ReadError& read) {
    // Once, however often it is tried.
    if (unreadable_.insert(resource).second) {
      log::warning("reading objects for the controllers",
                   {{"resource", resource}, {"error", read.error.message}});
    }
    return false;
  };
  auto all = storage.list({.resource = resource});
  if (!all) return complain(all.error());
  auto watch = storage.watch({.resource = resource, .from = all->revision});
  if (!watch) return complain(watch.error());
  unreadable_.erase(resource);
  watches_[resource] = *std::move(watch);
  if (!known_.insert(resource).second) observer_.resync(resource);
  for (storage::RecordPtr& record : all->records) observer_.observe({resource, std::move(record), false});
  return true;
}

void ChangeFeed::follow_served() {
  const std::uint64_t generation = objects_.registry().generation();
  if (generation == generation_) return;
  std::set<std::string> served;
  for (const resources::ServedResourcePtr& resource : objects_.registry().all())
    served.insert(resource->storage);
  bool all = true;
  for (const std::string& resource : served) {
    if (!watches_.contains(resource)) all &= follow(resource);
  }
  generation_ = all ? generation : 0;
  std::erase_if(watches_, [&](auto& entry) {
    const auto& [resource, watch] = entry;
    if (served.contains(resource)) return false;
    watch->on_ready({});
    known_.erase(resource);
    // Its last changes may not have been read.
    observer_.resync(resource);
    return true;
  });
}

void ChangeFeed::resume(const std::string& resource) {
  std::unique_ptr<storage::Watch>& watch = watches_[resource];
  watch->on_ready({});
  auto next = objects_.storage().watch({.resource = resource, .from = watch->revision()});
  if (next) {
    watch = *std::move(next);
    return;
  }
  watches_.erase(resource);
  generation_ = 0;
}

bool ChangeFeed::read() {
  bool any = false;
  std::set<std::string> ended;
  for (auto& [resource, watch] : watches_) {
    const storage::WatchBatch batch = watch->poll();
    for (const storage::EventPtr& event : batch.events) {
      observer_.observe({resource, event->record, event->type == storage::EventType::deleted});
    }
    // A failed read is not repeated at once.
    any |= !batch.events.empty() || (batch.end && *batch.end != storage::WatchEnd::failed);
    if (batch.end) {
      ended.insert(resource);
    } else if (batch.events.empty()) {
      watch->on_ready([this] { wake(); });
    }
  }
  for (const std::string& resource : ended) resume(resource);
  return any;
}

void ChangeFeed::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      const std::scoped_lock lock(mutex_);
      ready_ = false;
    }
    follow_served();
    bool unread = true;
    for (int i = 0; i < reads_at_once && unread && !stop.stop_requested(); ++i) unread = read();
    const WorkLeft left = observer_.work(stop);
    if (unread || left == WorkLeft::more) continue;
    const bool will_retry = left == WorkLeft::failed || generation_ == 0;
    std::unique_lock lock(mutex_);
    changed_.wait_for(
        lock, stop,
        will_retry ? std::chrono::nanoseconds(retry_period) : std::chrono::nanoseconds(look_period),
        [this] { return ready_; });
  }
}

}  // namespace fairway::apiserver::controllers
