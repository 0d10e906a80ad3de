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

#include "apiserver/flow/internal/caller.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver {
namespace {

using namespace std::chrono_literals;

constexpr auto bookmark_period = 60s;
/// Initial objects are sent in pieces of about this size, and events are taken together until they have it.
constexpr std::size_t piece_bytes = 256 << 10;
constexpr std::size_t most_events_at_once = 256;
/// How long initial objects are kept for a client that takes none of them; then they are read again, page by
/// page, as it goes on.
constexpr auto patience = 1s;
constexpr std::size_t page_size = 20;
/// Threads for watches whose objects a webhook converts, each for another resource at a time.
constexpr std::size_t most_slow_threads = 16;

}  // namespace

struct WatchHub::Implementation {
  explicit Implementation(Clock& clock_of_server) : clock(clock_of_server) {}

  /// Sessions that have something to do, and the threads that feed them.
  struct Lane {
    std::deque<std::shared_ptr<Session>> ready;
    std::condition_variable_any wake;
    /// Resources whose sessions are being fed, where one has one thread.
    std::set<const void*> busy;
    std::size_t threads = 0, idle = 0;
  };

  void enqueue(const std::shared_ptr<Session>& session);
  void schedule(SteadyTime at, const std::shared_ptr<Session>& session);
  /// The same with the mutex.
  void set_time(SteadyTime at, const std::shared_ptr<Session>& session);
  void run(Lane& lane, const std::stop_token& stop);
  void run_timer(const std::stop_token& stop);
  void end(const std::shared_ptr<Session>& session);
  // With the mutex.
  void forget_time(Session& session);
  void push(const std::shared_ptr<Session>& session);
  /// Has a thread look for a session: a new one, where those there are may all wait for webhooks.
  void wake(Lane& lane);
  /// The first one that may be fed now; null: none.
  std::shared_ptr<Session> pick(Lane& lane);

  Clock& clock;
  mutable std::mutex mutex;
  Lane quick, slow;
  std::set<std::shared_ptr<Session>> sessions;
  /// Bookmarks and ends: one entry for each session.
  std::multimap<SteadyTime, std::weak_ptr<Session>> due;
  std::stop_source timer_wait;
  bool stopping = false;
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

  enum class State { waiting, ended };

  State feed() {
    while (true) {
      if (spec_.stream->cancelled().stop_requested()) return State::ended;
      if (!push_pieces()) return stall();
      if (ends_) return State::ended;
      // Nothing is made for a client that has not taken the last.
      if (!spec_.stream->has_room()) return stall();
      stalled_since_.reset();
      if (has_initial()) {
        add_initial();
        continue;
      }
      if (spec_.initial_end) {
        add_bookmark(*spec_.initial_end, true);
        spec_.initial_end.reset();
        continue;
      }
      const SteadyTime now = hub_.clock.steady();
      if (now >= spec_.until) return State::ended;
      // Asked first: what happened before it is delivered.
      const bool is_retired = spec_.form->resource().retired.stop_requested();
      if (!add_events()) continue;
      if (is_retired && !spec_.events->may_block()) return State::ended;
      if (spec_.bookmarks && now >= next_bookmark_) {
        next_bookmark_ = now + bookmark_period;
        schedule();
        add_bookmark(spec_.events->revision(), false);
        continue;
      }
      spec_.events->on_ready(waker());
      return State::waiting;
    }
  }

  /// Called when nobody feeds it any more.
  void release() {
    cancelled_.reset();
    retired_.reset();
    if (spec_.events) spec_.events->on_ready({});
    spec_.stream->on_room({});
    spec_.events.reset();
    spec_.stream->close();
  }

  /// Whether its objects come from a webhook, so that feeding it may take long.
  bool is_slow() const { return spec_.form->resource().strategy->converts_by_webhook(); }
  /// Of what a webhook is asked once at a time.
  const void* resource() const { return spec_.form->resource().strategy.get(); }

  /// When it has something to do by itself. For whoever feeds it.
  SteadyTime next_time() const {
    SteadyTime at = spec_.until;
    // One that has no room for a bookmark goes on when it has room.
    if (spec_.bookmarks && !stalled_since_) at = std::min(at, next_bookmark_);
    if (stalled_since_ && may_release()) at = std::min(at, *stalled_since_ + patience);
    return at;
  }

  /// Guarded by the hub's mutex.
  bool queued = false, running = false, needs_run = false;
  std::optional<std::multimap<SteadyTime, std::weak_ptr<Session>>::iterator> time;

