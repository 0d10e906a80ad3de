// SPDX-License-Identifier: Apache-2.0

// One thread's loop over epoll: sockets that became ready, and work that other threads hand in. It is used
// directly because a request then costs one wait, one read and one write, with nothing allocated.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace fairway::http {

/// Notified when its socket becomes ready.
class Ready {
 public:
  /// `events` are epoll's.
  virtual void on_ready(std::uint32_t events) = 0;

 protected:
  ~Ready() = default;
};

class EventLoop {
 public:
  using Task = std::move_only_function<void()>;

  static Result<std::unique_ptr<EventLoop>> create();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  /// Watches a descriptor; the target must live until `remove`, and to the end of the batch in which that
  /// happens.
  bool add(int fd, std::uint32_t events, Ready& target);
  void remove(int fd);

  /// Runs `task` on the loop's thread. Safe from all threads; after `stop` tasks are dropped with the loop.
  void post(Task task);
  /// Runs until `stop`. After each batch of events `after_batch` is called and says when to wake at the
  /// latest.
  void run(const std::function<SteadyTime()>& after_batch);
  /// Ends `run`. Safe from all threads.
  void stop();
  /// The time at which this batch of events began.
  SteadyTime now() const { return now_; }

 private:
  EventLoop(int epoll, int wakeup) : epoll_(epoll), wakeup_(wakeup) {}
  void run_tasks();

  int epoll_;
  int wakeup_;
  SteadyTime now_;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::vector<Task> tasks_;
  std::vector<Task> running_;
};

}  // namespace fairway::http
