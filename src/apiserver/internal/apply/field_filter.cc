// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/apply/field_filter.h"

#include <algorithm>
#include <utility>

namespace fairway::apiserver::apply {

struct PathPattern::Step {
  /// The element that matches; std::nullopt: any.
  std::optional<PathElement> element;
  PathPattern below;

  bool matches(const PathElement& other) const { return !element || *element == other; }
};

PathPattern PathPattern::prefix(const std::vector<std::optional<PathElement>>& steps) {
  PathPattern pattern;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    PathPattern outer;
    outer.everything_ = false;
    outer.steps_.push_back(std::make_shared<const Step>(Step{*step, std::move(pattern)}));
    pattern = std::move(outer);
  }
  return pattern;
}

PathPattern PathPattern::merged(const PathPattern& other) const {
  if (everything_ || other.everything_) return {};
  PathPattern out = *this;
  for (const auto& step : other.steps_) {
    const auto same =
        std::ranges::find_if(out.steps_, [&](const auto& one) { return one->element == step->element; });
    if (same != out.steps_.end()) {
      *same = std::make_shared<const Step>(Step{step->element, (*same)->below.merged(step->below)});
    } else {
      out.steps_.push_back(step);
    }
  }
  std::ranges::stable_partition(out.steps_, [](const auto& one) { return !one->element; });
  return out;
}

FieldSet PathPattern::filter(const FieldSet& set) const {
  if (everything_) return set;
  const auto find = [&](const PathElement& element) {
    return std::ranges::find_if(steps_, [&](const auto& step) { return step->matches(element); });
  };
  FieldSet out;
  for (const PathElement& member : set.members()) {
    if (find(member) != steps_.end()) out.append(member);
  }
  for (const FieldSet::Child& child : set.children()) {
    const auto step = find(child.element);
    if (step == steps_.end()) continue;
    FieldSet below = (*step)->below.filter(child.set);
    if (!below.empty()) out.append(child.element, std::move(below));
  }
  return out;
}

FieldSet FieldFilter::filter(const FieldSet& set) const {
  if (const FieldSet* excluded = std::get_if<FieldSet>(&rule_)) return set.recursive_difference(*excluded);
  return std::get<PathPattern>(rule_).filter(set);
}

}  // namespace fairway::apiserver::apply
