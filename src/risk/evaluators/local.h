// SPDX-License-Identifier: Apache-2.0

// The evaluator for clusters without Prometheus: it scrapes series itself, and keeps them as long as the
// queries' ranges need. The enhancement of docs/risks.md, section Clusters without local
// Prometheus stacks.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
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

class CpuShares;

struct LocalOptions {
  /// Files in Prometheus's text format.
  std::vector<std::string> files;
  /// URLs to scrape in that format. Their series get the label `instance` (HOST:PORT) if they have none,
  /// those of several targets at one HOST:PORT also `metrics_path`, and each target has a series `up`.
  std::vector<std::string> targets;
  /// PEM files of CAs trusted in addition to the system's.
  std::vector<std::string> ca_files;
  /// File with a bearer token for the targets, reread for each scrape. Empty: none is sent.
  std::string token_file;
  bool proxy_environment = true;
  /// Deadline of one scrape.
  std::chrono::milliseconds deadline = std::chrono::seconds(10);
  /// Maximum size of a file or reply; a larger one is an error.
  std::size_t max_bytes = std::size_t{64} << 20;
  /// Limits on the store; samples beyond them are not stored, and results that depend on that source are
  /// failures.
  std::size_t most_series = 200'000, most_samples = 2'000'000;
  /// Maximum age of a scrape; older data is scraped again before a question is answered.
  std::chrono::nanoseconds interval = std::chrono::seconds(30);
  /// Time that the series of a question are kept after its last request.
  std::chrono::nanoseconds unused = std::chrono::hours(24);
  /// Limits of one evaluation; clock, deadline and stop token are set for each.
  promql::EngineOptions engine = evaluation_limits();
  std::chrono::milliseconds evaluation_deadline = std::chrono::seconds(10);
  CpuLimits cpu;
  /// Counts of the series of each metric; share it with the registry's `CostLimits`.
  std::shared_ptr<promql::SeriesSeen> seen = std::make_shared<promql::SeriesSeen>();
};

/// Answers every question immediately: use it with polling rules switched off. Stores only
/// metrics that questions name. It never answers "does not match" on incomplete data: a source
/// that cannot be read or has no samples, a limit of the options exceeded, two sources that
/// disagree about a series, a series with samples only outside the query's time range, or a query
/// that looks back further than there are samples. Such a failure says what is wrong with the
/// sources.
class LocalEvaluator final : public Evaluator {
 public:
  /// Creates an evaluator. Errors: an invalid URL or CA file, or no source at all. The clock must outlive it.
  static Result<std::unique_ptr<LocalEvaluator>> create(const LocalOptions& options, Clock& clock);
  ~LocalEvaluator() override;

  std::string_view name() const override { return "local"; }
  bool evaluates_batches() const override { return true; }
  void begin_round() override;
  std::vector<std::optional<Answer>> evaluate(std::span<const Question* const> due,
                                              std::span<const Question* const> early,
                                              std::stop_token stop) override;

  /// Scrapes all sources now. Call it between rounds to have more samples in ranges; safe concurrently with
  /// `evaluate`.
  void collect(const std::stop_token& stop);

  std::size_t series_count() const;

  /// Reasons why sources are incomplete since their last scrape, one text each.
  std::vector<std::string> problems() const;

 private:
  struct Source;
  /// The needs of a question: its metrics, and how far back it reads them.
  struct Need {
    std::shared_ptr<const promql::Expression> expression;
    std::vector<const promql::VectorSelector*> selectors;  ///< selectors in the expression
    std::chrono::milliseconds reach{};
    SteadyTime last_asked;
    /// Time of the first collection with it since a source could not be read.
    std::optional<SteadyTime> since;
  };

  LocalEvaluator(const LocalOptions& options, Clock& clock);
  /// Sets the labels that each target adds to its series. An Error: a duplicate target.
  Result<void> label_targets();
  void record(const Question& question);
  void collect_locked(const std::stop_token& stop);
  Result<std::string> read(const Source& source, std::stop_token stop) const;
  /// Latest value of each series in this collection, and its source.
  using Latest = std::map<std::vector<promql::Label>, std::pair<double, const Source*>>;
  void take(Source& source, const promql::SeriesStore& read, promql::Timestamp now,
            const std::function<bool(std::string_view metric)>& is_needed, Latest& latest);
  static void record_times(Source& source, const std::string& metric, const promql::Series& series,
                           promql::Timestamp now);
  /// Adds stale markers to series that no source has any more, after all were scraped.
  void mark_missing_stale();
  /// Returns how far back a metric is needed; std::nullopt: not at all.
  std::optional<std::chrono::milliseconds> reach_of(const std::string& metric) const;
  std::expected<Answer, promql::QueryError> answer(const Question& question, std::stop_token stop,
                                                   std::chrono::nanoseconds cpu_until) const;
  std::vector<std::string> problems_locked() const;

  LocalOptions options_;
  Clock& clock_;
  std::unique_ptr<http::Client> client_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Source>> sources_;
  promql::SeriesStore series_;
  std::unique_ptr<CpuShares> shares_;
  std::map<std::string, Need, std::less<>> needs_;  ///< needs by the key of the question
  std::optional<Moment> collected_;
};

}  // namespace fairway::risk
