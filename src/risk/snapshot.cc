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

constexpr promql::Nanoseconds nanoseconds_a_millisecond = 1'000'000;
/// Fetches of one slot.
constexpr std::size_t most_fetches = 2;
/// Questions that are known to need a slot of their own.
constexpr std::size_t most_remembered = 10'000;
/// Samples that tell how often a series is scraped.
constexpr std::size_t samples_of_pace = 10;

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
  if (!same || same->metrics != plan->metrics || same->window != plan->window) return std::nullopt;
  return Planned{*std::move(plan), std::move(older)};
}

/// Questions of one fetch.
struct Batch {
  std::vector<std::size_t> members;  ///< indices into what is due
  std::vector<const SnapshotPlan*> plans;
  std::vector<const Question*> in_prometheus2;
  std::size_t names_bytes = 0;
  promql::Nanoseconds window = 0;
};

/// Whether an instant selector would find at `time` what a range of raw samples shows last. Ranges leave the
/// marks out that end a series: it has surely not ended while its next sample is not due yet, and is surely
/// gone when even the lookback is over.
bool certain(const promql::Series& series, promql::Timestamp time, std::chrono::milliseconds lookback) {
  const std::vector<promql::Point>& points = series.points;
  if (points.empty()) return true;
  const promql::Timestamp age = time - points.back().time;
  if (age >= lookback.count()) return true;
  promql::Timestamp pace = 0;
  for (std::size_t i = points.size() - 1, seen = 0; i > 0 && seen < samples_of_pace; --i, ++seen) {
    const promql::Timestamp gap = points[i].time - points[i - 1].time;
    pace = seen == 0 ? gap : std::min(pace, gap);
  }
  // Scrapes are a little early or late.
  return age < pace - pace / 10;
}

class Snapshot final : public Evaluator {
 public:
  Snapshot(std::shared_ptr<PrometheusApi> api, const SnapshotOptions& options, Clock& clock)
      : api_(std::move(api)), options_(options), clock_(clock) {}

  std::string_view name() const override { return "snapshot"; }
  bool takes_many() const override { return true; }

