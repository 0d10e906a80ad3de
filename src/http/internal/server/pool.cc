// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/pool.h"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>

#include "base/log.h"

namespace fairway::http {

thread_local Pool* Pool::current_ = nullptr;
thread_local Pool::Running* Pool::job_ = nullptr;

namespace {

/// Returns `wanted`, but at most `all`; `all` if it is 0.
std::size_t part_of(std::size_t all, int wanted) {
  return wanted > 0 ? std::min(static_cast<std::size_t>(wanted), all) : all;
}

}  // namespace

Pool::Pool(int threads, const std::vector<FlowLevel>& levels, std::chrono::nanoseconds queue_timeout,
           Clock& clock)
    : most_running_(static_cast<std::size_t>(std::max(threads, 1))),
      queue_timeout_(queue_timeout),
      clock_(clock) {
  for (const FlowLevel& options : levels) {
    Level& level = levels_.emplace_back();
    level.options = options;
    level.threads = part_of(most_running_, options.threads);
    level.threads_of_flow = part_of(level.threads, options.threads_of_flow);
    if (level.options.queue_of_flow == 0) level.options.queue_of_flow = options.queue;
  }
  threads_.reserve(most_running_);
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < most_running_; ++i) add_thread();
  if (queue_timeout_.count() > 0) {
    late_ = std::jthread([this](const std::stop_token& stop) { refuse_late(stop); });
  }
}

std::size_t Pool::Level::running_of(std::string_view flow) const {
  const auto found = flows.find(flow);
  return found == flows.end() ? 0 : found->second;
}

void Pool::add_thread() {
  threads_.emplace_back([this] { run(); });
  // It counts as idle before it runs, so that not two are made for one job; it needs the mutex to run.
  ++idle_;
  ++coming_;
}

Pool::Level* Pool::next_level() {
  const auto has_turn = [](const Level& level) {
    return level.running < level.threads &&
           level.waiting.has([&](const std::string& flow, const Waiting&) { return level.may_run(flow); });
  };
  const auto found = std::ranges::find_if(levels_, has_turn);
  return found == levels_.end() ? nullptr : &*found;
}

void Pool::enter(const Running& job) {
  ++running_;
  ++job.level.running;
  ++job.level.flows[job.flow];
}

void Pool::leave(const Running& job) {
  --running_;
  --job.level.running;
  const auto flow = job.level.flows.find(job.flow);
  if (--flow->second == 0) job.level.flows.erase(flow);
}

bool Pool::wants_notice() {
  if (!may_pick()) return false;
  if (idle_ == 0) {
    try {
      add_thread();
    } catch (const std::exception& fault) {
      log::warning("no thread could be made in place of one that waits for somebody else",
                   {{"why", std::string(fault.what())}});
    }
    return false;
  }
  if (coming_ == idle_) return false;
  ++coming_;
  return true;
}

Pool::Submitted Pool::submit(const Flow& flow, Job job) {
  Waiting displaced;
  bool notice = false;
  {
    const std::scoped_lock lock(mutex_);
    Level& level = levels_[std::min(flow.level, levels_.size() - 1)];
    if (stopping_) return Submitted::level_is_full;
    // A job that a free thread will take at once does not wait.
    const auto free_of = [](std::size_t all, std::size_t used) { return all - std::min(used, all); };
    const std::size_t free =
        std::min(free_of(most_running_, running_), free_of(level.threads, level.running));
    const std::size_t own = level.waiting.size_of(flow.key);
    const std::size_t own_free = free_of(level.threads_of_flow, level.running_of(flow.key));
    if (own >= level.options.queue_of_flow + std::min(free, own_free)) {
      ++level.refused_full;
      return Submitted::flow_is_full;
    }
    if (level.waiting.size() >= level.options.queue + free) {
      ++level.refused_full;
      if (level.waiting.most_of_a_flow() <= own + 1) return Submitted::level_is_full;
      displaced = level.waiting.pop_newest_of_longest();
    }
    level.waiting.push(flow.key, {std::move(job), clock_.steady()});
    notice = wants_notice();
  }
  // Not with the mutex: who is notified would only wait for it.
  if (notice) changed_.notify_one();
  if (displaced.job) displaced.job(Turn::refuse);
  return Submitted::taken;
}

