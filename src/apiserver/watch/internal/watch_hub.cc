#include "apiserver/watch/internal/watch_hub.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>

#include "k8s/wire/status_errors.h"

namespace fairway::apiserver {
namespace {

using namespace std::chrono_literals;

constexpr auto bookmark_period = 60s;
/// How soon a stream that had no room is tried again.
constexpr auto retry_period = 5ms;
/// Initial objects are sent in pieces of about this size.
constexpr std::size_t piece_bytes = 256 << 10;
constexpr std::size_t events_at_once = 256;

}  // namespace

struct WatchHub::Implementation {
  explicit Implementation(Clock& clock_of_server) : clock(clock_of_server) {}

  void enqueue(const std::shared_ptr<Session>& session);
  void schedule(SteadyTime at, const std::shared_ptr<Session>& session);
  void run(const std::stop_token& stop);
  void run_timer(const std::stop_token& stop);
  void end(const std::shared_ptr<Session>& session);
  /// Guarded by the mutex.
  void forget_time(Session& session);

  Clock& clock;
  mutable std::mutex mutex;
  std::condition_variable_any wake;
  std::deque<std::shared_ptr<Session>> ready;
  std::vector<std::shared_ptr<Session>> stalled;
  std::set<std::shared_ptr<Session>> sessions;
  /// Bookmarks and ends: one entry for each session.
  std::multimap<SteadyTime, std::weak_ptr<Session>> due;
  std::stop_source timer_wait;
  std::vector<std::jthread> threads;
};

/// A session is fed by one thread at a time.
class WatchHub::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Implementation& hub, WatchSpec spec) : hub_(hub), spec_(std::move(spec)) {}

  void begin() {
    next_bookmark_ = hub_.clock.steady() + bookmark_period;
    cancelled_.emplace(spec_.stream->cancelled(), [weak = weak_from_this(), this] {
      if (const auto self = weak.lock()) hub_.enqueue(self);
    });
    retired_.emplace(spec_.form->resource().retired, [weak = weak_from_this(), this] {
      if (const auto self = weak.lock()) hub_.enqueue(self);
    });
    schedule();
  }

  enum class State { waiting, stalled, ended };

  State feed() {
    while (true) {
      if (spec_.stream->cancelled().stop_requested()) return finish();
      while (!pieces_.empty()) {
        if (!spec_.stream->try_push(pieces_.front())) {
          return spec_.stream->cancelled().stop_requested() ? finish() : State::stalled;
        }
        pieces_.pop_front();
      }
      if (ends_) return finish();
      if (next_initial_ < spec_.initial.size()) {
        add_initial();
        continue;
      }
      if (spec_.initial_end) {
        add_bookmark(*spec_.initial_end, true);
        spec_.initial_end.reset();
        continue;
      }
      const SteadyTime now = hub_.clock.steady();
      if (now >= spec_.until) return finish();
      // Asked first: what happened before it is delivered.
      const bool is_retired = spec_.form->resource().retired.stop_requested();
      if (!add_events()) continue;
      if (is_retired && !spec_.events->may_block()) return finish();
      if (spec_.bookmarks && now >= next_bookmark_) {
        next_bookmark_ = now + bookmark_period;
        schedule();
        add_bookmark(spec_.events->revision(), false);
        continue;
      }
      spec_.events->on_ready([weak = weak_from_this(), this] {
        if (const auto self = weak.lock()) hub_.enqueue(self);
      });
      return State::waiting;
    }
  }

  /// Called when nobody feeds it any more.
  void release() {
    cancelled_.reset();
    retired_.reset();
    if (spec_.events) spec_.events->on_ready({});
    spec_.events.reset();
    spec_.stream->close();
  }

  /// Guarded by the hub's mutex.
  bool queued = false, running = false, needs_run = false;
  std::optional<std::multimap<SteadyTime, std::weak_ptr<Session>>::iterator> time;

 private:
  void schedule() {
    hub_.schedule(spec_.bookmarks ? std::min(next_bookmark_, spec_.until) : spec_.until, shared_from_this());
  }

  State finish() { return State::ended; }

  void add_initial() {
    std::string piece;
    for (; next_initial_ < spec_.initial.size() && piece.size() < piece_bytes; ++next_initial_) {
      const storage::RecordPtr record = std::move(spec_.initial[next_initial_]);
      const auto done = spec_.form->append_initial(piece, *record, std::exchange(first_, false));
      if (!done) return add_error(done.error());
    }
    pieces_.push_back(http::make_bytes(std::move(piece)));
    if (next_initial_ == spec_.initial.size()) {
      spec_.initial.clear();
      spec_.initial.shrink_to_fit();
      next_initial_ = 0;
    }
  }

  /// True where there was nothing.
  bool add_events() {
    const storage::WatchBatch batch = spec_.events->poll(events_at_once);
    for (const storage::EventPtr& event : batch.events) add(*event);
    if (batch.end) {
      ends_ = true;
      if (*batch.end == storage::WatchEnd::compacted) add_error(k8s::answer::expired(batch.reason));
    }
    return batch.events.empty() && !batch.end;
  }

  void add(const storage::Event& event) {
    const bool is = event.type != storage::EventType::deleted && spec_.selection.matches(*event.record);
    const bool was = event.previous != nullptr && spec_.selection.matches(*event.previous);
    if (!is && !was) return;
    const bool first = std::exchange(first_, false);
    const auto frame = [&]() -> k8s::StatusResult<http::Bytes> {
      using Type = k8s::WatchEvent::Type;
      if (is) return spec_.form->frame(event, was ? Type::modified : Type::added, first);
      if (event.type == storage::EventType::deleted) return spec_.form->frame(event, Type::deleted, first);
      return spec_.form->frame_of_leaving(event, first);
    }();
    if (frame) {
      pieces_.push_back(*frame);
    } else {
      add_error(frame.error());
    }
  }

  void add_bookmark(storage::Revision revision, bool ends_initial) {
    std::string line;
    spec_.form->append_bookmark(line, revision, ends_initial, std::exchange(first_, false));
    pieces_.push_back(http::make_bytes(std::move(line)));
  }

  void add_error(const k8s::Status& status) {
    std::string line;
    k8s::append_watch_error(line, status);
    pieces_.push_back(http::make_bytes(std::move(line)));
    ends_ = true;
    next_initial_ = spec_.initial.size();
    spec_.initial_end.reset();
  }

  Implementation& hub_;
  WatchSpec spec_;
  std::deque<http::Bytes> pieces_;
  std::size_t next_initial_ = 0;
  SteadyTime next_bookmark_;
  bool ends_ = false;
  bool first_ = true;  ///< nothing was made for this client
  std::optional<std::stop_callback<std::function<void()>>> cancelled_, retired_;
};

