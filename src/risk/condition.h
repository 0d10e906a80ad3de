// Cluster conditions: what a matching rule asks, and the types of them that are known here.
#pragma once

#include <map>
#include <memory>
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

/// A query to the cluster's monitoring data. It was read and found to be within the limits.
struct Question {
  /// The rule as it was understood, as canonical JSON: questions of one key are one question.
  std::string key;
  std::string query;
  std::shared_ptr<const promql::Expression> expression;
  /// The Prometheus whose language it is.
  promql::Dialect dialect = promql::Dialect::prometheus3;
  promql::Cost cost;
};
using QuestionPointer = std::shared_ptr<const Question>;

/// What a rule comes to: an answer where nobody has to be asked, otherwise a question.
using Condition = std::variant<Answer, QuestionPointer>;

/// One entry of the registry. A type that needs to know something of the cluster is given it when it is made.
class ConditionType {
 public:
  virtual ~ConditionType() = default;
  /// As `type` of a rule says it: "PromQL".
  virtual std::string_view name() const = 0;
  /// Reads a rule of this type. An Error: the rule is not valid, and counts as if it were not there.
  virtual Result<Condition> read(const json::Object& rule) const = 0;
};

/// spec: targeted-update-edge-blocking, Cluster-condition type registry.
class Registry {
 public:
  /// A type of the same name is replaced.
  void add(std::unique_ptr<ConditionType> type);
  const ConditionType* find(std::string_view name) const;

 private:
  std::map<std::string, std::unique_ptr<ConditionType>, std::less<>> types_;
};

/// Always matches.
std::unique_ptr<ConditionType> make_always();

/// Asks a query. One that cannot be parsed in either dialect, or that may cost more than `limits` allow, is a
/// failed evaluation without ever being sent (spec: targeted-update-edge-blocking, Malicious conditions).
std::unique_ptr<ConditionType> make_promql(const promql::CostLimits& limits = {});

/// `Always` and `PromQL`.
Registry standard_registry(const promql::CostLimits& limits = {});

/// Reads one entry of `matchingRules`. An Error: it is of no use, because nobody here knows its type
/// (`unsupported`) or because it is not valid (`invalid`).
Result<Condition> read_rule(const Registry& registry, const json::Value& rule);

/// Appends compact JSON with sorted keys: equal values give equal texts.
void append_canonical(std::string& out, const json::Value& value);

}  // namespace fairway::risk