bool Pool::is_late(const Waiting& waiting) const {
  return queue_timeout_.count() > 0 && clock_.steady() - waiting.since > queue_timeout_;
}

void Pool::run() {
  current_ = this;
  std::unique_lock lock(mutex_);
  // A thread that woke by itself may have counted for another: at worst somebody is notified in vain.
  const auto come = [this] { coming_ -= std::min<std::size_t>(coming_, 1); };
  come();
  while (true) {
    while (!stopping_ && !may_pick()) {
      // Whoever comes finds nothing either. A notice that was lost holds up nobody longer than until here.
      coming_ = 0;
      changed_.wait(lock);
      come();
    }
    --idle_;
    if (stopping_) return;
    Level& level = *next_level();
    auto picked =
        level.waiting.pop([&](const std::string& flow, const Waiting&) { return level.may_run(flow); });
    auto& [flow, waiting] = *picked;
    Running job{.level = level, .flow = std::move(flow)};
    enter(job);
    const bool late = is_late(waiting);
    ++(late ? level.refused_late : level.served);
    job_ = &job;
    // Whoever takes a turn sees to the next one, unless somebody comes who will.
    const bool notice = coming_ == 0 && wants_notice();
    lock.unlock();
    if (notice) changed_.notify_one();
    waiting.job(late ? Turn::refuse : Turn::run);
    waiting.job = nullptr;
    lock.lock();
    job_ = nullptr;
    leave(job);
    ++idle_;
  }
}

void Pool::refuse_late(const std::stop_token& stop) {
  std::vector<Waiting> late;
  while (!stop.stop_requested()) {
    SteadyTime oldest = clock_.steady();
    {
      const std::scoped_lock lock(mutex_);
      for (Level& level : levels_) {
        const auto of_level = [this](const std::string&, const Waiting& waiting) { return is_late(waiting); };
        while (auto taken = level.waiting.withdraw(of_level)) {
          ++level.refused_late;
          late.push_back(std::move(taken->second));
        }
        level.waiting.for_each_first(
            [&](const std::string&, const Waiting& waiting) { oldest = std::min(oldest, waiting.since); });
      }
    }
    for (Waiting& waiting : late) waiting.job(Turn::refuse);
    late.clear();
    // Whoever comes meanwhile is late after it.
    clock_.wait_until(oldest + queue_timeout_ + std::chrono::milliseconds(1), stop);
  }
}

void Pool::begin_outside_wait() {
  if (current_ == nullptr || job_ == nullptr || ++job_->outside_waits > 1) return;
  std::unique_lock lock(current_->mutex_);
  current_->leave(*job_);
  const bool notice = !current_->stopping_ && current_->wants_notice();
  lock.unlock();
  if (notice) current_->changed_.notify_one();
}

void Pool::end_outside_wait() {
  if (current_ == nullptr || job_ == nullptr || --job_->outside_waits > 0) return;
  const std::scoped_lock lock(current_->mutex_);
  // For a moment there may be one more than there should.
  current_->enter(*job_);
}

std::vector<FlowCounts> Pool::counts() const {
  const std::scoped_lock lock(mutex_);
  std::vector<FlowCounts> counts;
  for (const Level& level : levels_) {
    counts.push_back({.level = level.options.name,
                      .running = level.running,
                      .waiting = level.waiting.size(),
                      .served = level.served,
                      .refused_full = level.refused_full,
                      .refused_late = level.refused_late});
  }
  return counts;
}

void Pool::stop() {
  late_ = {};
  std::vector<FairQueue<Waiting>> dropped;
  std::vector<std::jthread> threads;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    for (Level& level : levels_) dropped.push_back(std::exchange(level.waiting, {}));
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
