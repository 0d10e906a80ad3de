#include "risk/snapshot.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "promql/parser.h"
#include "risk/on_series.h"
#include "risk/remote.h"
#include "risk/snapshot_plan.h"
#include "risk/snapshot_series.h"

namespace fairway::risk {

namespace {

/// Fetches of one slot.
constexpr std::size_t most_fetches = 2;
/// Questions that are known to need a slot of their own.
constexpr std::size_t most_remembered = 10'000;
/// How far from the server's clock a time may be for it to be the server's present. HTTP tells whole seconds,
/// and some servers make that text once a second.
constexpr std::chrono::milliseconds present_to_within = std::chrono::seconds(2);

/// All series of a fetch come with the widest window that any of its questions has: those that look much less
/// far back wait for a fetch of their own.
constexpr promql::Nanoseconds most_times_wider = 12;

/// A question that can be evaluated over fetched series, and how Prometheus 2 reads it.
struct Planned {
  SnapshotPlan plan;
  Question in_prometheus2;
};

/// Nothing where the question is for the server alone: plain series do not bring what it needs, or only one
/// of the two dialects understands it, and nobody here knows which one the server speaks.
std::optional<Planned> plan_of(const Question& question) {
  if (question.dialect == promql::Dialect::prometheus2) return std::nullopt;
  auto plan = plan_snapshot(*question.expression);
  if (!plan) return std::nullopt;
  auto parsed = promql::parse(question.query, promql::Dialect::prometheus2);
  if (!parsed) return std::nullopt;
  Question older = question;
  older.expression = *std::move(parsed);
  older.dialect = promql::Dialect::prometheus2;
  const auto same = plan_snapshot(*older.expression);
  if (!same || same->present != plan->present || same->past != plan->past || same->window != plan->window)
    return std::nullopt;
  return Planned{*std::move(plan), std::move(older)};
}

/// Metric names of one fetch.
struct Names {
  std::set<std::string, std::less<>> names;
  std::size_t bytes = 0;

  std::size_t bytes_with(const std::set<std::string>& more) const {
    std::size_t sum = bytes;
    for (const std::string& name : more) sum += names.contains(name) ? 0 : name.size() + 1;
    return sum;
  }
  void add(const std::set<std::string>& more) {
    bytes = bytes_with(more);
    names.insert(more.begin(), more.end());
  }
};

/// Questions that are judged by the same fetches: one of the present, one of ranges, or only one of the two.
struct Batch {
  std::vector<std::size_t> members;  ///< indices into what is due
  std::vector<const SnapshotPlan*> plans;
  std::vector<const Question*> in_prometheus2;
  Names present, past;
  promql::Nanoseconds window = 0, narrowest = 0;  ///< of ranges; 0: there are none

  bool has_room_for(const SnapshotPlan& plan, std::size_t most) const {
    if (members.empty()) return true;
    if (plan.window != 0 && window != 0 &&
        std::max(plan.window, window) / most_times_wider > std::min(plan.window, narrowest))
      return false;
    return present.bytes_with(plan.present) <= most && past.bytes_with(plan.past) <= most;
  }
  void add(std::size_t member, const Planned& planned) {
    members.push_back(member);
    plans.push_back(&planned.plan);
    in_prometheus2.push_back(&planned.in_prometheus2);
    present.add(planned.plan.present);
    past.add(planned.plan.past);
    if (planned.plan.window == 0) return;
    narrowest = window == 0 ? planned.plan.window : std::min(narrowest, planned.plan.window);
    window = std::max(window, planned.plan.window);
  }
};

class Snapshot final : public Evaluator {
 public:
  Snapshot(std::shared_ptr<PrometheusApi> api, const SnapshotOptions& options, Clock& clock)
      : api_(std::move(api)), options_(options), clock_(clock) {}

  std::string_view name() const override { return "snapshot"; }
  bool takes_many() const override { return true; }

