// SPDX-License-Identifier: Apache-2.0

#include "risk/evaluators/snapshot.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "risk/evaluators/remote.h"
#include "risk/internal/evaluators/cpu_shares.h"
#include "risk/internal/evaluators/on_series.h"
#include "risk/internal/evaluators/snapshot_batch.h"
#include "risk/internal/evaluators/snapshot_plan.h"
#include "risk/internal/evaluators/snapshot_series.h"

namespace fairway::risk {

namespace {

/// Maximum number of fetches of one slot; the second is for metrics that do not fit in the first.
constexpr std::size_t most_fetches = 2;
/// Maximum number of remembered questions that need a slot of their own, or whose fetch failed.
constexpr std::size_t most_remembered = 10'000;
/// Time for which a question that cannot be fetched is sent by itself: at first, and the limit of doubling
/// with each further failure. A question that cannot be evaluated here is sent by itself for the longer time.
constexpr std::chrono::hours by_itself_at_first{1}, by_itself_at_most{24};
/// Maximum distance of a time from the server's clock to count as the server's present. HTTP dates are in
/// whole seconds, and some servers update that text once a second.
constexpr std::chrono::milliseconds present_to_within = std::chrono::seconds(2);

class Snapshot final : public Evaluator {
 public:
  Snapshot(std::shared_ptr<PrometheusApi> api, const SnapshotOptions& options, Clock& clock)
      : api_(std::move(api)), options_(options), clock_(clock), shares_(options.cpu) {}

  std::string_view name() const override { return "snapshot"; }
  bool evaluates_batches() const override { return true; }
  void begin_round() override { shares_.begin_round(); }

  std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                              std::span<const Question* const> early,
                                              std::stop_token stop) override {
    // Without those that are early, each question that once went by itself would keep an hour of its own, and
    // have what all of them want fetched anew in each.
    std::vector<const Question*> asked(due.begin(), due.end());
    asked.insert(asked.end(), early.begin(), early.end());
    std::vector<std::optional<Answer>> answers(asked.size());
    std::vector<std::optional<Planned>> plans(asked.size());
    // By what was seen before: neither fetched nor sent.
    for (std::size_t i = 0; i < due.size(); ++i) {
      if (const std::string exceeded = refusal_by(*due[i], cost_by(*due[i], options_.seen));
          !exceeded.empty())
        answers[i] = too_costly(exceeded);
    }
    if (answers.front()) return answers;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (answers[i]) continue;
      if (!remote_next_.contains(asked[i]->key) && !failed_with_.contains(asked[i]->key))
        plans[i] = plan_of(*asked[i]);
      if (plans[i] && goes_by_itself(asked[i]->key, plans[i]->plan)) plans[i].reset();
    }
    std::vector<Batch> batches;
    if (plans.front()) batches = batches_of(asked, plans, due.size());
    if (batches.empty() || is_vain(batches, due.front()->key)) {
      answers.front() = ask_by_itself(*due.front(), std::move(stop));
      return answers;
    }
    bool any_good = false;
    for (const Batch& batch : batches) {
      if (answer(batch, {asked, due.size()}, answers, stop)) any_good = true;
      if (stop.stop_requested()) return answers;
    }
    if (any_good) server_is_well();
    // The question that the slot belongs to gets an answer, if only that it must be sent by itself.
    if (!answers.front()) {
      answers.front() =
          leave_to_remote(*due.front(), "evaluating on a snapshot: the server does not say what time it has");
    }
    return answers;
  }

