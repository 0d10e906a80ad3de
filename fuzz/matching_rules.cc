// SPDX-License-Identifier: Apache-2.0

// Whatever the rules of a risk are: no crash, and an update is recommended only where every risk has a rule
// that was understood and said no.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "risk/rounds.h"

namespace {

using namespace fairway;
using namespace fairway::risk;

/// Answers 0 to every query, so that only a fault in the rules keeps an update from being recommended.
class Zero final : public Evaluator {
 public:
  std::string_view name() const override { return "zero"; }
  bool evaluates_batches() const override { return true; }
  std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                              std::span<const Question* const>, std::stop_token) override {
    const double zero = 0;
    return std::vector<std::optional<Answer>>(due.size(),
                                              judge(promql::ValueType::vector, std::span(&zero, 1)));
  }
};

void require(bool condition) {
  if (!condition) std::abort();
}

bool same(const UpdateCondition& a, const UpdateCondition& b) {
  return a.status == b.status && a.reason == b.reason && a.message == b.message;
}

}  // namespace

/// Reads a list of lists of rules, one a risk.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16'384) return 0;
  const auto value = json::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!value || !value->is_array()) return 0;
  ConditionalUpdate update{Version::parse("4.7.4").value(), {}};
  for (const json::Value& rules : value->as_array()) {
    const std::string name = "R" + std::to_string(update.risks.size() % 3);
    if (rules.is_array()) update.risks.push_back({"https://example.com", name, "Message.", rules.as_array()});
  }
  static const Registry registry = standard_registry();
  Zero evaluator;
  FakeClock clock;
  Rounds rounds(registry, evaluator, {.between_any = {}, .between_same = {}}, clock);
  const auto verdicts = rounds.run(std::span(&update, 1));
  require(verdicts && verdicts->size() == 1 && verdicts->front().risks.size() == update.risks.size());
  const UpdateVerdict& verdict = verdicts->front();
  bool all_say_no = !update.risks.empty();
  for (const RiskVerdict& one : verdict.risks) {
    all_say_no = all_say_no && one.outcome == Outcome::does_not_match;
    require(one.outcome != Outcome::does_not_match || (one.recognized && one.rule_type == "PromQL"));
    require((one.outcome == Outcome::failed) == !one.error.empty());
  }
  require((verdict.recommended.status == Status::is_true) == all_say_no);
  require(is_reason(verdict.recommended.reason) && !verdict.recommended.message.empty());
  require(is_reason(verdict.evaluating.reason));
  const auto again = rounds.run(std::span(&update, 1));
  require(again && same(again->front().recommended, verdict.recommended) &&
          same(again->front().evaluating, verdict.evaluating));
  return 0;
}