  std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                              std::span<const Question* const> early,
                                              std::stop_token stop) override {
    // Without those that are early, each question that once went by itself would keep an hour of its own, and
    // have what all of them want fetched anew in each.
    std::vector<const Question*> asked(due.begin(), due.end());
    asked.insert(asked.end(), early.begin(), early.end());
    std::vector<std::optional<Answer>> answers(asked.size());
    std::vector<std::optional<Planned>> plans(asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (!remote_next_.contains(asked[i]->key)) plans[i] = plan_of(*asked[i]);
    }
    if (!plans.front()) {
      remote_next_.erase(due.front()->key);
      answers.front() = ask_remote(*api_, *due.front(), std::move(stop));
      answers.front()->evaluator = "remote";
      return answers;
    }
    for (const Batch& batch : batches_of(plans, due.size())) {
      answer(batch, {asked, due.size()}, answers, stop);
      if (stop.stop_requested()) return answers;
    }
    // Whoever the slot belongs to has an answer, if only that it has to go itself.
    if (!answers.front()) {
      answers.front() =
          leave_to_remote(*due.front(), "evaluating on a snapshot: the server does not say what time it has",
                          Answer::Spent::slot);
    }
    return answers;
  }

 private:
  /// As many batches as one slot has fetches for; what finds no room in them waits for the next. Whoever is
  /// first always finds some. Those behind the first `due` come along where there is room for them.
  std::vector<Batch> batches_of(const std::vector<std::optional<Planned>>& plans, std::size_t due) const {
    const bool ranges =
        std::ranges::any_of(plans, [](const auto& planned) { return planned && planned->plan.window != 0; });
    std::vector<Batch> batches(1);
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (!plans[i]) continue;
      if (!batches.back().has_room_for(plans[i]->plan, options_.max_names_bytes)) {
        if (ranges || i >= due || batches.size() == most_fetches) continue;
        batches.emplace_back();
      }
      batches.back().add(i, *plans[i]);
    }
    return batches;
  }

  using Keys = std::set<std::string, std::less<>>;

  static void remember(Keys& keys, const Question& question) {
    // Whoever is forgotten here is only tried once more.
    if (keys.size() >= most_remembered) keys.clear();
    keys.insert(question.key);
  }

  Answer leave_to_remote(const Question& question, std::string why, Answer::Spent spent) {
    remember(remote_next_, question);
    return Answer::failure(std::move(why), spent);
  }

  /// The questions of one slot; those behind the first `due` only come along.
  struct Asked {
    std::span<const Question* const> questions;
    std::size_t due;
  };

  /// What one fetch brought, or why it failed.
  struct Fetch {
    FetchedSeries fetched;
    std::optional<WallTime> date;
    std::string failure;
    Answer::Spent spent = Answer::Spent::slot;
  };

