// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/update_board.h"

#include <algorithm>
#include <set>
#include <span>

#include "base/cut_text.h"
#include "operators/internal/bounded_list.h"
#include "payload/run_levels.h"

namespace fairway::operators {
namespace {

std::string_view word(payload::Mode mode) {
  switch (mode) {
    case payload::Mode::initializing:
      return "initializing";
    case payload::Mode::updating:
      return "updating";
    case payload::Mode::reconciling:
      return "reconciling";
  }
  return "";
}

/// The counts of a run level.
struct LevelCount {
  std::size_t total = 0, done = 0, failed = 0, active = 0;
  std::set<std::string> components;  ///< components with steps that are not done
};

}  // namespace

void UpdateBoard::set_releases(const Release& running, bool completed, const Release& wanted) {
  const std::lock_guard lock(mutex_);
  if (running_ == running && completed_ == completed && wanted_ == wanted) return;
  // A plan of another release says nothing of this one.
  if (plan_ && plan_->version != running.version) plan_.reset();
  running_ = running;
  completed_ = completed;
  wanted_ = wanted;
  tell();
}

void UpdateBoard::enter(UpdateState state) {
  const std::lock_guard lock(mutex_);
  states_.emplace_back(state, clock_.now());
  if (states_.size() > max_states) states_.pop_front();
  until_.reset();
  tell();
}

void UpdateBoard::wait_until(std::optional<WallTime> time) {
  const std::lock_guard lock(mutex_);
  if (until_ == time) return;
  until_ = time;
  tell();
}

void UpdateBoard::begin(const payload::Plan& plan) {
  PlanState state;
  state.version = plan.version;
  state.mode = plan.mode;
  state.started = clock_.now();
  state.steps.reserve(plan.steps.size());
  for (const payload::PlanStep& step : plan.steps) {
    if (step.action == payload::Action::join) continue;
    const payload::Manifest& manifest = plan.manifests[step.manifest];
    const auto level = payload::run_level(manifest.file);
    Step one;
    one.name = step.name;
    one.level = level ? level->number : "";
    one.component = level ? level->component : "";
    one.file = manifest.file;
    one.object = manifest.id().to_string();
    one.action = step.action;
    one.wait = step.wait;
    one.counts = step.counts();
    state.places.emplace(step.name, state.steps.size());
    state.steps.push_back(std::move(one));
  }
  const std::lock_guard lock(mutex_);
  plan_ = std::move(state);
  tell();
}

void UpdateBoard::record(const payload::StepChange& change) {
  const std::lock_guard lock(mutex_);
  if (!plan_ || plan_->ended) return;
  const auto place = plan_->places.find(change.step);
  if (place == plan_->places.end()) return;
  Step& step = plan_->steps[place->second];
  const Stage stage = stage_of(change.stage);
  if (step.stage != stage) step.since = clock_.now();
  step.stage = stage;
  step.reason = change.error == nullptr ? "" : cut_text(change.error->reason, max_name);
  step.message = change.error == nullptr ? "" : cut_text(change.error->message, max_message);
  tell();
}

UpdateBoard::Stage UpdateBoard::stage_of(payload::StepStage stage) {
  switch (stage) {
    case payload::StepStage::running:
      return Stage::running;
    case payload::StepStage::waiting:
      return Stage::waiting;
    case payload::StepStage::done:
      return Stage::done;
    case payload::StepStage::failed:
      return Stage::failed;
    case payload::StepStage::interrupted:
      // The next plan begins it anew.
      return Stage::pending;
  }
  return Stage::pending;
}

void UpdateBoard::end(std::string_view outcome) {
  const std::lock_guard lock(mutex_);
  if (!plan_) return;
  plan_->ended = clock_.now();
  plan_->outcome = outcome;
  for (Step& step : plan_->steps) {
    // What a plan that has ended was doing is over.
    if (step.stage != Stage::running && step.stage != Stage::waiting) continue;
    step.stage = Stage::pending;
    step.reason.clear();
    step.message.clear();
  }
  tell();
}

bool UpdateBoard::is_active(const Step& step) {
  return step.stage == Stage::running || step.stage == Stage::waiting || step.stage == Stage::failed;
}

json::Object UpdateBoard::json_of(const Step& step) {
  json::Object one{{"name", cut_text(step.name, max_name)},
                   {"file", cut_text(step.file, max_name)},
                   {"object", cut_text(step.object, max_name)},
                   {"action", to_string(step.action)},
                   {"waitsFor", to_string(step.wait)},
                   {"stage", step.stage == Stage::failed    ? "failed"
                             : step.stage == Stage::waiting ? "waiting"
                                                            : "running"},
                   {"since", format_time(step.since)}};
  if (!step.level.empty()) one["level"] = cut_text(step.level, max_name);
  if (!step.component.empty()) one["component"] = cut_text(step.component, max_name);
  if (!step.reason.empty()) one["reason"] = step.reason;
  if (!step.message.empty()) one["message"] = step.message;
  return one;
}

json::Array UpdateBoard::levels_of(const PlanState& plan) {
  // "" is for files whose names have no run level: those are applied first.
  std::map<std::string, LevelCount> levels;
  for (const Step& step : plan.steps) {
    if (!step.counts) continue;
    LevelCount& level = levels[step.level];
    ++level.total;
    level.done += step.stage == Stage::done ? 1 : 0;
    level.failed += step.stage == Stage::failed ? 1 : 0;
    level.active += is_active(step) ? 1 : 0;
    if (step.stage != Stage::done && !step.component.empty()) level.components.insert(step.component);
  }
  json::Array list;
  for (const auto& [number, level] : levels) {
    json::Object one{{"level", number},
                     {"total", level.total},
                     {"done", level.done},
                     {"failed", level.failed},
                     {"active", level.active}};
    const std::size_t shown = std::min(level.components.size(), max_components);
    std::size_t more = level.components.size() - shown;
    one["components"] = bounded_list(
        std::vector<std::string>(level.components.begin(),
                                 std::next(level.components.begin(), static_cast<std::ptrdiff_t>(shown))),
        [](const std::string& component) { return json::Value(cut_text(component, max_name)); },
        max_components_bytes, more);
    one["moreComponents"] = more;
    list.push_back(std::move(one));
  }
  return list;
}

json::Object UpdateBoard::json_of(const PlanState& plan) {
  json::Object one{{"version", cut_text(plan.version, max_name)},
                   {"mode", word(plan.mode)},
                   {"started", format_time(plan.started)}};
  if (plan.ended) {
    one["ended"] = format_time(*plan.ended);
    one["outcome"] = plan.outcome;
  }
  std::size_t total = 0, done = 0;
  std::vector<const Step*> active;
  for (const Step& step : plan.steps) {
    total += step.counts ? 1 : 0;
    done += step.counts && step.stage == Stage::done ? 1 : 0;
    if (is_active(step)) active.push_back(&step);
  }
  one["total"] = total;
  one["done"] = done;
  one["levels"] = levels_of(plan);
  // What is in the way comes first, that of the longest time before the others.
  std::ranges::stable_sort(active, {}, [](const Step* step) {
    const int rank = step->stage == Stage::failed ? 0 : step->stage == Stage::waiting ? 1 : 2;
    return std::pair(rank, step->since);
  });
  const std::size_t shown = std::min(active.size(), max_steps);
  std::size_t left_out = active.size() - shown;
  one["steps"] = bounded_list(
      std::span(active).first(shown), [](const Step* step) { return json::Value(json_of(*step)); },
      max_steps_bytes, left_out);
  one["leftOut"] = left_out;
  return one;
}

json::Object UpdateBoard::part() const {
  const std::lock_guard lock(mutex_);
  json::Object part;
  json::Array& states = part["states"].emplace_array();
  for (const auto& [state, since] : states_)
    states.push_back(json::Object{{"state", to_string(state)}, {"since", format_time(since)}});
  if (until_) part["until"] = format_time(*until_);
  const auto release = [](const Release& of) {
    return json::Object{{"version", cut_text(of.version, max_name)}, {"image", cut_text(of.image, max_name)}};
  };
  if (!running_.image.empty()) {
    part["running"] = release(running_);
    part["completed"] = completed_;
  }
  if (!wanted_.image.empty()) part["wanted"] = release(wanted_);
  if (plan_) part["plan"] = json_of(*plan_);
  return part;
}

}  // namespace fairway::operators
