// The threads that run blocking handlers: a fixed number that work, levels and flows that wait for them, and
// more threads for those that wait for somebody outside.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "http/flow.h"

namespace fairway::http {

class Pool {
 public:
  /// What becomes of a job: it is to run, or to refuse what it was for.
  enum class Turn : std::uint8_t { run, refuse };
  using Job = std::move_only_function<void(Turn)>;

  /// `levels` is not empty. A job that has waited for longer than `queue_timeout` is refused when its turn
  /// comes; 0: it may wait for any time.
  Pool(int threads, const std::vector<FlowLevel>& levels, std::chrono::nanoseconds queue_timeout,
       const Clock& clock = Clock::system());
  ~Pool() { stop(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  enum class Submitted : std::uint8_t { taken, flow_is_full, level_is_full };
  /// Unless it is taken the job was dropped: it is not called. May call another one, on this thread, to
  /// refuse it, where that one's flow is longer.
  Submitted submit(const Flow& flow, Job job);
  /// Drops what waits, and returns when all jobs that run have ended.
  void stop();
  std::vector<FlowCounts> counts() const;

  // For the job that runs on this thread (`OutsideWait`).
  static void begin_outside_wait();
  static void end_outside_wait();

 private:
  struct Waiting {
    Job job;
    SteadyTime since;
  };
  struct QueueOfFlow {
    std::string key;
    std::deque<Waiting> jobs;
  };
  struct Level {
    FlowLevel options;
    std::size_t threads = 0;
    std::size_t running = 0, waiting = 0;
    std::uint64_t served = 0, refused_full = 0, refused_late = 0;
    /// Those that have jobs, the next one first.
    std::list<QueueOfFlow> turns;
    std::map<std::string, std::list<QueueOfFlow>::iterator, std::less<>> flows;
  };
  struct Picked {
    Level* level = nullptr;
    Waiting waiting;
  };

  void run();
  // With the mutex.
  bool has_turn(const Level& level) const { return level.waiting > 0 && level.running < level.threads; }
  bool may_pick() const;
  Picked pick();
  Waiting take(Level& level, std::list<QueueOfFlow>::iterator flow, bool newest);
  std::list<QueueOfFlow>::iterator longest(Level& level);
  void add_thread();
  /// Has somebody look for a turn: a thread that waits for one, or a new one where too few can work.
  void wake();

  const std::size_t most_running_;
  const std::chrono::nanoseconds queue_timeout_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Level> levels_;
  std::size_t running_ = 0;  ///< jobs that run, those apart that wait for somebody outside
  std::size_t idle_ = 0;     ///< threads that wait for a turn
  bool stopping_ = false;
  std::vector<std::jthread> threads_;

  static thread_local Pool* current_;
  static thread_local Level* level_;
};

}  // namespace fairway::http
