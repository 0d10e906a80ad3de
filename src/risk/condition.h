// SPDX-License-Identifier: Apache-2.0

// Cluster conditions: matching rules, parsed, and the registry of their types.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.h"
#include "base/result.h"
#include "promql/guard/cost.h"
#include "promql/parser/ast.h"
#include "promql/parser/dialect.h"
#include "risk/answer.h"

namespace fairway::risk {

/// A query of the cluster's metrics, parsed and within the cost limits.
struct Question {
  /// Canonical JSON of the parsed rule: questions with equal keys are the same question.
  std::string key;
  std::string query;
  std::shared_ptr<const promql::Expression> expression;
  /// Prometheus version whose syntax it uses.
  promql::Dialect dialect = promql::Dialect::prometheus3;
  promql::Cost cost;
  /// Cost limits that it is within.
  std::shared_ptr<const promql::CostLimits> limits;
};
using QuestionPointer = std::shared_ptr<const Question>;

/// A condition that reads something other than the cluster's metrics: the API server, a file.
class Inquiry {
 public:
  virtual ~Inquiry() = default;
  /// Answers the inquiry. Called once in each round that needs it, whatever the polling rules say about
  /// queries. Return soon on a stop request; the result is then discarded. Every failure is an answer
  /// (`Answer::failure`).
  virtual Answer ask(std::stop_token stop) = 0;
};

/// A parsed rule: an answer if no evaluation is needed, a question about metrics, or an inquiry.
using Condition = std::variant<Answer, QuestionPointer, std::shared_ptr<Inquiry>>;

/// One entry of the registry. Types that need data about the cluster get it in their constructor.
class ConditionType {
 public:
  virtual ~ConditionType() = default;
  /// Returns the `type` of a rule: "PromQL".
  virtual std::string_view name() const = 0;
  /// Parses a rule of this type. An Error: the rule is invalid, and is skipped.
  virtual Result<Condition> read(const json::Object& rule) const = 0;
};

/// The condition types by name. The enhancement of docs/risks.md, section Cluster-condition type registry.
class Registry {
 public:
  /// Adds a type, or replaces the one of the same name.
  void add(std::unique_ptr<ConditionType> type);
  const ConditionType* find(std::string_view name) const;

 private:
  std::map<std::string, std::unique_ptr<ConditionType>, std::less<>> types_;
};

/// Returns the type `Always`, which always matches.
std::unique_ptr<ConditionType> make_always();

/// Returns the type `PromQL`. A query that parses in neither dialect or exceeds `limits` is a failed
/// evaluation and is never sent (the enhancement of docs/risks.md, section Malicious conditions).
std::unique_ptr<ConditionType> make_promql(const promql::CostLimits& limits = {});

/// Returns a registry of `Always` and `PromQL`.
Registry standard_registry(const promql::CostLimits& limits = {});

/// Parses one entry of `matchingRules`. Errors: `unsupported` (unknown type),
/// `invalid`.
Result<Condition> read_rule(const Registry& registry, const json::Value& rule);

/// Appends compact JSON with sorted keys: equal values give equal texts.
void append_canonical(std::string& out, const json::Value& value);

}  // namespace fairway::risk