  std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                              std::stop_token stop) override {
    std::vector<std::optional<Answer>> answers(due.size());
    std::vector<std::optional<Planned>> plans(due.size());
    for (std::size_t i = 0; i < due.size(); ++i) {
      if (!remote_next_.contains(due[i]->key)) plans[i] = plan_of(*due[i]);
    }
    if (!plans.front()) {
      remote_next_.erase(due.front()->key);
      answers.front() = ask_remote(*api_, *due.front(), std::move(stop));
      answers.front()->evaluator = "remote";
      return answers;
    }
    if (present_next_.contains(due.front()->key)) {
      // What a range could not tell, the present does: nothing that needs a range goes along.
      for (auto& planned : plans) {
        if (planned && planned->plan.window != 0) planned.reset();
      }
    }
    for (const Batch& batch : batches_of(plans)) {
      answer(batch, due, answers, stop);
      if (stop.stop_requested()) return answers;
    }
    // Whoever the slot belongs to has an answer, if only that it has to go itself.
    if (!answers.front()) {
      answers.front() = leave_to_remote(
          *due.front(), "evaluating on a snapshot: a series may have ended since its last sample",
          Answer::Spent::slot);
    }
    return answers;
  }

 private:
  std::vector<Batch> batches_of(const std::vector<std::optional<Planned>>& plans) const {
    std::vector<Batch> batches(1);
    std::set<std::string, std::less<>> names;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (!plans[i]) continue;
      const SnapshotPlan& plan = plans[i]->plan;
      std::size_t more = 0;
      for (const std::string& name : plan.metrics) more += names.contains(name) ? 0 : name.size() + 1;
      if (!batches.back().members.empty() && batches.back().names_bytes + more > options_.max_names_bytes) {
        if (batches.size() == most_fetches) continue;  // it may still fit the next slot
        batches.emplace_back();
        names.clear();
        more = 0;
        for (const std::string& name : plan.metrics) more += name.size() + 1;
      }
      Batch& batch = batches.back();
      batch.members.push_back(i);
      batch.plans.push_back(&plan);
      batch.in_prometheus2.push_back(&plans[i]->in_prometheus2);
      batch.names_bytes += more;
      batch.window = std::max(batch.window, plan.window);
      names.insert(plan.metrics.begin(), plan.metrics.end());
    }
    for (Batch& batch : batches) {
      const bool looks_back =
          batch.window != 0 &&
          std::ranges::any_of(batch.plans, [](const SnapshotPlan* plan) { return !plan->instants.empty(); });
      // What an instant selector finds may be as old as the lookback.
      if (looks_back)
        batch.window = std::max(batch.window, options_.engine.lookback.count() * nanoseconds_a_millisecond);
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

  void answer(const Batch& batch, std::span<const Question* const> due,
              std::vector<std::optional<Answer>>& answers, const std::stop_token& stop) {
    // A range is only the same range at the same time; the present is the server's.
    std::optional<promql::Timestamp> time;
    if (batch.window != 0) time = timestamp_of(clock_.now());
    const auto data =
        api_->query(snapshot_query(batch.plans, batch.window), stop, options_.max_answer_bytes, time);
    std::string failure;
    auto spent = Answer::Spent::slot;
    Result<FetchedSeries> fetched;
    if (data) {
      fetched = read_fetched_series(*data, options_.most);
      if (!fetched) failure = fetched.error().message;
    } else {
      failure = data.error().message;
      if (!data.error().sent) spent = Answer::Spent::nothing;
    }
    if (!failure.empty()) {
      for (const std::size_t i : batch.members)
        answers[i] = leave_to_remote(*due[i], "fetching a snapshot: " + failure, spent);
      return;
    }
    const promql::Timestamp now = time                 ? *time
                                  : fetched->time != 0 ? fetched->time
                                                       : timestamp_of(clock_.now());
    promql::EngineOptions engine = options_.engine;
    engine.clock = &Clock::system();
    engine.stop = stop;
    for (std::size_t m = 0; m < batch.members.size(); ++m) {
      const std::size_t i = batch.members[m];
      if (batch.window != 0 && !all_certain(*batch.plans[m], fetched->series, now)) {
        remember(batch.plans[m]->window == 0 ? present_next_ : remote_next_, *due[i]);
        continue;
      }
      present_next_.erase(due[i]->key);
      const auto evaluate_as = [&](const Question& question, promql::Dialect dialect) {
        engine.dialect = dialect;
        engine.deadline = engine.clock->steady() + options_.evaluation_deadline;
        return evaluate_on(fetched->series, question, now, engine);
      };
      // Nobody here knows the server's version: where it matters, the server has to be asked.
      Answer answer = evaluate_as(*due[i], promql::Dialect::prometheus3);
      const Answer older = evaluate_as(*batch.in_prometheus2[m], promql::Dialect::prometheus2);
      if (answer.outcome == older.outcome) {
        answers[i] = std::move(answer);
        continue;
      }
      Answer left = leave_to_remote(
          *due[i], "evaluating on a snapshot: Prometheus 2 and Prometheus 3 answer this differently",
          Answer::Spent::slot);
      if (i == 0) answers[i] = std::move(left);
    }
  }

  bool all_certain(const SnapshotPlan& plan, const promql::SeriesStore& series,
                   promql::Timestamp time) const {
    return std::ranges::all_of(plan.instants, [&](const promql::VectorSelector* selector) {
      return std::ranges::all_of(series.select(selector->matchers), [&](const promql::Series* one) {
        return certain(*one, time, options_.engine.lookback);
      });
    });
  }

  std::shared_ptr<PrometheusApi> api_;
  SnapshotOptions options_;
  Clock& clock_;
  /// Keys of questions whose next slot is their own, and of those that are next looked for in the present
  /// alone.
  Keys remote_next_, present_next_;
};

}  // namespace

std::unique_ptr<Evaluator> make_snapshot(std::shared_ptr<PrometheusApi> api, const SnapshotOptions& options,
                                         Clock& clock) {
  return std::make_unique<Snapshot>(std::move(api), options, clock);
}

}  // namespace fairway::risk