 private:
  void schedule() { hub_.schedule(next_time(), shared_from_this()); }

  std::function<void()> waker() {
    return [weak = weak_from_this(), this] {
      if (const auto self = weak.lock()) hub_.enqueue(self);
    };
  }

  bool push_pieces() {
    while (next_piece_ < pieces_.size()) {
      if (!spec_.stream->try_push(pieces_[next_piece_])) return false;
      pieces_[next_piece_++].reset();
      stalled_since_.reset();
    }
    pieces_.clear();
    next_piece_ = 0;
    return true;
  }

  /// Waits until the client has taken something, or for its end.
  State stall() {
    if (spec_.stream->cancelled().stop_requested()) return State::ended;
    const SteadyTime now = hub_.clock.steady();
    if (now >= spec_.until) return State::ended;
    if (!stalled_since_) {
      stalled_since_ = now;
      if (may_release()) schedule();
    } else if (may_release() && now >= *stalled_since_ + patience) {
      release_initial();
      schedule();
    }
    spec_.stream->on_room(waker());
    return State::waiting;
  }

  bool holds_initial() const { return next_initial_ < spec_.initial.size(); }
  bool may_release() const { return holds_initial() && spec_.storage != nullptr; }
  bool has_initial() const { return holds_initial() || rereads_; }

  /// They would be kept as they were for as long as the client likes.
  void release_initial() {
    rereads_ = true;
    spec_.initial = {};
    next_initial_ = 0;
  }

  /// The next page of what the client has not taken.
  bool reread_initial() {
    spec_.initial_query.after = last_initial_;
    spec_.initial_query.limit = page_size;
    auto page = spec_.storage->list(spec_.initial_query);
    if (!page) {
      if (page.error().kind == storage::ReadError::Kind::compacted) {
        add_error(k8s::answer::expired("the initial objects are too old: they were not read in time"));
      } else {
        add_error(k8s::answer::internal_error(page.error().error.message));
      }
      return false;
    }
    rereads_ = page->remaining > 0 && !page->records.empty();
    // The last ones may not be selected.
    page_end_ = page->records.empty() ? last_initial_ : page->records.back()->path();
    std::erase_if(page->records, [&](const auto& record) { return !spec_.selection.matches(*record); });
    spec_.initial = std::move(page->records);
    next_initial_ = 0;
    if (spec_.initial.empty()) last_initial_ = page_end_;
    return true;
  }

  void add_initial() {
    if (!holds_initial() && !reread_initial()) return;
    std::string lines;
    std::size_t bytes = 0;
    for (; holds_initial() && bytes + lines.size() < piece_bytes; ++next_initial_) {
      const storage::RecordPtr record = std::move(spec_.initial[next_initial_]);
      const std::size_t before = pieces_.size();
      const auto done = spec_.form->append_initial(pieces_, lines, record, std::exchange(first_, false));
      if (!done) return add_error(done.error());
      for (std::size_t i = before; i < pieces_.size(); ++i) bytes += pieces_[i]->size();
      last_initial_ = record->path();
    }
    if (!lines.empty()) pieces_.push_back(http::make_bytes(std::move(lines)));
    if (!holds_initial()) {
      spec_.initial = {};
      next_initial_ = 0;
      if (!page_end_.empty()) last_initial_ = page_end_;
    }
  }

  /// True where there was nothing.
  bool add_events() {
    const storage::WatchBatch batch = spec_.events->poll(events_at_once_);
    for (const storage::EventPtr& event : batch.events) add(*event);
    if (!batch.events.empty()) {
      std::size_t bytes = 1;
      for (const http::Bytes& piece : pieces_) bytes += piece->size();
      events_at_once_ =
          std::clamp<std::size_t>(piece_bytes * batch.events.size() / bytes, 1, most_events_at_once);
    }
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
    const auto done = [&]() -> k8s::StatusResult<void> {
      using Type = k8s::WatchEvent::Type;
      if (is) return spec_.form->append_frame(pieces_, event, was ? Type::modified : Type::added, first);
      if (event.type == storage::EventType::deleted) {
        return spec_.form->append_frame(pieces_, event, Type::deleted, first);
      }
      auto frame = spec_.form->frame_of_leaving(event, first);
      if (!frame) return std::unexpected(frame.error());
      pieces_.push_back(*std::move(frame));
      return {};
    }();
    if (!done) add_error(done.error());
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
    rereads_ = false;
    spec_.initial_end.reset();
  }

