// Questions answered over series in memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "promql/engine/engine.h"
#include "promql/engine/series.h"
#include "risk/answer.h"
#include "risk/condition.h"
#include "risk/internal/evaluators/cpu_shares.h"

namespace fairway::risk {

/// Evaluates a question at one time, with `options` (whose dialect counts where the question does not need
/// another). The error is what the engine gave up (a limit, the deadline), or does not offer: somebody else
/// may be asked instead, unless it is too costly. Whatever is wrong with the query itself is a failed answer.
std::expected<Answer, promql::QueryError> try_evaluate_on(const promql::SeriesStore& series,
                                                          const Question& question, promql::Timestamp time,
                                                          const promql::EngineOptions& options);

/// The failed answer of such an error.
Answer failure_of(const promql::QueryError& error);

/// The answer where a result is 0, and would be no proof.
Answer not_sure(const std::string& why);
/// The same where a query looks back further than there are samples.
Answer held_too_short(std::chrono::milliseconds reach, std::chrono::nanoseconds held);
/// The answer to a query with a fixed time where only present samples are held.
Answer earlier_samples_missing();

/// Refuses what is too costly by the series that were seen, and has `evaluate` evaluate the rest within their
/// shares: it gets the number of a question, and the processor time at which to give up.
std::vector<std::optional<Answer>> evaluate_fairly(
    std::span<const Question* const> due, CpuShares& shares,
    const std::shared_ptr<const promql::SeriesSeen>& seen,
    const std::function<std::expected<Answer, promql::QueryError>(std::size_t, std::chrono::nanoseconds)>&
        evaluate);

/// A wall time as samples have it.
promql::Timestamp timestamp_of(WallTime time);

}  // namespace fairway::risk
