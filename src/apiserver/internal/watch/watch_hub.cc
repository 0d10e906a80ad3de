// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/watch/watch_hub.h"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "apiserver/internal/flow/caller.h"
#include "base/fair_queue.h"
#include "base/log.h"

namespace fairway::apiserver::watch {
namespace {

using namespace std::chrono_literals;
using SessionPtr = std::shared_ptr<WatchSession>;
using Source = WatchSession::Source;

/// Number of threads for watches whose objects a webhook converts, each for another resource at a time.
constexpr std::size_t most_webhook_threads = 16;
/// Number of those threads for one user.
constexpr std::size_t most_webhook_threads_of_user = 12;

}  // namespace

class WatchHub::Implementation final : public WatchSession::Feeder {
 public:
  explicit Implementation(Clock& clock_of_server) : clock_(clock_of_server) {
    const std::scoped_lock lock(mutex_);
    threads_.emplace_back([this](const std::stop_token& stop) { run_timer(stop); });
  }
  ~Implementation() override { stop(); }

  Clock& clock() override { return clock_; }
  void enqueue(const SessionPtr& session) override;
  void schedule(SteadyTime at, const SessionPtr& session) override;

  void add(const SessionPtr& session);
  std::size_t cut(const std::function<bool(const resources::ServedResource&)>& fits);
  std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return sessions_.size();
  }
  std::size_t timers() const {
    const std::scoped_lock lock(mutex_);
    return due_.size();
  }

 private:
  /// The sessions of one source that have something to do, and the threads that feed them.
  struct Lane {
    Source source;
    std::size_t most_threads;
    FairQueue<SessionPtr> ready;
    std::condition_variable_any wake;
    std::size_t threads = 0, idle = 0;
    // Where one resource has one thread: those that are being fed, and the threads of each user.
    std::set<const void*> busy;
    std::map<std::string, std::size_t, std::less<>> users;

    bool is_one_per_resource() const { return source == Source::webhook; }
    bool may_feed(const WatchSession& session) const;
    void begin(const WatchSession& session);
    void end(const WatchSession& session);
  };

  void run(Lane& lane, const std::stop_token& stop);
  void run_timer(const std::stop_token& stop);
  void end(const SessionPtr& session);
  void stop();
  // With the mutex.
  void set_time(SteadyTime at, const SessionPtr& session);
  void forget_time(WatchSession& session);
  Lane& lane_of(Source source) { return lanes_[static_cast<std::size_t>(source)]; }
  void push(const SessionPtr& session);
  /// Wakes a thread to look for a session; starts one if the existing ones may all be busy for long.
  void wake(Lane& lane);
  /// Returns the next session that may be fed now; null: none.
  SessionPtr pick(Lane& lane);

  Clock& clock_;
  mutable std::mutex mutex_;
  /// Lanes by `Source`.
  Lane lanes_[3]{{.source = Source::memory, .most_threads = 1},
                 {.source = Source::file, .most_threads = 1},
                 {.source = Source::webhook, .most_threads = most_webhook_threads}};
  std::set<SessionPtr> sessions_;
  /// Times of bookmarks and ends: one entry for each session.
  WatchSession::Times due_;
  std::stop_source timer_wait_;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

bool WatchHub::Implementation::Lane::may_feed(const WatchSession& session) const {
  if (!is_one_per_resource()) return true;
  const auto user = users.find(session.user());
  return !busy.contains(session.resource()) &&
         (user == users.end() || user->second < most_webhook_threads_of_user);
}

void WatchHub::Implementation::Lane::begin(const WatchSession& session) {
  if (!is_one_per_resource()) return;
  busy.insert(session.resource());
  ++users[session.user()];
}

void WatchHub::Implementation::Lane::end(const WatchSession& session) {
  if (!is_one_per_resource()) return;
  busy.erase(session.resource());
  const auto user = users.find(session.user());
  if (--user->second == 0) users.erase(user);
}

void WatchHub::Implementation::push(const SessionPtr& session) {
  if (session->ended || std::exchange(session->queued, true)) return;
  session->queued_for = session->source();
  Lane& lane = lane_of(session->queued_for);
  lane.ready.push(session->flow(), session);
  wake(lane);
}

void WatchHub::Implementation::wake(Lane& lane) {
  if (lane.idle == 0 && lane.threads < lane.most_threads && !stopping_) {
    try {
      threads_.emplace_back([this, &lane](const std::stop_token& stop) { run(lane, stop); });
      ++lane.threads;
    } catch (const std::system_error& fault) {
      // The next one that has something to do tries again.
      log::warning("no thread could be made for watches", {{"why", std::string(fault.what())}});
    }
    return;
  }
  lane.wake.notify_one();
}

void WatchHub::Implementation::enqueue(const SessionPtr& session) {
  const std::scoped_lock lock(mutex_);
  if (session->running) {
    session->needs_run = true;
    return;
  }
  push(session);
}

void WatchHub::Implementation::schedule(SteadyTime at, const SessionPtr& session) {
  const std::scoped_lock lock(mutex_);
  set_time(at, session);
}

void WatchHub::Implementation::set_time(SteadyTime at, const SessionPtr& session) {
  forget_time(*session);
  if (session->ended) return;
  const bool is_first = due_.empty() || at < due_.begin()->first;
  session->time = due_.emplace(at, session);
  if (is_first) timer_wait_.request_stop();
}

void WatchHub::Implementation::forget_time(WatchSession& session) {
  if (session.time) due_.erase(*session.time);
  session.time.reset();
}

void WatchHub::Implementation::end(const SessionPtr& session) {
  session->release();
  const std::scoped_lock lock(mutex_);
  forget_time(*session);
  // A timer or an event that met it before may still come with it.
  session->ended = true;
  sessions_.erase(session);
}

SessionPtr WatchHub::Implementation::pick(Lane& lane) {
  auto taken =
      lane.ready.pop([&](const std::string&, const SessionPtr& session) { return lane.may_feed(*session); });
  if (!taken) return nullptr;
  SessionPtr session = std::move(taken->second);
  session->queued = false;
  session->running = true;
  lane.begin(*session);
  return session;
}

void WatchHub::Implementation::run(Lane& lane, const std::stop_token& stop) {
  // Webhook calls for a watch end with the hub. The threads that make them are few, so they take no place.
  const flow::Caller caller{.user = "", .namespace_name = "", .takes_place = false, .cancelled = stop};
  const flow::CallerScope scope(caller);
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    SessionPtr session;
    ++lane.idle;
    lane.wake.wait(lock, stop, [&] { return (session = pick(lane)) != nullptr; });
    --lane.idle;
    if (session == nullptr) continue;
    if (!lane.ready.empty()) wake(lane);
    lock.unlock();
    const WatchSession::State state = session->feed(lane.source);
    const bool has_ended = state == WatchSession::State::ended;
    if (has_ended) end(session);
    lock.lock();
    lane.end(*session);
    // Its time may have come while it had something else to do, or nothing.
    if (!has_ended && !session->time) set_time(session->next_time(), session);
    session->running = false;
    const bool needs_run = std::exchange(session->needs_run, false) || state == WatchSession::State::ready;
    if (!has_ended && needs_run) push(session);
    // Sessions of this resource have waited for it.
    if (lane.is_one_per_resource() && !lane.ready.empty()) lane.wake.notify_one();
  }
}

