// SPDX-License-Identifier: Apache-2.0

// Functions that make labels.
#include <algorithm>
#include <string>
#include <utility>

#include "promql/internal/engine/evaluator.h"

namespace fairway::promql {

const Replacement* Evaluator::pattern(const std::string& regex) {
  if (const auto found = patterns_.find(regex); found != patterns_.end()) return &found->second;
  auto made = Replacement::make(regex, options_.dialect);
  return made ? &patterns_.emplace(regex, *std::move(made)).first->second : nullptr;
}

Vector Evaluator::label_replace(const Call& call, Timestamp time) {
  const std::string& target = string(*call.arguments[1]);
  const std::string& replacement = string(*call.arguments[2]);
  const std::string& source = string(*call.arguments[3]);
  const std::string& regex = string(*call.arguments[4]);
  Vector result;
  // Where both are wrong, 2.x reports the vector, 3 the names.
  if (!three()) result = vector(*call.arguments[0], time);
  const Replacement* pattern = this->pattern(regex);
  if (pattern == nullptr) {
    fail("invalid regular expression in label_replace(): " + regex);
  } else if (!is_label_name(target, three())) {
    fail("invalid destination label name in label_replace(): " + target);
  } else if (three()) {
    result = vector(*call.arguments[0], time);
  }
  if (failed() || pattern == nullptr) return {};
  std::string value;
  for (Sample& sample : result) {
    // One text may take a pattern milliseconds.
    if (!check_time()) return {};
    if (!pattern->apply(sample.metric.get(source), replacement, value)) continue;
    if (!count_label(call.function->name, target.size(), value.size())) return {};
    sample.metric = with_label(sample.metric, target, value);
    if (failed()) return {};
    if (target == metric_name_label) sample.drop_name = false;
  }
  refuse_duplicates(result);
  return result;
}

Vector Evaluator::label_join(const Call& call, Timestamp time) {
  const std::string& target = string(*call.arguments[1]);
  const std::string& separator = string(*call.arguments[2]);
  Vector result;
  if (!three()) result = vector(*call.arguments[0], time);
  for (std::size_t i = 3; i < call.arguments.size(); ++i) {
    const std::string& source = string(*call.arguments[i]);
    if (!is_label_name(source, three())) fail("invalid source label name in label_join(): " + source);
  }
  if (!is_label_name(target, three())) fail("invalid destination label name in label_join(): " + target);
  if (three()) result = vector(*call.arguments[0], time);
  if (failed()) return {};
  for (Sample& sample : result) {
    std::size_t size = (call.arguments.size() - 3) * separator.size();
    for (std::size_t i = 3; i < call.arguments.size(); ++i)
      size += sample.metric.get(string(*call.arguments[i])).size();
    if (!count_label(call.function->name, target.size(), size) || !may_continue(1 + call.arguments.size()))
      return {};
    std::string value;
    for (std::size_t i = 3; i < call.arguments.size(); ++i) {
      if (i > 3) value += separator;
      value += sample.metric.get(string(*call.arguments[i]));
    }
    sample.metric = with_label(sample.metric, target, std::move(value));
    if (target == metric_name_label) sample.drop_name = false;
  }
  refuse_duplicates(result);
  return result;
}

}  // namespace fairway::promql