  Fetch fetch(const std::string& query, std::optional<promql::Timestamp> time, const std::stop_token& stop) {
    Fetch made;
    auto reply = api_->query(query, stop, options_.max_answer_bytes, time);
    if (!reply) {
      made.failure = std::move(reply.error().message);
      if (!reply.error().sent) made.spent = Answer::Spent::nothing;
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

  /// Whether `time`, which was asked for between `before` and `after` (on the clock here), was the server's
  /// present, and none of its future, by what its answer says. Where it was not, the next one will be.
  bool was_present(promql::Timestamp time, promql::Timestamp before, promql::Timestamp after,
                   std::optional<WallTime> date) {
    if (!date) return false;
    const promql::Timestamp said = timestamp_of(*date);
    const promql::Timestamp within = present_to_within.count();
    // The answer may have been made when it was asked for, and have been long on its way.
    const promql::Timestamp took = std::max<promql::Timestamp>(after - before, 0);
    if (said - took >= time - within && said <= after + server_ahead_ + within) return true;
    server_ahead_ = said - after;
    return false;
  }

  /// Instant selectors have the server say what it finds at its present time: only it knows where a series
  /// has ended, and how far it looks back. Ranges are of raw samples, and are asked for at that very time.
  void answer(const Batch& batch, const Asked& asked, std::vector<std::optional<Answer>>& answers,
              const std::stop_token& stop) {
    const auto fail_with = [&](const Fetch& failed, bool all) {
      for (std::size_t m = 0; m < batch.members.size(); ++m) {
        const std::size_t i = batch.members[m];
        if (i >= asked.due || (!all && batch.plans[m]->window == 0)) continue;
        answers[i] =
            leave_to_remote(*asked.questions[i], "fetching a snapshot: " + failed.failure, failed.spent);
      }
    };
    Fetch present, past;
    if (!batch.present.names.empty()) {
      present = fetch(snapshot_query(batch.plans, 0), {}, stop);
      if (!present.failure.empty()) return fail_with(present, true);
      if (stop.stop_requested()) return;
    }
    // Of an answer without samples nobody can tell when it was made.
    std::optional<promql::Timestamp> now;
    if (present.fetched.time != 0) now = present.fetched.time;
    bool has_past = false;
    if (batch.window != 0) {
      const promql::Timestamp before = timestamp_of(clock_.now()),
                              time = now.value_or(before + server_ahead_);
      past = fetch(snapshot_query(batch.plans, batch.window), time, stop);
      if (!past.failure.empty()) {
        fail_with(past, false);
      } else {
        has_past = now || was_present(time, before, timestamp_of(clock_.now()), past.date);
        if (has_past) now = time;
      }
    }
    for (std::size_t m = 0; m < batch.members.size(); ++m) {
      const SnapshotPlan& plan = *batch.plans[m];
      if ((plan.window != 0 && !has_past) || (plan.tells_time && !now)) continue;
      judge_member(batch, m, asked, answers, {present.fetched.series, past.fetched.series},
                   now.value_or(timestamp_of(clock_.now())), stop);
    }
  }

  struct Stores {
    const promql::SeriesStore& present;
    const promql::SeriesStore& past;
  };

  void judge_member(const Batch& batch, std::size_t member, const Asked& asked,
                    std::vector<std::optional<Answer>>& answers, const Stores& stores, promql::Timestamp now,
                    const std::stop_token& stop) {
    const std::size_t i = batch.members[member];
    promql::EngineOptions engine = options_.engine;
    engine.clock = &Clock::system();
    engine.stop = stop;
    engine.present = &stores.present;
    const auto evaluate_as = [&](const Question& question, promql::Dialect dialect) {
      engine.dialect = dialect;
      engine.deadline = engine.clock->steady() + options_.evaluation_deadline;
      return evaluate_on(stores.past, question, now, engine);
    };
    // Nobody here knows the server's version: where it matters, the server has to be asked.
    Answer answer = evaluate_as(*asked.questions[i], promql::Dialect::prometheus3);
    const Answer older = evaluate_as(*batch.in_prometheus2[member], promql::Dialect::prometheus2);
    if (answer.outcome == older.outcome) {
      answers[i] = std::move(answer);
      return;
    }
    if (i >= asked.due) return;
    Answer left =
        leave_to_remote(*asked.questions[i],
                        "evaluating on a snapshot: Prometheus 2 and Prometheus 3 answer this differently",
                        Answer::Spent::slot);
    if (i == 0) answers[i] = std::move(left);
  }

  std::shared_ptr<PrometheusApi> api_;
  SnapshotOptions options_;
  Clock& clock_;
  /// Keys of questions whose next slot is their own.
  Keys remote_next_;
  /// How far the server's clock is ahead of the one here, in milliseconds, as far as that matters.
  promql::Timestamp server_ahead_ = 0;
};

}  // namespace

std::unique_ptr<Evaluator> make_snapshot(std::shared_ptr<PrometheusApi> api, const SnapshotOptions& options,
                                         Clock& clock) {
  return std::make_unique<Snapshot>(std::move(api), options, clock);
}

}  // namespace fairway::risk
