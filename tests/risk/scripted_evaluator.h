// SPDX-License-Identifier: Apache-2.0

// An evaluator that says what a test tells it to, and remembers what it was asked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/semver.h"
#include "graph/risk.h"
#include "risk/evaluator.h"

namespace fairway::risk::testing {

class ScriptedEvaluator final : public Evaluator {
 public:
  using Script = std::function<Answer(const std::string& query)>;

  /// Creates an evaluator. With `many` a call answers all its questions, otherwise only the one that the slot
  /// belongs to.
  explicit ScriptedEvaluator(Script script, bool many = false) : script_(std::move(script)), many_(many) {}

  std::string_view name() const override { return "scripted"; }
  bool evaluates_batches() const override { return many_; }
  std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                              std::span<const Question* const>, std::stop_token) override {
    ++calls_;
    std::vector<std::optional<Answer>> answers(due.size());
    for (std::size_t i = 0; i < (many_ ? due.size() : 1); ++i) {
      evaluated_.push_back(due[i]->query);
      answers[i] = script_(due[i]->query);
    }
    return answers;
  }

  /// Returns the queries that were evaluated since the last call.
  std::vector<std::string> take_evaluated() { return std::exchange(evaluated_, {}); }
  int calls() const { return calls_; }

 private:
  Script script_;
  bool many_;
  std::vector<std::string> evaluated_;
  int calls_ = 0;
};

/// Returns the answer of a sample: 1 matches, 0 does not.
inline Answer sample(double value) {
  return judge(promql::ValueType::vector, std::vector<double>{value});
}

/// Returns {"type":"PromQL","promql":{"promql":QUERY}}.
inline json::Value promql_rule(const std::string& query) {
  return json::Object{{"type", "PromQL"}, {"promql", json::Object{{"promql", query}}}};
}

inline graph::Risk risk(const std::string& name, json::Array rules) {
  return {"https://example.com/" + name, name, name + " message.", std::move(rules)};
}

inline Version version(const std::string& text) {
  return Version::parse(text).value();
}

}  // namespace fairway::risk::testing
