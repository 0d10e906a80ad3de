#include "http/internal/server/pool.h"

#include <algorithm>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/log.h"

namespace fairway::http {

thread_local Pool* Pool::current_ = nullptr;
thread_local Pool::Level* Pool::level_ = nullptr;

Pool::Pool(int threads, const std::vector<FlowLevel>& levels, std::chrono::nanoseconds queue_timeout,
           const Clock& clock)
    : most_running_(static_cast<std::size_t>(std::max(threads, 1))),
      queue_timeout_(queue_timeout),
      clock_(clock) {
  for (const FlowLevel& options : levels) {
    Level level;
    level.options = options;
    level.threads = options.threads > 0 ? std::min(static_cast<std::size_t>(options.threads), most_running_)
                                        : most_running_;
    if (level.options.queue_of_flow == 0) level.options.queue_of_flow = options.queue;
    levels_.push_back(std::move(level));
  }
  threads_.reserve(most_running_);
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < most_running_; ++i) add_thread();
}

void Pool::add_thread() {
  // It counts as idle before it runs, so that not two are made for one job.
  ++idle_;
  threads_.emplace_back([this] { run(); });
}

bool Pool::may_pick() const {
  return running_ < most_running_ &&
         std::ranges::any_of(levels_, [this](const Level& level) { return has_turn(level); });
}

void Pool::wake() {
  if (!may_pick()) return;
  if (idle_ == 0) {
    try {
      add_thread();
    } catch (const std::system_error& fault) {
      --idle_;
      log::warning("no thread could be made in place of one that waits for somebody else",
                   {{"why", std::string(fault.what())}});
    }
    return;
  }
  changed_.notify_one();
}

Pool::Waiting Pool::take(Level& level, std::list<QueueOfFlow>::iterator flow, bool newest) {
  Waiting taken = std::move(newest ? flow->jobs.back() : flow->jobs.front());
  if (newest) {
    flow->jobs.pop_back();
  } else {
    flow->jobs.pop_front();
  }
  --level.waiting;
  if (flow->jobs.empty()) {
    level.flows.erase(flow->key);
    level.turns.erase(flow);
  } else if (!newest) {
    level.turns.splice(level.turns.end(), level.turns, flow);
  }
  return taken;
}

std::list<Pool::QueueOfFlow>::iterator Pool::longest(Level& level) {
  return std::ranges::max_element(level.turns, {}, [](const QueueOfFlow& flow) { return flow.jobs.size(); });
}

Pool::Submitted Pool::submit(const Flow& flow, Job job) {
  Waiting displaced;
  {
    const std::scoped_lock lock(mutex_);
    Level& level = levels_[std::min(flow.level, levels_.size() - 1)];
    if (stopping_) return Submitted::level_is_full;
    // A job that a free thread will take at once does not wait.
    const std::size_t free = std::min(most_running_ - std::min(running_, most_running_),
                                      level.threads - std::min(level.running, level.threads));
    auto found = level.flows.find(flow.key);
    const std::size_t own = found == level.flows.end() ? 0 : found->second->jobs.size();
    if (own >= level.options.queue_of_flow + free) {
      ++level.refused_full;
      return Submitted::flow_is_full;
    }
    if (level.waiting >= level.options.queue + free) {
      ++level.refused_full;
      const auto most = longest(level);
      if (most == level.turns.end() || most->jobs.size() <= own + 1) return Submitted::level_is_full;
      displaced = take(level, most, true);
    }
    if (found == level.flows.end()) {
      level.turns.push_back({flow.key, {}});
      found = level.flows.emplace(flow.key, std::prev(level.turns.end())).first;
    }
    found->second->jobs.push_back({std::move(job), clock_.steady()});
    ++level.waiting;
    wake();
  }
  if (displaced.job) displaced.job(Turn::refuse);
  return Submitted::taken;
}

Pool::Picked Pool::pick() {
  for (Level& level : levels_) {
    if (!has_turn(level)) continue;
    ++level.running;
    ++running_;
    return {&level, take(level, level.turns.begin(), false)};
  }
  return {};
}

void Pool::run() {
  current_ = this;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || may_pick(); });
    --idle_;
    if (stopping_) return;
    Picked picked = pick();
    const bool late = queue_timeout_.count() > 0 && clock_.steady() - picked.waiting.since > queue_timeout_;
    ++(late ? picked.level->refused_late : picked.level->served);
    level_ = picked.level;
    // Whoever takes a turn sees to the next one.
    wake();
    lock.unlock();
    picked.waiting.job(late ? Turn::refuse : Turn::run);
    picked.waiting.job = nullptr;
    lock.lock();
    level_ = nullptr;
    --picked.level->running;
    --running_;
    ++idle_;
  }
}

void Pool::begin_outside_wait() {
  if (current_ == nullptr || level_ == nullptr) return;
  const std::scoped_lock lock(current_->mutex_);
  --level_->running;
  --current_->running_;
  if (!current_->stopping_) current_->wake();
}

void Pool::end_outside_wait() {
  if (current_ == nullptr || level_ == nullptr) return;
  const std::scoped_lock lock(current_->mutex_);
  // For a moment there may be one more than there should.
  ++level_->running;
  ++current_->running_;
}

std::vector<FlowCounts> Pool::counts() const {
  const std::scoped_lock lock(mutex_);
  std::vector<FlowCounts> counts;
  for (const Level& level : levels_) {
    counts.push_back({.level = level.options.name,
                      .running = level.running,
                      .waiting = level.waiting,
                      .served = level.served,
                      .refused_full = level.refused_full,
                      .refused_late = level.refused_late});
  }
  return counts;
}

void Pool::stop() {
  std::vector<Level> dropped;
  std::vector<std::jthread> threads;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    for (Level& level : levels_) {
      level.flows.clear();
      dropped.emplace_back().turns.swap(level.turns);
      level.waiting = 0;
    }
    threads.swap(threads_);
  }
  changed_.notify_all();
  threads.clear();
}

OutsideWait::OutsideWait() {
  Pool::begin_outside_wait();
}

OutsideWait::~OutsideWait() {
  Pool::end_outside_wait();
}

}  // namespace fairway::http
