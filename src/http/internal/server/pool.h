// The threads that run blocking handlers: a fixed number, and a queue that refuses when it is full.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fairway::http {

class Pool {
 public:
  using Job = std::move_only_function<void()>;

  Pool(int threads, std::size_t queue);
  ~Pool() { stop(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// False where the queue is full or the pool stops; the job was dropped then.
  bool submit(Job job);
  /// Drops what waits, and returns when all jobs that run have ended.
  void stop();

 private:
  void run();

  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::size_t free_threads_;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace fairway::http
