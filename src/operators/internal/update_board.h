// SPDX-License-Identifier: Apache-2.0

// The present work of the update machine, for people: its state, and the plan that it carries out step by
// step.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "operators/update_state.h"
#include "payload/apply_plan.h"
#include "payload/plan.h"

namespace fairway::operators {

/// Gathers it. Safe from all threads.
class UpdateBoard {
 public:
  /// Limits of what is shown: steps that run, wait or have failed, and the bytes of their JSON, states before
  /// the present one, and components of a level with the bytes of their JSON.
  static constexpr std::size_t max_steps = 200, max_steps_bytes = std::size_t{512} << 10, max_states = 20,
                               max_components = 20, max_components_bytes = std::size_t{1} << 10;

  /// Creates an empty board: no state was entered yet. `clock` must outlive it.
  explicit UpdateBoard(const Clock& clock) : clock_(clock) {}

  /// Sets the function that is called after each change, from any thread, while the board is locked. Call it
  /// before the machine runs.
  void on_change(std::function<void()> changed) { on_change_ = std::move(changed); }

  /// A release of the machine: what runs, or what is wanted.
  struct Release {
    std::string version = {}, image = {};
    friend bool operator==(const Release&, const Release&) = default;
  };
  void set_releases(const Release& running, bool completed, const Release& wanted);
  void enter(UpdateState state);
  /// Records until when the machine waits, if nothing happens before; std::nullopt: it waits no longer.
  void wait_until(std::optional<WallTime> time);

  /// Begins a plan: nothing of it is done.
  void begin(const payload::Plan& plan);
  void record(const payload::StepChange& change);
  /// Ends the plan: "done", "failed" or "interrupted". Its steps stay.
  void end(std::string_view outcome);

  /// Returns the schema `Update` of the OpenAPI document.
  json::Object part() const;

 private:
  enum class Stage { pending, running, waiting, done, failed };
  struct Step {
    std::string name, level, component, file, object;
    payload::Action action = payload::Action::apply;
    payload::Wait wait = payload::Wait::nothing;
    bool counts = false;
    Stage stage = Stage::pending;
    WallTime since;
    std::string reason, message;
  };
  struct PlanState {
    std::string version;
    payload::Mode mode = payload::Mode::updating;
    WallTime started;
    std::optional<WallTime> ended;
    std::string outcome;
    std::vector<Step> steps;
    std::map<std::string, std::size_t, std::less<>> places;
  };

  static json::Object json_of(const PlanState& plan);
  static json::Array levels_of(const PlanState& plan);
  static json::Object json_of(const Step& step);
  static bool is_active(const Step& step);
  static Stage stage_of(payload::StepStage stage);
  void tell() const {
    if (on_change_) on_change_();
  }

  const Clock& clock_;
  std::function<void()> on_change_;
  mutable std::mutex mutex_;
  Release running_, wanted_;
  bool completed_ = false;
  std::deque<std::pair<UpdateState, WallTime>> states_;  ///< the newest last
  std::optional<WallTime> until_;
  std::optional<PlanState> plan_;
};

}  // namespace fairway::operators
