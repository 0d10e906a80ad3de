// The evaluator for clusters without Prometheus: it reads series itself, and keeps them as long as the
// queries' ranges need. spec: targeted-update-edge-blocking, Clusters without local Prometheus stacks.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/client.h"
#include "promql/engine/engine.h"
#include "promql/engine/series.h"
#include "risk/evaluator.h"
#include "risk/throttle.h"

namespace fairway::risk {

struct LocalOptions {
  /// Files in Prometheus's text format.
  std::vector<std::string> files;
  /// URLs that answer in it. Their series get the label `instance` (HOST:PORT) where they have none, those of
  /// several targets of one HOST:PORT also `metrics_path`, and each target has a series `up`.
  std::vector<std::string> targets;
  /// PEM files of CAs trusted beside the system's.
  std::vector<std::string> ca_files;
  /// A bearer token for the targets, read anew each time. Empty: none is sent.
  std::string token_file;
  bool proxy_environment = true;
  /// For reading one target.
  std::chrono::milliseconds deadline = std::chrono::seconds(10);
  /// More than this of one file or target is an error.
  std::size_t max_bytes = std::size_t{64} << 20;
  /// What is kept; of more than this nothing is taken, and nothing that rests on it is sure.
  std::size_t most_series = 200'000, most_samples = 2'000'000;
  /// Questions are answered from what was read less than this ago, otherwise it is read again first.
  std::chrono::nanoseconds interval = std::chrono::seconds(30);
  /// How long what nobody asks for is kept up.
  std::chrono::nanoseconds unused = std::chrono::hours(24);
  /// Limits of one evaluation; clock, deadline and stop token are set for each.
  promql::EngineOptions engine;
  std::chrono::milliseconds evaluation_deadline = std::chrono::seconds(10);
};

/// Answers everything it is asked, without slots: give it polling rules that are switched off. Only the
/// metrics that questions name are kept. It never says "does not match" where it cannot know: when a source
/// could not be read or has no samples at all, when more would have to be kept than the options allow, when
/// two of them disagree about a series, when a series has samples only of times at which the query does not
/// look, or a query looks back further than there are samples. What fails says what is wrong with the
/// sources.
class LocalEvaluator final : public Evaluator {
 public:
  /// An Error: a URL or a CA file is of no use, or there is no source at all. The clock outlives it.
  static Result<std::unique_ptr<LocalEvaluator>> create(const LocalOptions& options, Clock& clock);
  ~LocalEvaluator() override;

  std::string_view name() const override { return "local"; }
  bool takes_many() const override { return true; }
  std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                              std::span<const Question* const> early,
                                              std::stop_token stop) override;

  /// Reads all sources now. Whoever wants ranges to have more samples than rounds bring calls it in between;
  /// safe beside `evaluate`.
  void collect(const std::stop_token& stop);

  std::size_t series_count() const;

  /// Why sources prove nothing since they were last read, one text each.
  std::vector<std::string> problems() const;

 private:
  struct Source;
  /// What questions ask of the series: which metrics, and how far back.
  struct Need {
    std::shared_ptr<const promql::Expression> expression;
    std::vector<const promql::VectorSelector*> selectors;  ///< in it
    std::chrono::milliseconds reach{};
    SteadyTime last_asked;
    /// The first collection that had it, of those since a source could not be read.
    std::optional<SteadyTime> since;
  };

  LocalEvaluator(const LocalOptions& options, Clock& clock);
  /// Gives each target what its series are labelled with. An Error: one target is named twice.
  Result<void> tell_targets_apart();
  void note(const Question& question);
  void collect_locked(const std::stop_token& stop);
  Result<std::string> read(const Source& source, std::stop_token stop) const;
  /// By series, the last value that a source had of it in this collection, and which one.
  using Latest = std::map<std::vector<promql::Label>, std::pair<double, const Source*>>;
  void take(Source& source, const promql::SeriesStore& read, promql::Timestamp now,
            const std::function<bool(std::string_view metric)>& is_needed, Latest& latest);
  static void note_times(Source& source, const std::string& metric, const promql::Series& series,
                         promql::Timestamp now);
  /// Marks the end of series that no source has any more, once all have been taken.
  void end_what_is_gone();
  /// How far back a metric is needed; nothing: not at all.
  std::optional<std::chrono::milliseconds> reach_of(const std::string& metric) const;
  Answer answer(const Question& question, std::stop_token stop) const;
  std::vector<std::string> problems_locked() const;

  LocalOptions options_;
  Clock& clock_;
  std::unique_ptr<http::Client> client_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Source>> sources_;
  promql::SeriesStore series_;
  std::map<std::string, Need, std::less<>> needs_;  ///< by key of the question
  std::optional<Moment> collected_;
};

/// Answers from series that somebody else holds, at one time: what a file says is the whole truth.
class FixedSeries final : public Evaluator {
 public:
  /// The series outlive it.
  FixedSeries(const promql::SeriesStore& series, promql::Timestamp time,
              const promql::EngineOptions& engine = {})
      : series_(series), time_(time), engine_(engine) {}

  std::string_view name() const override { return "local"; }
  bool takes_many() const override { return true; }
  std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                              std::span<const Question* const> early,
                                              std::stop_token stop) override;

  /// Metrics that questions named and that have samples, but none where the questions looked, with the time
  /// of the last: probably it is not the time that was meant.
  const std::map<std::string, promql::Timestamp>& out_of_sight() const { return out_of_sight_; }

 private:
  const promql::SeriesStore& series_;
  promql::Timestamp time_;
  promql::EngineOptions engine_;
  std::map<std::string, promql::Timestamp> out_of_sight_;
};

}  // namespace fairway::risk
