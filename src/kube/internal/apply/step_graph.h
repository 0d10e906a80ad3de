// SPDX-License-Identifier: Apache-2.0

// The order of steps that need each other.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace fairway::kube {

/// Tells which step can start, as others end. Steps are numbered in the order given. Not thread-safe; runs
/// nothing itself.
class StepGraph {
 public:
  struct Node {
    std::string name = {};
    /// Names of the steps that must be done before this one.
    std::vector<std::string> needs = {};
  };
  enum class State { waiting, running, done, failed, skipped };

  /// Builds the graph. Errors (`invalid`): a step without a name, two steps of one name, an unknown need, a
  /// cycle.
  static Result<StepGraph> make(const std::vector<Node>& nodes);

  State state(std::size_t step) const { return steps_[step].state; }
  /// Starts the first step that can start; std::nullopt if none can start now.
  std::optional<std::size_t> start();
  void mark_done(std::size_t step);
  /// Marks a step as failed. Returns the steps that are skipped because of it, directly or not, in their
  /// order.
  std::vector<std::size_t> mark_failed(std::size_t step);
  /// Returns the number of steps that can start now.
  std::size_t ready() const { return ready_.size(); }
  /// Returns whether nothing runs, and nothing can start any more.
  bool is_over() const { return running_ == 0 && ready_.empty(); }

 private:
  struct Step {
    std::vector<std::size_t> needed_by = {};
    std::size_t missing = 0;  ///< number of needs that are not done
    State state = State::waiting;
  };

  /// Returns the names of a cycle; empty if there is none.
  std::string find_cycle(const std::vector<Node>& nodes) const;

  std::vector<Step> steps_;
  std::set<std::size_t> ready_;
  std::size_t running_ = 0;
};

}  // namespace fairway::kube
