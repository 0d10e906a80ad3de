#include "apiserver/controllers/internal/change_feed.h"

#include <chrono>
#include <set>
#include <utility>

#include "base/log.h"

namespace fairway::apiserver {
namespace {

/// How soon work is tried again that could not be done, and new resources are looked for.
constexpr std::chrono::milliseconds retry_period{200};
constexpr std::chrono::seconds look_period{1};

}  // namespace

ChangeFeed::ChangeFeed(Objects& objects, Observer observer)
    : objects_(objects),
      observer_(std::move(observer)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

ChangeFeed::~ChangeFeed() {
  thread_.request_stop();
  thread_.join();
  for (const auto& [resource, watch] : watches_) {
    if (watch) watch->on_ready({});
  }
}

void ChangeFeed::wake() {
  const std::scoped_lock lock(mutex_);
  ready_ = true;
  changed_.notify_one();
}

void ChangeFeed::follow(const std::string& resource) {
  storage::Storage& storage = objects_.storage();
  auto all = storage.list({.resource = resource});
  if (!all)
    return log::warning("reading objects for the garbage collector", {{"error", all.error().error.message}});
  auto watch = storage.watch({.resource = resource, .from = all->revision});
  if (!watch)
    return log::warning("watching for the garbage collector", {{"error", watch.error().error.message}});
  watches_[resource] = *std::move(watch);
  for (storage::RecordPtr& record : all->records) observer_.observe({resource, std::move(record), false});
}

void ChangeFeed::follow_new_resources() {
  const std::uint64_t generation = objects_.registry().generation();
  if (generation == generation_) return;
  generation_ = generation;
  std::set<std::string> served;
  for (const ServedResourcePtr& resource : objects_.registry().all()) served.insert(resource->storage);
  for (const std::string& resource : served) {
    if (!watches_.contains(resource)) follow(resource);
  }
  std::erase_if(watches_, [&](auto& entry) {
    if (served.contains(entry.first)) return false;
    if (entry.second) entry.second->on_ready({});
    return true;
  });
}

bool ChangeFeed::read() {
  bool any = false;
  std::set<std::string> broken;
  for (auto& [resource, watch] : watches_) {
    while (true) {
      const storage::WatchBatch batch = watch->poll();
      for (const storage::EventPtr& event : batch.events) {
        observer_.observe({resource, event->record, event->type == storage::EventType::deleted});
      }
      any |= !batch.events.empty();
      if (batch.end) {
        broken.insert(resource);
        break;
      }
      if (batch.events.empty()) {
        watch->on_ready([this] { wake(); });
        break;
      }
    }
  }
  for (const std::string& resource : broken) {
    watches_[resource]->on_ready({});
    watches_.erase(resource);
    // It was overtaken, or dropped: all that is there is seen again.
    generation_ = 0;
  }
  return any;
}

void ChangeFeed::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      const std::scoped_lock lock(mutex_);
      ready_ = false;
    }
    follow_new_resources();
    while (read() && !stop.stop_requested()) {
    }
    const bool again = observer_.idle();
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop,
                      again ? std::chrono::nanoseconds(retry_period) : std::chrono::nanoseconds(look_period),
                      [this] { return ready_; });
  }
}

}  // namespace fairway::apiserver
