// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/apply/step_graph.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace fairway::kube {

Result<StepGraph> StepGraph::make(const std::vector<Node>& nodes) {
  StepGraph graph;
  graph.steps_.resize(nodes.size());
  std::map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name.empty()) {
      return fail(ErrorCode::invalid, "step " + std::to_string(i + 1) + " has no name");
    }
    if (!numbers.emplace(nodes[i].name, i).second) {
      return fail(ErrorCode::invalid, "two steps are called " + nodes[i].name);
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::set<std::string_view> needs(nodes[i].needs.begin(), nodes[i].needs.end());
    for (const std::string_view need : needs) {
      const auto found = numbers.find(need);
      if (found == numbers.end()) {
        return fail(ErrorCode::invalid,
                    "step " + nodes[i].name + " needs " + std::string(need) + ", and there is no such step");
      }
      graph.steps_[found->second].needed_by.push_back(i);
    }
    graph.steps_[i].missing = needs.size();
    if (needs.empty()) graph.ready_.insert(i);
  }
  if (const std::string cycle = graph.find_cycle(nodes); !cycle.empty()) {
    return fail(ErrorCode::invalid, "steps need each other: " + cycle);
  }
  return graph;
}

std::string StepGraph::find_cycle(const std::vector<Node>& nodes) const {
  // Removes steps whose needs are removed; in what is left each step needs another that is left.
  std::vector<std::size_t> missing, free(ready_.begin(), ready_.end());
  for (const Step& step : steps_) missing.push_back(step.missing);
  for (std::size_t at = 0; at < free.size(); ++at) {
    for (const std::size_t next : steps_[free[at]].needed_by) {
      if (--missing[next] == 0) free.push_back(next);
    }
  }
  if (free.size() == steps_.size()) return {};
  std::map<std::string_view, const Node*> left;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (missing[i] > 0) left.emplace(nodes[i].name, &nodes[i]);
  }
  std::vector<const Node*> way{left.begin()->second};
  while (true) {
    const auto need =
        std::ranges::find_if(way.back()->needs, [&](const auto& n) { return left.contains(n); });
    const Node* next = left.at(*need);
    const auto seen = std::ranges::find(way, next);
    if (seen == way.end()) {
      way.push_back(next);
      continue;
    }
    std::string text = next->name;
    for (auto at = seen + 1; at != way.end(); ++at) text += " needs " + (*at)->name;
    return text + " needs " + next->name;
  }
}

std::optional<std::size_t> StepGraph::start() {
  if (ready_.empty()) return std::nullopt;
  const std::size_t step = ready_.extract(ready_.begin()).value();
  steps_[step].state = State::running;
  ++running_;
  return step;
}

void StepGraph::mark_done(std::size_t step) {
  steps_[step].state = State::done;
  --running_;
  for (const std::size_t next : steps_[step].needed_by) {
    if (--steps_[next].missing == 0 && steps_[next].state == State::waiting) ready_.insert(next);
  }
}

std::vector<std::size_t> StepGraph::mark_failed(std::size_t step) {
  steps_[step].state = State::failed;
  --running_;
  std::vector<std::size_t> skipped{step};
  for (std::size_t at = 0; at < skipped.size(); ++at) {
    for (const std::size_t next : steps_[skipped[at]].needed_by) {
      if (steps_[next].state != State::waiting) continue;
      steps_[next].state = State::skipped;
      skipped.push_back(next);
    }
  }
  skipped.erase(skipped.begin());
  std::ranges::sort(skipped);
  return skipped;
}

}  // namespace fairway::kube