void WatchHub::Implementation::run_timer(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<SessionPtr> ripe;
    std::stop_token wait;
    SteadyTime next = clock_.steady() + 1h;
    {
      const std::scoped_lock lock(mutex_);
      const SteadyTime now = clock_.steady();
      while (!due_.empty() && due_.begin()->first <= now) {
        // A session that has ended has no entry.
        SessionPtr session = due_.begin()->second.lock();
        due_.erase(due_.begin());
        if (session == nullptr) continue;
        session->time.reset();
        if (session->queued) {
          // Its turn may be far: what it holds meanwhile is not needed.
          session->rest(now);
          SteadyTime at = session->next_time();
          // Its work is done in its turn, and does not keep it from releasing what it holds before.
          if (at <= now) at = session->rest_time();
          if (Lane& lane = lane_of(session->queued_for); lane.threads == 0) {
            // No thread could be made when it came.
            wake(lane);
            at = std::min(at, now + 1s);
          }
          if (at != SteadyTime::max()) set_time(at, session);
          continue;
        }
        ripe.push_back(std::move(session));
      }
      if (!due_.empty()) next = due_.begin()->first;
      timer_wait_ = std::stop_source();
      wait = timer_wait_.get_token();
      if (stop.stop_requested()) return;
    }
    for (const SessionPtr& session : ripe) enqueue(session);
    clock_.wait_until(next, wait);
  }
}

void WatchHub::Implementation::stop() {
  std::vector<std::jthread> threads;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    threads.swap(threads_);
  }
  for (std::jthread& thread : threads) thread.request_stop();
  {
    const std::scoped_lock lock(mutex_);
    timer_wait_.request_stop();
  }
  threads.clear();
  std::set<SessionPtr> sessions;
  {
    const std::scoped_lock lock(mutex_);
    sessions.swap(sessions_);
  }
  for (const SessionPtr& session : sessions) session->release();
}

void WatchHub::Implementation::add(const SessionPtr& session) {
  {
    const std::scoped_lock lock(mutex_);
    sessions_.insert(session);
    // Nobody feeds it before it has begun: its client may be gone already.
    session->running = true;
  }
  session->begin();
  {
    const std::scoped_lock lock(mutex_);
    session->running = session->needs_run = false;
  }
  enqueue(session);
}

std::size_t WatchHub::Implementation::cut(const std::function<bool(const resources::ServedResource&)>& fits) {
  std::vector<SessionPtr> cut;
  {
    const std::scoped_lock lock(mutex_);
    std::ranges::copy_if(sessions_, std::back_inserter(cut),
                         [&](const SessionPtr& session) { return fits(session->served()); });
  }
  for (const SessionPtr& session : cut) session->cut();
  return cut.size();
}

WatchHub::WatchHub(Clock& clock) : implementation_(std::make_unique<Implementation>(clock)) {}

WatchHub::~WatchHub() = default;

void WatchHub::add(WatchSpec spec) {
  implementation_->add(std::make_shared<WatchSession>(*implementation_, std::move(spec)));
}

std::size_t WatchHub::cut(const std::function<bool(const resources::ServedResource&)>& fits) {
  return implementation_->cut(fits);
}

std::size_t WatchHub::size() const {
  return implementation_->size();
}

std::size_t WatchHub::timers() const {
  return implementation_->timers();
}

}  // namespace fairway::apiserver::watch
