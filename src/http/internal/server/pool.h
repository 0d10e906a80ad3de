// SPDX-License-Identifier: Apache-2.0

// The threads that run blocking handlers: a fixed number that work, levels and flows that wait for them, and
// more threads for those that wait for somebody outside.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/fair_queue.h"
#include "http/flow.h"

namespace fairway::http {

class Pool {
 public:
  /// The way in which a job is called: to run, or to refuse its request.
  enum class Turn : std::uint8_t { run, refuse };
  using Job = std::move_only_function<void(Turn)>;

  /// `levels` must not be empty. A job that has waited for longer than `queue_timeout` is refused; 0: it may
  /// wait without limit.
  Pool(int threads, const std::vector<FlowLevel>& levels, std::chrono::nanoseconds queue_timeout,
       Clock& clock = Clock::system());
  ~Pool() { stop(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  enum class Submitted : std::uint8_t { taken, flow_is_full, level_is_full };
  /// Submits a job, which is dropped and not called unless `taken` is returned. May call another job, on this
  /// thread, to refuse it, if the flow of that one is longer.
  Submitted submit(const Flow& flow, Job job);
  /// Drops waiting jobs, and returns when all running ones have ended.
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
  struct Level {
    FlowLevel options;
    std::size_t threads = 0, threads_of_flow = 0;
    std::size_t running = 0;
    std::uint64_t served = 0, refused_full = 0, refused_late = 0;
    FairQueue<Waiting> waiting;
    /// Running jobs of each flow that has any.
    std::map<std::string, std::size_t, std::less<>> flows;

    std::size_t running_of(std::string_view flow) const;
    bool may_run(std::string_view flow) const { return running_of(flow) < threads_of_flow; }
  };
  /// A job that runs on a thread: the level and flow in which it counts.
  struct Running {
    Level& level;
    std::string flow;
    std::size_t outside_waits = 0;  ///< nested `OutsideWait`s on its thread
  };

  void run();
  /// Refuses jobs that have waited for too long, also while no thread becomes free.
  void refuse_late(const std::stop_token& stop);
  // With the mutex.
  bool is_late(const Waiting& waiting) const;
  /// The first level that has a job for which there is a thread; null: none.
  Level* next_level();
  bool may_pick() { return running_ < most_running_ && next_level() != nullptr; }
  void enter(const Running& job);
  void leave(const Running& job);
  /// Starts a thread. Throws if the system refuses; nothing has changed then.
  void add_thread();
  /// Makes a thread look for a job if there is one that may run. True if a waiting thread is to be notified,
  /// once the mutex is released; otherwise one is on its way already, or a new one was made because too few
  /// can work.
  [[nodiscard]] bool wants_notice();

  const std::size_t most_running_;
  const std::chrono::nanoseconds queue_timeout_;
  Clock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Level> levels_;
  std::size_t running_ = 0;  ///< running jobs, without those in an `OutsideWait`
  std::size_t idle_ = 0;     ///< threads that wait for a turn
  std::size_t coming_ = 0;   ///< idle threads that were notified, or have just begun
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
  std::jthread late_;

  static thread_local Pool* current_;
  static thread_local Running* job_;
};

}  // namespace fairway::http
