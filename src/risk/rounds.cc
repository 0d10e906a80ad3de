// SPDX-License-Identifier: Apache-2.0

#include "risk/rounds.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/text.h"

namespace fairway::risk {

namespace {

/// Returns the indices of `items`, sorted by comparing the items with `less`.
template <class Items, class Less>
std::vector<std::size_t> order_of(const Items& items, const Less& less) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return less(items[a], items[b]); });
  return order;
}

/// Returns a single error as it is, or "[first, second]".
std::string put_together(const std::vector<std::string>& errors) {
  return errors.size() == 1 ? errors.front() : "[" + join(errors, ", ") + "]";
}

/// Shortest time between two calls that tell the verdicts so far.
constexpr std::chrono::seconds between_interims{1};

/// Returns the places (update, risk) in the order of evaluation: the highest target first, and its risks by
/// name.
std::vector<std::pair<std::size_t, std::size_t>> places_of(std::span<const ConditionalUpdate> updates) {
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const std::size_t u :
       order_of(updates, [](const auto& a, const auto& b) { return a.target > b.target; })) {
    for (const std::size_t r :
         order_of(updates[u].risks, [](const auto& a, const auto& b) { return a.name < b.name; }))
      places.emplace_back(u, r);
  }
  return places;
}

/// Adds what the verdicts on risks come to.
void conclude(std::span<const ConditionalUpdate> updates, std::vector<UpdateVerdict>& verdicts) {
  for (std::size_t u = 0; u < updates.size(); ++u) {
    verdicts[u].recommended = recommended(updates[u].risks, verdicts[u].risks);
    verdicts[u].evaluating = evaluating(updates[u].risks, verdicts[u].risks);
  }
}

Knowledge knowledge_of(const Answer& answer) {
  return {.outcome = answer.outcome,
          .value = answer.value,
          .series = answer.series,
          .error = answer.error,
          .warnings = answer.warnings,
          .evaluator = answer.evaluator};
}

}  // namespace

/// The state of a risk within a round.
struct Rounds::Judged {
  std::size_t update, risk;
  std::vector<Rule*> rules;
  /// Rule whose evaluation times the verdict has.
  const Rule* asked = nullptr;
};

Rounds::Rule& Rounds::rule_of(const json::Value& value) {
  key_.clear();
  append_canonical(key_, value);
  auto found = rules_.find(std::string_view(key_));
  if (found == rules_.end()) {
    Rule rule;
    rule.type = json::find_string(value, "type").value_or("");
    auto condition = read_rule(registry_, value);
    if (condition) {
      rule.condition = *std::move(condition);
    } else {
      rule.refusal = std::move(condition.error().message);
    }
    found = rules_.emplace(key_, std::move(rule)).first;
  }
  found->second.used_in_round = round_;
  return found->second;
}

bool Rounds::has_failed(const Rule& rule) const {
  if (const auto* question = std::get_if<QuestionPointer>(&rule.condition)) {
    const Throttle::Cached* known = polling_.throttle().known((*question)->key);
    return known != nullptr && known->answer.outcome == Outcome::failed;
  }
  if (const auto* answer = std::get_if<Answer>(&rule.condition)) return answer->outcome == Outcome::failed;
  return rule.known_in_round != 0 && rule.knowledge.outcome == Outcome::failed;
}

Result<std::vector<UpdateVerdict>> Rounds::run(std::span<const ConditionalUpdate> updates,
                                               const std::stop_token& stop, const Interim& interim) {
  ++round_;
  std::vector<UpdateVerdict> verdicts(updates.size());
  std::vector<Judged> all;
  std::vector<QuestionPointer> wanted, possible;
  std::unordered_set<const Question*> seen_first, seen_later;
  for (const auto& [u, r] : places_of(updates)) {
    Judged& judged = all.emplace_back(u, r);
    // By what is known so far: who asks for a question if not all before it have failed?
    bool reached = true;
    for (const json::Value& value : updates[u].risks[r].matching_rules) {
      Rule& rule = rule_of(value);
      judged.rules.push_back(&rule);
      if (!rule.refusal.empty()) continue;
      if (const auto* question = std::get_if<QuestionPointer>(&rule.condition)) {
        if (reached && seen_first.insert(question->get()).second) wanted.push_back(*question);
        if (!reached && seen_later.insert(question->get()).second) possible.push_back(*question);
      }
      reached = reached && has_failed(rule);
    }
  }
  for (std::size_t u = 0; u < updates.size(); ++u) verdicts[u].risks.resize(updates[u].risks.size());
  polling_.begin_round(wanted, std::move(possible));
  auto told = clock_.steady();
  for (auto next = all.begin(); next != all.end(); ++next) {
    verdicts[next->update].risks[next->risk] = evaluate(*next, &stop);
    if (stop.stop_requested()) return fail(ErrorCode::cancelled, "evaluating risks: stopped");
    if (!interim || clock_.steady() - told < between_interims) continue;
    std::vector<UpdateVerdict> so_far = verdicts;
    for (auto later = next + 1; later != all.end(); ++later)
      so_far[later->update].risks[later->risk] = known(*later);
    conclude(updates, so_far);
    interim(so_far);
    told = clock_.steady();
  }
  record_places(all, verdicts);
  conclude(updates, verdicts);
  std::erase_if(rules_, [&](const auto& entry) { return entry.second.used_in_round != round_; });
  return verdicts;
}

