// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/probes/probe_runner.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/parallel.h"

namespace fairway::gateway {

ProbeRunner::ProbeRunner(Send send, std::function<void()> on_change, Clock& clock,
                         const ProbeSchedule& schedule)
    : send_(std::move(send)),
      on_change_(std::move(on_change)),
      clock_(clock),
      schedule_(schedule),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

ProbeRunner::~ProbeRunner() = default;

void ProbeRunner::want(const std::set<Probe>& probes) {
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(states_, [&](const auto& entry) { return !probes.contains(entry.first); });
    const std::size_t kept = states_.size();
    for (const Probe& probe : probes) states_.try_emplace(probe, State{.due = clock_.steady()});
    if (states_.size() == kept) return;
    is_changed_ = true;
  }
  changed_.notify_all();
}

std::optional<Result<void>> ProbeRunner::answer(const Probe& probe) const {
  const std::scoped_lock lock(mutex_);
  const auto found = states_.find(probe);
  return found != states_.end() ? found->second.answer : std::nullopt;
}

std::vector<Probe> ProbeRunner::due_now(SteadyTime now, SteadyTime& next) const {
  std::vector<Probe> due;
  next = SteadyTime::max();
  for (const auto& [probe, state] : states_) {
    if (state.due <= now) {
      due.push_back(probe);
    } else {
      next = std::min(next, state.due);
    }
  }
  return due;
}

bool ProbeRunner::record(const Probe& probe, const Result<void>& result) {
  const std::scoped_lock lock(mutex_);
  const auto found = states_.find(probe);
  if (found == states_.end()) return false;
  State& state = found->second;
  const SteadyTime now = clock_.steady();
  if (result) {
    const bool is_new = !state.answer || !*state.answer;
    state = {.due = now + schedule_.again, .answer = Result<void>()};
    return is_new;
  }
  ++state.failures;
  state.due = now + schedule_.backoff.pause(state.failures);
  if (state.failures >= schedule_.failures) {
    // The first words stay: others would be another status each.
    if (state.answer) return false;
    state.answer = result;
    return true;
  }
  // It did flow, and nobody knows whether it does.
  const bool did_flow = state.answer && *state.answer;
  if (did_flow) state.answer.reset();
  return did_flow;
}

void ProbeRunner::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    SteadyTime next;
    is_changed_ = false;
    const std::vector<Probe> due = due_now(clock_.steady(), next);
    if (due.empty()) {
      changed_.wait(lock, clock_, {.deadline = next, .stop = stop}, [&] { return is_changed_; });
      continue;
    }
    lock.unlock();
    const Clock& machine = Clock::system();
    parallel_for(due.size(), schedule_.threads, {.stop = stop}, machine, [&](std::size_t i) {
      // A result does not wait for the others.
      if (record(due[i], send_(due[i], Limits::within(machine, schedule_.limit, stop))) && on_change_)
        on_change_();
    });
    lock.lock();
  }
}

}  // namespace fairway::gateway
