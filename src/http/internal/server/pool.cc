#include "http/internal/server/pool.h"

#include <algorithm>

namespace fairway::http {

Pool::Pool(int threads, std::size_t queue)
    : limit_(queue), free_threads_(static_cast<std::size_t>(std::max(threads, 1))) {
  threads_.reserve(free_threads_);
  for (std::size_t i = 0; i < free_threads_; ++i) threads_.emplace_back([this] { run(); });
}

bool Pool::submit(Job job) {
  {
    const std::scoped_lock lock(mutex_);
    // A job that a free thread will take at once does not wait.
    if (stopping_ || waiting_.size() >= limit_ + free_threads_) return false;
    waiting_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

void Pool::stop() {
  std::deque<Job> dropped;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    dropped.swap(waiting_);
  }
  changed_.notify_all();
  threads_.clear();
}

void Pool::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    --free_threads_;
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
    ++free_threads_;
  }
}

}  // namespace fairway::http
