// SPDX-License-Identifier: Apache-2.0

// The types `Always` and `PromQL`; the texts are those that administrators know from their clusters.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "promql/parser/parser.h"
#include "risk/condition.h"

namespace fairway::risk {

namespace {

/// Finds the member `promql` in any case, as clusters read it; nullptr if it is absent or null. OpenShift
/// enhancement targeted-update-edge-blocking, section PromQL: the registry says `PromQL`, every example
/// `promql`.
Result<const json::Value*> find_promql(const json::Object& object) {
  const json::Value* found = nullptr;
  for (const auto& [key, value] : object) {
    if (!equals_ignoring_case(key, "promql") || value.is_null()) continue;
    // Contradicting answers: either may be the wrong one.
    if (found != nullptr)
      return fail(ErrorCode::invalid, "the 'promql' property stands twice, in different spellings");
    found = &value;
  }
  return found;
}

class Always final : public ConditionType {
 public:
  std::string_view name() const override { return "Always"; }
  Result<Condition> read(const json::Object& rule) const override {
    const auto promql = find_promql(rule);
    if (!promql) return fail(promql.error());
    if (*promql != nullptr) {
      return fail(ErrorCode::invalid, "the 'promql' property is not valid for 'type: Always' conditions");
    }
    return Answer{.outcome = Outcome::matches, .spent = Answer::Spent::nothing};
  }
};

class PromQL final : public ConditionType {
 public:
  explicit PromQL(const promql::CostLimits& limits)
      : limits_(std::make_shared<const promql::CostLimits>(limits)) {}

  std::string_view name() const override { return "PromQL"; }
  Result<Condition> read(const json::Object& rule) const override {
    const auto outer = find_promql(rule);
    if (!outer) return fail(outer.error());
    if (*outer == nullptr)
      return fail(ErrorCode::invalid, "the 'promql' property is required for 'type: PromQL' conditions");
    const json::Object* object = (*outer)->if_object();
    if (object == nullptr) {
      return fail(ErrorCode::invalid,
                  "the 'promql' property must be an object for 'type: PromQL' conditions");
    }
    const auto inner = find_promql(*object);
    if (!inner) return fail(inner.error());
    if (*inner != nullptr && !(*inner)->is_string()) {
      return fail(ErrorCode::invalid,
                  "the 'promql.promql' query must be a string for 'type: PromQL' conditions");
    }
    if (*inner == nullptr || (*inner)->get_string().empty()) {
      return fail(ErrorCode::invalid,
                  "the 'promql.promql' query string must be non-empty for 'type: PromQL' conditions");
    }
    return ask(std::string((*inner)->get_string()));
  }

 private:
  static Condition too_costly(const std::string& exceeded) {
    return Answer::failure("PromQL query may cost too much: " + exceeded, Answer::Spent::nothing);
  }

  Condition ask(std::string query) const {
    auto question = std::make_shared<Question>();
    if (const std::string exceeded = promql::exceeded_before_parsing(query, *limits_); !exceeded.empty())
      return too_costly(exceeded);
    auto parsed = promql::parse(query, promql::Dialect::prometheus3);
    if (!parsed) {
      // Clusters run both, and the language differs: what either understands may be sent.
      const promql::ParseError error = parsed.error();
      parsed = promql::parse(query, promql::Dialect::prometheus2);
      if (!parsed) {
        return Answer::failure("invalid PromQL query: " + promql::to_string(error, query),
                               Answer::Spent::nothing);
      }
      question->dialect = promql::Dialect::prometheus2;
    }
    question->expression = std::move(*parsed);
    question->cost = promql::cost_of(*question->expression, query, *limits_);
    if (const std::string exceeded = promql::exceeded_limits(question->cost, *limits_); !exceeded.empty())
      return too_costly(exceeded);
    question->key = R"({"promql":{"promql":)";
    json::append_quoted(question->key, query);
    question->key += R"(},"type":"PromQL"})";
    question->query = std::move(query);
    question->limits = limits_;
    return QuestionPointer(std::move(question));
  }

  std::shared_ptr<const promql::CostLimits> limits_;
};

}  // namespace

std::unique_ptr<ConditionType> make_always() {
  return std::make_unique<Always>();
}

std::unique_ptr<ConditionType> make_promql(const promql::CostLimits& limits) {
  return std::make_unique<PromQL>(limits);
}

}  // namespace fairway::risk
