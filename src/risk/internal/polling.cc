// SPDX-License-Identifier: Apache-2.0

#include "risk/internal/polling.h"

#include <unordered_set>
#include <utility>

namespace fairway::risk {

namespace {

/// Returns "15:04:05Z".
std::string time_of_day(WallTime time) {
  return format_time(time).substr(11);
}

}  // namespace

void Polling::request(const QuestionPointer& question, const Moment& now) {
  questions_.emplace(question->key, question);
  throttle_.request(question->key, now);
}

void Polling::begin_round(const std::vector<QuestionPointer>& wanted, std::vector<QuestionPointer> possible) {
  const Moment now = Moment::of(clock_);
  evaluator_.begin_round();
  throttle_.begin_round(now);
  std::erase_if(questions_, [&](const auto& entry) { return !throttle_.remembers(entry.first); });
  for (const QuestionPointer& question : wanted) request(question, now);
  possible_ = std::move(possible);
}

Knowledge Polling::ask(const QuestionPointer& question, const std::stop_token& stop) {
  const std::string_view key = question->key;
  Moment now = Moment::of(clock_);
  bool taken_by_another = false;
  if (!throttle_.is_of_this_round(key)) {
    request(question, now);
    // Without a minimum interval between queries there is no queue.
    const bool queue = throttle_.rules().between_any > std::chrono::nanoseconds::zero();
    if (throttle_.slot_free(now)) {
      std::optional<std::string_view> first;
      if (queue) {
        first = throttle_.first_due(now);
      } else if (throttle_.is_due(key, now)) {
        first = key;
      }
      if (first) {
        taken_by_another = *first != key;
        use_slot(*first, now, stop);
        now = Moment::of(clock_);
      }
    }
  }

  Knowledge knowledge = known(*question);
  knowledge.next = throttle_.next(key, now);
  if (!knowledge.waiting) return knowledge;
  knowledge.error = "evaluation is throttled";
  if (const auto slot = throttle_.slot_at(now); slot && !taken_by_another)
    knowledge.error += " until " + time_of_day(*slot);
  return knowledge;
}

Knowledge Polling::known(const Question& question) const {
  Knowledge knowledge;
  const Throttle::Cached* known = throttle_.known(question.key);
  if (known == nullptr) {
    knowledge.waiting = true;
    knowledge.error = "evaluation has not ended yet";
    return knowledge;
  }
  knowledge.outcome = known->answer.outcome;
  knowledge.value = known->answer.value;
  knowledge.series = known->answer.series;
  knowledge.error = known->answer.error;
  knowledge.warnings = known->answer.warnings;
  knowledge.evaluator = known->answer.evaluator;
  knowledge.last = known->at;
  return knowledge;
}

void Polling::restore(const QuestionPointer& question, Answer answer, WallTime at) {
  answer.evaluator = evaluator_.name();
  questions_.emplace(question->key, question);
  throttle_.restore(question->key, std::move(answer), at, Moment::of(clock_));
}

std::vector<std::string_view> Polling::queue() const {
  if (throttle_.rules().between_any <= std::chrono::nanoseconds::zero()) return {};
  return throttle_.queue(Moment::of(clock_));
}

void Polling::use_slot(std::string_view first, const Moment& now, const std::stop_token& stop) {
  std::vector<QuestionPointer> questions;  // those that are due, then those that may come along
  std::unordered_set<std::string_view> taken;
  const auto add = [&](const QuestionPointer& question) {
    if (taken.insert(question->key).second) questions.push_back(question);
  };
  add(questions_.at(first));
  if (evaluator_.evaluates_batches()) {
    for (const std::string_view key : throttle_.due(now)) add(questions_.at(key));
    for (const QuestionPointer& question : possible_) {
      if (throttle_.is_due(question->key, now)) add(question);
    }
  }
  const std::size_t due = questions.size();
  if (evaluator_.evaluates_batches()) {
    for (const std::string_view key : throttle_.early(now)) add(questions_.at(key));
    for (const QuestionPointer& question : possible_) {
      if (throttle_.is_early(question->key, now)) add(question);
    }
  }
  std::vector<const Question*> asked;
  asked.reserve(questions.size());
  for (const QuestionPointer& question : questions) asked.push_back(question.get());
  const std::span<const Question* const> all(asked);
  auto answers = evaluator_.evaluate(all.first(due), all.subspan(due), stop);

  const Moment after = Moment::of(clock_);
  if (stop.stop_requested()) {
    throttle_.spend_slot(after);  // it may have reached the other side
    return;
  }
  answers.resize(questions.size());
  if (!answers.front()) answers.front() = Answer::failure("the evaluator gave no answer");
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (!answers[i]) continue;
    if (answers[i]->evaluator.empty()) answers[i]->evaluator = evaluator_.name();
    questions_.emplace(questions[i]->key, questions[i]);
    throttle_.record(questions[i]->key, *std::move(answers[i]), after);
  }
}

}  // namespace fairway::risk
