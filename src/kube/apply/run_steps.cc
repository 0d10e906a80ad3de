// SPDX-License-Identifier: Apache-2.0

#include "kube/apply/run_steps.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include "base/parallel.h"
#include "base/timed_condition.h"
#include "kube/internal/apply/step_graph.h"

namespace fairway::kube {

namespace {

using Outcome = StepResult::Outcome;

Result<void> run(const Step& step, const Limits& limits) {
  if (!step.run) return {};
  try {
    return step.run(limits);
  } catch (const std::exception& exception) {
    return fail(ErrorCode::internal, std::string("an exception: ") + exception.what());
  } catch (...) {
    return fail(ErrorCode::internal, "an exception");
  }
}

/// State of one run, shared by its threads.
class Run {
 public:
  Run(const std::vector<Step>& steps, const RunStepsOptions& options, StepGraph graph, Clock& clock,
      const Limits& limits)
      : steps_(steps), options_(options), clock_(clock), limits_(limits), graph_(std::move(graph)) {
    for (const Step& step : steps) report_.steps.emplace_back().name = step.name;
  }

  /// Runs steps, one after the other, until none is left for this thread. It continues with the successor of
  /// its own step without waking the waiting threads: most steps have one successor, and a thread that is
  /// woken in vain takes the processor from the server that the steps write to.
  void run_some() {
    std::unique_lock lock(mutex_);
    while (const auto step = next(lock)) {
      StepResult& result = report_.steps[*step];
      result.started = clock_.now();
      const SteadyTime began = clock_.steady();
      tell(StepProgress::Event::started, result);
      lock.unlock();
      auto outcome = run(steps_[*step], limits_);
      lock.lock();
      result.took = clock_.steady() - began;
      end(*step, std::move(outcome));
      if (waiting_ > 0 && (graph_.ready() > 1 || is_over())) changed_.notify_all();
    }
  }

  StepsReport finish() {
    if (report_.count(Outcome::not_started) > 0 && !stopped_) {
      report_.ended = limits_.stop.stop_requested()
                          ? Error{ErrorCode::cancelled, "stopped"}
                          : Error{ErrorCode::deadline_exceeded, "the deadline has passed"};
    }
    return std::move(report_);
  }

 private:
  bool is_over() const { return stopped_ || graph_.is_over(); }

  /// Waits for a step that can start. std::nullopt: there will be none, or the limits have expired.
  std::optional<std::size_t> next(std::unique_lock<std::mutex>& lock) {
    std::optional<std::size_t> step;
    const auto can_decide = [&] {
      if (is_over() || limits_.expired(clock_)) return true;
      step = graph_.start();
      return step.has_value();
    };
    ++waiting_;
    const bool decided = changed_.wait(lock, clock_, limits_, can_decide);
    --waiting_;
    return decided ? step : std::nullopt;
  }

  void end(std::size_t step, Result<void> outcome) {
    StepResult& result = report_.steps[step];
    if (outcome) {
      graph_.mark_done(step);
      result.outcome = Outcome::done;
      tell(StepProgress::Event::ended, result);
      return;
    }
    result.outcome = Outcome::failed;
    result.error = std::move(outcome.error());
    const auto skipped = graph_.mark_failed(step);
    stopped_ = stopped_ || options_.on_failure == RunStepsOptions::OnFailure::stop;
    tell(StepProgress::Event::ended, result);
    for (const std::size_t other : skipped) {
      report_.steps[other].outcome = Outcome::skipped;
      report_.steps[other].blocked_by = result.name;
      tell(StepProgress::Event::skipped, report_.steps[other]);
    }
  }

  void tell(StepProgress::Event event, const StepResult& step) const {
    if (!options_.on_progress) return;
    StepProgress progress{event, step, report_.count(Outcome::done), steps_.size(), {}};
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (graph_.state(i) == StepGraph::State::running) progress.running.push_back(steps_[i].name);
    }
    options_.on_progress(progress);
  }

  const std::vector<Step>& steps_;
  const RunStepsOptions& options_;
  Clock& clock_;
  const Limits& limits_;
  std::mutex mutex_;
  TimedCondition changed_;
  StepGraph graph_;
  StepsReport report_;
  bool stopped_ = false;     ///< true after a failure, with `OnFailure::stop`
  std::size_t waiting_ = 0;  ///< number of threads that wait for a step
};

}  // namespace

std::string_view to_string(StepResult::Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "done";
    case Outcome::failed:
      return "failed";
    case Outcome::skipped:
      return "skipped";
    case Outcome::not_started:
      return "not started";
  }
  return "not started";
}

std::size_t StepsReport::count(StepResult::Outcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(steps, outcome, &StepResult::outcome));
}

Result<void> StepsReport::result() const {
  constexpr std::size_t most_named = 10;
  const std::size_t failed = count(Outcome::failed);
  if (count(Outcome::done) == steps.size()) return {};
  std::optional<ErrorCode> code;
  std::string failures;
  std::size_t named = 0;
  for (const StepResult& step : steps) {
    if (!step.error) continue;
    if (!code) code = step.error->code;
    if (named++ < most_named) failures += (named > 1 ? "; " : ": ") + step.name + ": " + step.error->message;
  }
  if (failed > most_named) failures += "; and " + std::to_string(failed - most_named) + " more";
  std::string text = std::to_string(failed) + " of " + std::to_string(steps.size()) + " steps failed";
  for (const Outcome outcome : {Outcome::skipped, Outcome::not_started}) {
    if (const std::size_t others = count(outcome); others > 0) {
      text += ", " + std::to_string(others) + " " + (others == 1 ? "was " : "were ") +
              std::string(to_string(outcome));
    }
  }
  if (ended) text += " (" + ended->message + ")";
  return fail(code.value_or(ended ? ended->code : ErrorCode::internal), text + failures);
}

Result<StepsReport> run_steps(const std::vector<Step>& steps, const RunStepsOptions& options, Clock& clock,
                              const Limits& limits) {
  std::vector<StepGraph::Node> nodes;
  for (const Step& step : steps) nodes.push_back({step.name, step.needs});
  auto graph = StepGraph::make(nodes);
  if (!graph) return fail(graph.error());
  Run run(steps, options, *std::move(graph), clock, limits);
  const int threads = static_cast<int>(
      std::min<std::size_t>(steps.size(), static_cast<std::size_t>(std::max(options.parallelism, 1))));
  parallel_for(static_cast<std::size_t>(threads), threads, [&](std::size_t) { run.run_some(); });
  return run.finish();
}

}  // namespace fairway::kube