  Implementation& hub_;
  WatchSpec spec_;
  /// What waits for room, from `next_piece_` on.
  std::vector<http::Bytes> pieces_;
  std::size_t next_piece_ = 0;
  std::size_t next_initial_ = 0;
  /// The path of the last initial object that was made; and of the last one of its page, if it was read
  /// again.
  std::string last_initial_, page_end_;
  bool rereads_ = false;  ///< there are more initial objects than `spec_.initial` has
  /// As many as have about `piece_bytes`, by the last ones.
  std::size_t events_at_once_ = 16;
  std::optional<SteadyTime> stalled_since_;
  SteadyTime next_bookmark_;
  bool ends_ = false;
  bool first_ = true;  ///< nothing was made for this client
  std::optional<std::stop_callback<std::function<void()>>> cancelled_, retired_;
};

void WatchHub::Implementation::push(const std::shared_ptr<Session>& session) {
  if (std::exchange(session->queued, true)) return;
  Lane& lane = session->is_slow() ? slow : quick;
  lane.ready.push_back(session);
  wake(lane);
}

void WatchHub::Implementation::wake(Lane& lane) {
  if (&lane == &slow && lane.idle == 0 && lane.threads < most_slow_threads && !stopping) {
    ++lane.threads;
    threads.emplace_back([this](const std::stop_token& stop) { run(slow, stop); });
    return;
  }
  lane.wake.notify_one();
}

void WatchHub::Implementation::enqueue(const std::shared_ptr<Session>& session) {
  const std::scoped_lock lock(mutex);
  if (session->running) {
    session->needs_run = true;
    return;
  }
  push(session);
}

void WatchHub::Implementation::schedule(SteadyTime at, const std::shared_ptr<Session>& session) {
  const std::scoped_lock lock(mutex);
  set_time(at, session);
}

void WatchHub::Implementation::set_time(SteadyTime at, const std::shared_ptr<Session>& session) {
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

std::shared_ptr<WatchHub::Session> WatchHub::Implementation::pick(Lane& lane) {
  const auto may_be_fed = [&](const std::shared_ptr<Session>& session) {
    return &lane == &quick || !lane.busy.contains(session->resource());
  };
  const auto found = std::ranges::find_if(lane.ready, may_be_fed);
  if (found == lane.ready.end()) return nullptr;
  std::shared_ptr<Session> session = std::move(*found);
  lane.ready.erase(found);
  session->queued = false;
  session->running = true;
  if (&lane == &slow) lane.busy.insert(session->resource());
  return session;
}

void WatchHub::Implementation::run(Lane& lane, const std::stop_token& stop) {
  // What a webhook is asked for a watch ends with the hub; such threads are few, and take no place.
  const flow::Caller caller{.user = "", .namespace_name = "", .takes_place = false, .cancelled = stop};
  const flow::CallerScope scope(caller);
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    std::shared_ptr<Session> session;
    ++lane.idle;
    lane.wake.wait(lock, stop, [&] { return (session = pick(lane)) != nullptr; });
    --lane.idle;
    if (session == nullptr) continue;
    if (!lane.ready.empty()) wake(lane);
    lock.unlock();
    const Session::State state = session->feed();
    if (state == Session::State::ended) end(session);
    lock.lock();
    if (&lane == &slow) lane.busy.erase(session->resource());
    // Its time may have come while it had something else to do, or nothing.
    if (state != Session::State::ended && !session->time) set_time(session->next_time(), session);
    session->running = false;
    const bool needs_run = std::exchange(session->needs_run, false);
    if (state != Session::State::ended && needs_run) push(session);
    // Sessions of this resource have waited for it.
    if (&lane == &slow && !lane.ready.empty()) lane.wake.notify_one();
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
  self.threads.emplace_back([&self](const std::stop_token& stop) { self.run(self.quick, stop); });
  self.threads.emplace_back([&self](const std::stop_token& stop) { self.run_timer(stop); });
}

WatchHub::~WatchHub() {
  Implementation& self = *implementation_;
  std::vector<std::jthread> threads;
  {
    const std::scoped_lock lock(self.mutex);
    self.stopping = true;
    threads.swap(self.threads);
  }
  for (std::jthread& thread : threads) thread.request_stop();
  {
    const std::scoped_lock lock(self.mutex);
    self.timer_wait.request_stop();
  }
  threads.clear();
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