void WatchHub::Implementation::enqueue(const std::shared_ptr<Session>& session) {
  const std::scoped_lock lock(mutex);
  if (session->running) {
    session->needs_run = true;
    return;
  }
  if (session->queued) return;
  session->queued = true;
  ready.push_back(session);
  wake.notify_one();
}

void WatchHub::Implementation::schedule(SteadyTime at, const std::shared_ptr<Session>& session) {
  const std::scoped_lock lock(mutex);
  forget_time(*session);
  const bool is_first = due.empty() || at < due.begin()->first;
  session->time = due.emplace(at, session);
  if (is_first) timer_wait.request_stop();
}

void WatchHub::Implementation::forget_time(Session& session) {
  if (session.time) due.erase(*session.time);
  session.time.reset();
}

void WatchHub::Implementation::end(const std::shared_ptr<Session>& session) {
  session->release();
  const std::scoped_lock lock(mutex);
  forget_time(*session);
  sessions.erase(session);
}

void WatchHub::Implementation::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::shared_ptr<Session> session;
    {
      std::unique_lock lock(mutex);
      const auto has_work = [&] { return !ready.empty(); };
      if (stalled.empty()) {
        wake.wait(lock, stop, has_work);
      } else {
        wake.wait_for(lock, stop, retry_period, has_work);
        for (auto& one : stalled) {
          if (!std::exchange(one->queued, true)) ready.push_back(std::move(one));
        }
        stalled.clear();
      }
      if (ready.empty() || stop.stop_requested()) continue;
      session = std::move(ready.front());
      ready.pop_front();
      session->queued = false;
      session->running = true;
    }
    const Session::State state = session->feed();
    if (state == Session::State::ended) {
      end(session);
      continue;
    }
    const std::scoped_lock lock(mutex);
    session->running = false;
    const bool needs_run = std::exchange(session->needs_run, false);
    if (state == Session::State::stalled) {
      stalled.push_back(std::move(session));
    } else if (needs_run) {
      session->queued = true;
      ready.push_back(std::move(session));
    }
  }
}

void WatchHub::Implementation::run_timer(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<std::shared_ptr<Session>> ripe;
    std::stop_token wait;
    SteadyTime next = clock.steady() + 1h;
    {
      const std::scoped_lock lock(mutex);
      const SteadyTime now = clock.steady();
      while (!due.empty() && due.begin()->first <= now) {
        // A session that has ended has no entry.
        std::shared_ptr<Session> session = due.begin()->second.lock();
        due.erase(due.begin());
        if (session == nullptr) continue;
        session->time.reset();
        ripe.push_back(std::move(session));
      }
      if (!due.empty()) next = due.begin()->first;
      timer_wait = std::stop_source();
      wait = timer_wait.get_token();
      if (stop.stop_requested()) return;
    }
    for (const auto& session : ripe) enqueue(session);
    clock.wait_until(next, wait);
  }
}

WatchHub::WatchHub(Clock& clock) : implementation_(std::make_unique<Implementation>(clock)) {
  Implementation& self = *implementation_;
  self.threads.emplace_back([&self](const std::stop_token& stop) { self.run(stop); });
  self.threads.emplace_back([&self](const std::stop_token& stop) { self.run_timer(stop); });
}

WatchHub::~WatchHub() {
  Implementation& self = *implementation_;
  for (std::jthread& thread : self.threads) thread.request_stop();
  {
    const std::scoped_lock lock(self.mutex);
    self.timer_wait.request_stop();
  }
  self.threads.clear();
  for (const auto& session : std::set(self.sessions)) session->release();
}

void WatchHub::add(WatchSpec spec) {
  Implementation& self = *implementation_;
  auto session = std::make_shared<Session>(self, std::move(spec));
  {
    const std::scoped_lock lock(self.mutex);
    self.sessions.insert(session);
    // Nobody feeds it before it has begun: its client may be gone already.
    session->running = true;
  }
  session->begin();
  {
    const std::scoped_lock lock(self.mutex);
    session->running = session->needs_run = false;
  }
  self.enqueue(session);
}

std::size_t WatchHub::size() const {
  const std::scoped_lock lock(implementation_->mutex);
  return implementation_->sessions.size();
}

std::size_t WatchHub::timers() const {
  const std::scoped_lock lock(implementation_->mutex);
  return implementation_->due.size();
}

}  // namespace fairway::apiserver