 private:
  /// Returns the fetches of a slot. They are of one kind, that of the question that the slot belongs to: of
  /// the present or of ranges, and of suspects (whose fetch failed before) or of others. There is a second
  /// one only if one has too many metrics. Questions that do not fit wait for the next slot; those after the
  /// first `due` are included if there is room for them.
  std::vector<Batch> batches_of(std::span<const Question* const> asked,
                                const std::vector<std::optional<Planned>>& plans, std::size_t due) const {
    const bool ranges = plans.front()->plan.window != 0;
    const bool of_suspects = suspects_.contains(asked.front()->key);
    std::vector<Batch> batches;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      const auto suspect = suspects_.find(asked[i]->key);
      if (!plans[i] || (plans[i]->plan.window != 0) != ranges || (suspect != suspects_.end()) != of_suspects)
        continue;
      const SnapshotPlan& plan = plans[i]->plan;
      const std::size_t most_names =
          of_suspects ? suspect->second.most_names : std::numeric_limits<std::size_t>::max();
      Batch* batch = batches.empty() ? nullptr : &batches.back();
      if (batch != nullptr && !batch->has_window_for(plan)) continue;
      if (batch == nullptr || !batch->has_names_for(plan, most_names) ||
          !batch->has_bytes_for(plan, options_.max_names_bytes)) {
        if (batch != nullptr && ((i >= due && !of_suspects) || batches.size() == most_fetches)) continue;
        batch = &batches.emplace_back();
      }
      batch->most_names = std::min(batch->most_names, most_names);
      batch->add(i, *plans[i]);
    }
    return batches;
  }

  using Keys = std::set<std::string, std::less<>>;
  template <class Value>
  using ByKey = std::map<std::string, Value, std::less<>>;

  /// A question whose fetch failed, or that cannot be answered here.
  struct Suspect {
    /// Maximum number of metrics of its next fetch. If it has more metrics itself, it is sent by itself until
    /// `until`, and then fetched nevertheless.
    std::size_t most_names;
    std::chrono::hours by_itself;
    SteadyTime until;
  };

  // A question that is forgotten below is only tried once more.

  void suspect(const std::string& key, std::size_t most_names, std::chrono::hours by_itself) {
    if (suspects_.size() >= most_remembered) suspects_.clear();
    suspects_.insert_or_assign(key, Suspect{most_names, by_itself, clock_.steady() + by_itself});
  }

  bool goes_by_itself(const std::string& key, const SnapshotPlan& plan) const {
    const auto suspect = suspects_.find(key);
    return suspect != suspects_.end() && Names().count_with(plan) > suspect->second.most_names &&
           clock_.steady() < suspect->second.until;
  }

  /// Returns whether a fetch is useless: one for a single suspect tells no more than its own query, and may
  /// fail as well.
  bool is_vain(const std::vector<Batch>& batches, const std::string& first) const {
    const auto suspect = suspects_.find(first);
    return suspect != suspects_.end() && batches.front().members.size() == 1 &&
           clock_.steady() < suspect->second.until;
  }

  Answer ask_by_itself(const Question& question, std::stop_token stop) {
    remote_next_.erase(question.key);
    const auto reply = api_->query(question.query, std::move(stop));
    if (reply) server_is_well();
    failed_with_.erase(question.key);
    Answer answer = judge_query(reply);
    answer.evaluator = "remote";
    return answer;
  }

  Answer leave_to_remote(const Question& question, std::string why) {
    if (remote_next_.size() >= most_remembered) remote_next_.clear();
    remote_next_.insert(question.key);
    return Answer::failure(std::move(why), Answer::Spent::slot);
  }

  /// Records a failed fetch. One of its metrics may be the cause, or the server: the next answer will tell.
  void record_failed_fetch(const std::vector<const Question*>& members, std::size_t names) {
    if (failed_with_.size() + members.size() > most_remembered) failed_with_.clear();
    for (const Question* member : members) failed_with_.insert_or_assign(member->key, names);
  }

  /// Handles a successful answer of the server, which shows that the last fetches did not fail because of its
  /// state: they are retried with half as many metrics, until those that cannot be fetched are found.
  void server_is_well() {
    for (const auto& [key, names] : failed_with_) {
      const auto known = suspects_.find(key);
      const auto by_itself = known == suspects_.end()
                                 ? by_itself_at_first
                                 : std::min(known->second.by_itself * 2, by_itself_at_most);
      suspect(key, names == 1 ? 0 : (names + 1) / 2, by_itself);
    }
    failed_with_.clear();
  }

  /// The questions of one slot; those after the first `due` are optional.
  struct Asked {
    std::span<const Question* const> questions;
    std::size_t due;
  };

  /// The result of one fetch, or the reason why it failed.
  struct Fetch {
    FetchedSeries fetched;
    std::optional<WallTime> date;
    std::string failure;
    bool sent = true;
    Answer::Spent spent = Answer::Spent::slot;
  };

  Fetch fetch(const std::string& query, std::optional<promql::Timestamp> time, const std::stop_token& stop) {
    Fetch made;
    auto reply = api_->query(query, stop, options_.max_answer_bytes, time);
    if (!reply) {
      made.failure = std::move(reply.error().message);
      made.sent = reply.error().sent;
      if (!made.sent) made.spent = reply.error().called ? Answer::Spent::turn : Answer::Spent::nothing;
      return made;
    }
    made.date = reply->date;
    auto series = read_fetched_series(reply->data, options_.most);
    if (!series) {
      made.failure = std::move(series.error().message);
    } else if (json::find_string(reply->data, "resultType") != (time ? "matrix" : "vector")) {
      made.failure = "bad_response: the result is of another type than what was asked for";
    } else if (!reply->warnings.empty()) {
      // Of plain series there is nothing else to warn of than that some are missing.
      made.failure = "the server warns: " + reply->warnings.front();
    } else {
      made.fetched = *std::move(series);
    }
    return made;
  }

  /// Returns whether `time` was the server's present and not in its future, by the date of its answer. It was
  /// requested between `before` and `after` (on the local clock). If it was not, the next one will be.
  bool was_present(promql::Timestamp time, promql::Timestamp before, promql::Timestamp after,
                   std::optional<WallTime> date) {
    if (!date) return false;
    const promql::Timestamp said = timestamp_of(*date);
    const promql::Timestamp within = present_to_within.count();
    // The reply may have been made when the request was sent, and may have been long in flight.
    const promql::Timestamp took = std::max<promql::Timestamp>(after - before, 0);
    if (said - took >= time - within && said <= after + server_ahead_ + within) return true;
    server_ahead_ = said - after;
    return false;
  }

  /// Fetches a batch and answers its questions. Instant selectors are evaluated by the server at its present
  /// time: only the server knows where a series has ended, and its lookback. Ranges are of raw samples, and
  /// are requested at the time that is the present here. Returns whether the fetch succeeded.
  bool answer(const Batch& batch, const Asked& asked, std::vector<std::optional<Answer>>& answers,
              const std::stop_token& stop) {
    const promql::Timestamp before = timestamp_of(clock_.now());
    std::optional<promql::Timestamp> now;
    if (batch.window != 0) now = before + server_ahead_;
    const Fetch fetched = fetch(snapshot_query(batch.plans, batch.window), now, stop);
    if (stop.stop_requested()) return false;
    if (!fetched.failure.empty()) {
      std::vector<const Question*> members;
      for (const std::size_t i : batch.members) {
        members.push_back(asked.questions[i]);
        if (i < asked.due)
          answers[i] = Answer::failure("fetching a snapshot: " + fetched.failure, fetched.spent);
      }
      // Where no server was reached, any query would have failed.
      if (fetched.sent) record_failed_fetch(members, batch.metrics.names.size());
      return false;
    }
    for (const std::size_t i : batch.members) suspects_.erase(asked.questions[i]->key);
    // Matchers that all selectors share were sent along.
    const promql::SeriesStore& series = fetched.fetched.series;
    series.count_metrics(
        [&](std::string_view metric, std::size_t count) { options_.seen->record_at_least(metric, count); });
    if (now && !was_present(*now, before, timestamp_of(clock_.now()), fetched.date)) return true;
    // The time of an answer without samples is unknown.
    if (!now && fetched.fetched.time != 0) now = fetched.fetched.time;
    judge(batch, asked, answers, series, now, stop);
    return true;
  }

  /// Answers the members of a batch from the fetched series; `now`: the server's time, if it is known.
  void judge(const Batch& batch, const Asked& asked, std::vector<std::optional<Answer>>& answers,
             const promql::SeriesStore& series, std::optional<promql::Timestamp> now,
             const std::stop_token& stop) {
    std::vector<PricedQuestion> priced;
    for (std::size_t m = 0; m < batch.members.size(); ++m) {
      if (batch.plans[m]->reads_clock && !now) continue;
      const std::size_t i = batch.members[m];
      const promql::Cost cost = cost_by(*asked.questions[i], options_.seen);
      if (const std::string exceeded = refusal_by(*asked.questions[i], cost); exceeded.empty()) {
        priced.push_back({m, cost.work});
      } else {
        answers[i] = too_costly(exceeded);
        answers[i]->spent = Answer::Spent::slot;  // its series were fetched
      }
    }
    const Present present{series, now.value_or(timestamp_of(clock_.now()))};
    const auto unfinished =
        shares_.run(std::move(priced), [&](std::size_t m, std::chrono::nanoseconds until) {
          return stop.stop_requested() || judge_member(batch, m, asked, answers, present, until, stop);
        });
    for (const std::size_t m : unfinished) {
      if (batch.members[m] < asked.due) answers[batch.members[m]] = out_of_cpu(options_.cpu);
    }
  }

  /// Fetched series, and their time.
  struct Present {
    const promql::SeriesStore& series;
    promql::Timestamp time;
  };

  /// Evaluates one member; false if it did not end by `cpu_until`. A question that is too costly here is not
  /// sent to the server either.
  bool judge_member(const Batch& batch, std::size_t member, const Asked& asked,
                    std::vector<std::optional<Answer>>& answers, const Present& present,
                    std::chrono::nanoseconds cpu_until, const std::stop_token& stop) {
    const std::size_t i = batch.members[member];
    promql::EngineOptions engine = options_.engine;
    engine.clock = &clock_;
    engine.stop = stop;
    engine.present = &present.series;
    engine.cpu_until = cpu_until;
    engine.cpu_time = options_.cpu.time;
    const auto evaluate_as = [&](const Question& question, promql::Dialect dialect) {
      engine.dialect = dialect;
      engine.deadline = engine.clock->steady() + options_.evaluation_deadline;
      return try_evaluate_on(present.series, question, present.time, engine);
    };
    const Question& question = *asked.questions[i];
    const auto answer = evaluate_as(question, promql::Dialect::prometheus3);
    const auto older = evaluate_as(*batch.in_prometheus2[member], promql::Dialect::prometheus2);
    for (const auto* one : {&answer, &older}) {
      if (*one || one->error().kind != promql::QueryError::Kind::too_costly) continue;
      if (shares_.is_over(cpu_until)) return false;
      if (i < asked.due) answers[i] = failure_of(one->error());
      return true;
    }
    if (!answer || !older) {
      // The server offers more, and has other limits.
      suspect(question.key, 0, by_itself_at_most);
      if (i == 0) {
        answers[i] = Answer::failure("evaluating on a snapshot: " + (answer ? older : answer).error().message,
                                     Answer::Spent::slot);
      }
      return true;
    }
    // The server's version is unknown here: where it matters, the server has to be asked.
    if (answer->outcome == older->outcome) {
      answers[i] = *answer;
      return true;
    }
    if (i >= asked.due) return true;
    Answer left = leave_to_remote(
        question, "evaluating on a snapshot: Prometheus 2 and Prometheus 3 answer this differently");
    if (i == 0) answers[i] = std::move(left);
    return true;
  }

  std::shared_ptr<PrometheusApi> api_;
  SnapshotOptions options_;
  Clock& clock_;
  CpuShares shares_;
  /// Keys of questions whose next slot is their own, because the fetched series did not answer them.
  Keys remote_next_;
  /// Questions whose fetch failed, which also go by themselves until the server has answered something, with
  /// the number of metrics that were fetched.
  ByKey<std::size_t> failed_with_;
  ByKey<Suspect> suspects_;
  /// Milliseconds that the server's clock is ahead of the local one; changed only if the difference matters.
  promql::Timestamp server_ahead_ = 0;
};

}  // namespace

std::unique_ptr<Evaluator> make_snapshot(std::shared_ptr<PrometheusApi> api, const SnapshotOptions& options,
                                         Clock& clock) {
  return std::make_unique<Snapshot>(std::move(api), options, clock);
}

}  // namespace fairway::risk
