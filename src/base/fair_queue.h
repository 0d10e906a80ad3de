// SPDX-License-Identifier: Apache-2.0

// A queue in which those who ask take turns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fairway {

/// Jobs of flows. Those of one flow come out in their order; flows take turns, so that one with many jobs
/// holds up no other. Not safe from several threads at once.
template <class Job>
class FairQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Returns the number of jobs of a flow that wait.
  std::size_t size_of(std::string_view flow) const {
    const auto found = flows_.find(flow);
    return found == flows_.end() ? 0 : found->second->jobs.size();
  }
  /// Returns the number of waiting jobs of the flow that has most.
  std::size_t most_of_a_flow() const { return turns_.empty() ? 0 : longest()->jobs.size(); }

  void push(std::string_view flow, Job job) {
    auto found = flows_.find(flow);
    if (found == flows_.end()) {
      turns_.push_back({std::string(flow), {}});
      found = flows_.emplace(turns_.back().name, std::prev(turns_.end())).first;
    }
    found->second->jobs.push_back(std::move(job));
    ++size_;
  }

  /// Returns whether there is a job that `may_run(flow, job)`, and is not behind another one of its flow.
  template <class MayRun>
  bool has(MayRun may_run) const {
    return std::ranges::any_of(turns_,
                               [&](const Turn& turn) { return may_run(turn.name, turn.jobs.front()); });
  }

  /// Calls `look(flow, job)` for the first job of each flow.
  template <class Look>
  void for_each_first(Look look) const {
    for (const Turn& turn : turns_) look(turn.name, turn.jobs.front());
  }

  /// Takes the next job that `may_run(flow, job)`; only the first job of each flow is considered.
  template <class MayRun>
  std::optional<std::pair<std::string, Job>> pop(MayRun may_run) {
    return take(may_run, true);
  }

  /// Removes and returns a job that `is_meant(flow, job)`; only the first job of each flow is considered.
  /// Leaves the order of the flows as it is.
  template <class IsMeant>
  std::optional<std::pair<std::string, Job>> withdraw(IsMeant is_meant) {
    return take(is_meant, false);
  }

  /// Takes the newest job of the flow that has most. There must be one.
  Job pop_newest_of_longest() {
    const auto turn = longest();
    Job taken = std::move(turn->jobs.back());
    turn->jobs.pop_back();
    forget_if_empty(turn);
    return taken;
  }

 private:
  struct Turn {
    std::string name = {};
    std::deque<Job> jobs = {};  ///< not empty
  };
  using Turns = std::list<Turn>;

  template <class Predicate>
  std::optional<std::pair<std::string, Job>> take(Predicate is_meant, bool is_its_turn) {
    const auto turn =
        std::ranges::find_if(turns_, [&](const Turn& one) { return is_meant(one.name, one.jobs.front()); });
    if (turn == turns_.end()) return std::nullopt;
    std::pair<std::string, Job> taken(turn->name, std::move(turn->jobs.front()));
    turn->jobs.pop_front();
    if (is_its_turn) turns_.splice(turns_.end(), turns_, turn);
    forget_if_empty(turn);
    return taken;
  }
  void forget_if_empty(Turns::iterator turn) {
    --size_;
    if (!turn->jobs.empty()) return;
    flows_.erase(turn->name);
    turns_.erase(turn);
  }
  Turns::iterator longest() { return std::ranges::max_element(turns_, {}, jobs_of); }
  Turns::const_iterator longest() const { return std::ranges::max_element(turns_, {}, jobs_of); }
  static std::size_t jobs_of(const Turn& turn) { return turn.jobs.size(); }

  Turns turns_;  ///< the next one first
  std::map<std::string, typename Turns::iterator, std::less<>> flows_;
  std::size_t size_ = 0;
};

}  // namespace fairway