std::vector<UpdateVerdict> Rounds::known(std::span<const ConditionalUpdate> updates) {
  std::vector<UpdateVerdict> verdicts(updates.size());
  for (std::size_t u = 0; u < updates.size(); ++u) {
    for (std::size_t r = 0; r < updates[u].risks.size(); ++r) {
      Judged judged{.update = u, .risk = r, .rules = {}};
      for (const json::Value& value : updates[u].risks[r].matching_rules)
        judged.rules.push_back(&rule_of(value));
      verdicts[u].risks.push_back(known(judged));
    }
  }
  conclude(updates, verdicts);
  return verdicts;
}

const Throttle::Cached* Rounds::answer_of(const json::Value& rule) {
  const auto* question = std::get_if<QuestionPointer>(&rule_of(rule).condition);
  return question == nullptr ? nullptr : polling_.throttle().known((*question)->key);
}

void Rounds::restore(const json::Value& rule, Answer answer, WallTime at) {
  const auto* question = std::get_if<QuestionPointer>(&rule_of(rule).condition);
  if (question != nullptr) polling_.restore(*question, std::move(answer), at);
}

RiskVerdict Rounds::known(Judged& judged) {
  RiskVerdict verdict = evaluate(judged, nullptr);
  judged.asked = nullptr;
  return verdict;
}

void Rounds::record_places(std::span<const Judged> all, std::vector<UpdateVerdict>& verdicts) const {
  std::unordered_map<std::string_view, std::size_t> places;
  for (const std::string_view key : polling_.queue()) places.emplace(key, places.size() + 1);
  for (const Judged& judged : all) {
    if (judged.asked == nullptr) continue;
    const auto* question = std::get_if<QuestionPointer>(&judged.asked->condition);
    if (question == nullptr) continue;
    if (const auto place = places.find((*question)->key); place != places.end())
      verdicts[judged.update].risks[judged.risk].place = place->second;
  }
}

const Knowledge& Rounds::knowledge_before(Rule& rule) const {
  if (const auto* question = std::get_if<QuestionPointer>(&rule.condition)) {
    rule.before = polling_.known(**question);
  } else if (rule.known_in_round != 0) {
    rule.before = rule.knowledge;
  } else if (const auto* answer = std::get_if<Answer>(&rule.condition)) {
    rule.before = knowledge_of(*answer);
  } else {
    rule.before = {};
    rule.before.waiting = true;
    rule.before.error = "evaluation has not ended yet";
  }
  return rule.before;
}

const Knowledge& Rounds::ask(Rule& rule, const std::stop_token& stop) {
  if (rule.known_in_round == round_) return rule.knowledge;
  rule.known_in_round = round_;
  if (const auto* question = std::get_if<QuestionPointer>(&rule.condition)) {
    rule.knowledge = polling_.ask(*question, stop);
    return rule.knowledge;
  }
  Answer answer;
  if (const auto* inquiry = std::get_if<std::shared_ptr<Inquiry>>(&rule.condition)) {
    answer = (*inquiry)->ask(stop);
  } else {
    answer = std::get<Answer>(rule.condition);
  }
  rule.knowledge = knowledge_of(answer);
  return rule.knowledge;
}

/// Evaluates the rules of a risk. The enhancement of docs/risks.md, section Enhanced graph-data schema for
/// blocking edges, `matchingRules`.
RiskVerdict Rounds::evaluate(Judged& judged, const std::stop_token* stop) {
  RiskVerdict verdict;
  if (judged.rules.empty()) {
    // Section Implicit always condition of the enhancement: an empty or unset array marks the risk as a match
    // for all clusters.
    verdict.outcome = Outcome::matches;
    return verdict;
  }
  std::vector<std::string> refusals, failures;
  for (Rule* rule : judged.rules) {
    if (!rule->refusal.empty()) {
      refusals.push_back(rule->refusal);
      if (verdict.rule_type.empty()) verdict.rule_type = rule->type;
      continue;
    }
    if (!verdict.recognized) verdict.rule_type = rule->type;
    verdict.recognized = true;
    const Knowledge& knowledge = stop == nullptr ? knowledge_before(*rule) : ask(*rule, *stop);
    const bool asked = !std::holds_alternative<Answer>(rule->condition);
    if (knowledge.outcome == Outcome::failed) failures.push_back(knowledge.error);
    if (asked) {
      judged.asked = rule;
      verdict.value = knowledge.value;
      verdict.series = knowledge.series;
      verdict.warnings = knowledge.warnings;
      verdict.evaluator = knowledge.evaluator;
      verdict.last = knowledge.last;
      verdict.next = knowledge.next;
    }
    if (knowledge.waiting) {
      // A question that was not sent has not failed: whether the rules after it count is unknown.
      verdict.rule_type = rule->type;
      break;
    }
    if (knowledge.outcome == Outcome::failed) continue;
    if (!asked) {  // what was asked before it did not decide
      judged.asked = nullptr;
      verdict = {.recognized = true};
    }
    verdict.outcome = knowledge.outcome;
    verdict.rule_type = rule->type;
    return verdict;
  }
  verdict.error = put_together(failures.empty() ? refusals : failures);
  return verdict;
}

}  // namespace fairway::risk
