// SPDX-License-Identifier: Apache-2.0

#include "risk/recommendation.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "risk/internal/condition_text.h"

namespace fairway::risk {

namespace {

constexpr std::string_view exposed = "ExposedToRisks", several = "MultipleReasons",
                           not_evaluated = "EvaluationFailed";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_word(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

Paragraph paragraph_of(const graph::Risk& risk, const RiskVerdict& verdict) {
  if (verdict.outcome == Outcome::matches) return {risk.message, risk.url};
  return {"Unable to evaluate " +
              printable(verdict.rule_type.empty() ? "the conditions" : verdict.rule_type) +
              " to determine if the cluster is impacted by " + risk.name + " (" + verdict.error + ").",
          risk.url};
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::is_true:
      return "True";
    case Status::is_false:
      return "False";
    case Status::unknown:
      break;
  }
  return "Unknown";
}

bool is_reason(std::string_view name) {
  if (name.empty() || name.size() > max_reason_bytes || !is_letter(name.front()) || !is_word(name.back()))
    return false;
  return std::ranges::all_of(name, [](char c) { return is_word(c) || c == ',' || c == ':'; });
}

UpdateCondition recommended(std::span<const graph::Risk> risks, std::span<const RiskVerdict> verdicts) {
  UpdateCondition condition;
  if (risks.empty()) {
    // The enhancement of docs/risks.md: only recommend the update if there is at least one
    // entry.
    condition.reason = not_evaluated;
    condition.message =
        "The update is conditional, but no risk is named that could be evaluated, so that it is not "
        "recommended.";
    return condition;
  }
  // The one reason of a kind, or MultipleReasons; empty: none yet.
  std::string_view matched, failed;
  const auto record = [](std::string_view& reason, std::string_view wanted) {
    reason = reason.empty() || reason == wanted ? wanted : several;
  };
  std::vector<std::size_t> exposing;
  for (std::size_t i = 0; i < risks.size(); ++i) {
    const RiskVerdict& verdict = verdicts[i];
    if (verdict.outcome == Outcome::does_not_match) continue;
    exposing.push_back(i);
    if (verdict.outcome == Outcome::matches) {
      record(matched, is_reason(risks[i].name) ? std::string_view(risks[i].name) : exposed);
    } else {
      record(failed, verdict.rule_type == "PromQL" ? std::string_view("PromQLError") : not_evaluated);
    }
  }
  condition.message = join_paragraphs(
      exposing.size(), [&](std::size_t i) { return paragraph_of(risks[exposing[i]], verdicts[exposing[i]]); },
      "\n\n");
  if (!matched.empty()) {
    // False beats Unknown. Beside failures a name is one reason of several; ExposedToRisks holds anyway.
    condition.status = Status::is_false;
    condition.reason = failed.empty() || matched == exposed ? matched : several;
  } else if (!failed.empty()) {
    condition.status = Status::unknown;
    condition.reason = failed;
  } else {
    condition.status = Status::is_true;
    condition.reason = "NotExposedToRisks";
    condition.message =
        "The update is recommended, because none of the conditional update risks apply to this cluster.";
  }
  return condition;
}

UpdateCondition evaluating(std::span<const graph::Risk> risks, std::span<const RiskVerdict> verdicts) {
  std::vector<std::size_t> without;
  bool without_rules = risks.empty();
  for (std::size_t i = 0; i < risks.size(); ++i) {
    if (verdicts[i].recognized) continue;
    without.push_back(i);
    without_rules = without_rules || risks[i].matching_rules.empty();
  }
  std::string message = join_paragraphs(
      without.size(),
      [&](std::size_t i) -> Paragraph {
        const graph::Risk& risk = risks[without[i]];
        return {"No rule of " + risk.name + " can be evaluated here: " +
                    (risk.matching_rules.empty() ? "it has none" : verdicts[without[i]].error) + ".",
                std::nullopt};
      },
      "\n");
  if (risks.empty()) message = "The update has no risks.";
  if (!message.empty())
    return {Status::is_false, without_rules ? "NoRules" : "NoRecognizedRules", std::move(message)};
  return {Status::is_true, "PeriodicallyEvaluating",
          "Periodically evaluating risks associated with this update."};
}

}  // namespace fairway::risk
