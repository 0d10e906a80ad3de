// SPDX-License-Identifier: Apache-2.0

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

/// Evaluates a question at one time, with `options` (whose dialect counts unless the question needs the other
/// one). The error means that the engine gave up (a limit, the deadline) or lacks a feature: another
/// evaluator may be tried, unless it is too costly. An error in the query itself is a failed answer.
std::expected<Answer, promql::QueryError> try_evaluate_on(const promql::SeriesStore& series,
                                                          const Question& question, promql::Timestamp time,
                                                          const promql::EngineOptions& options);

/// Returns the failed answer for such an error.
Answer failure_of(const promql::QueryError& error);

/// Returns the answer if a result is 0, but proves nothing.
Answer not_sure(const std::string& why);
/// Returns the answer if a query looks back further than there are samples.
Answer held_too_short(std::chrono::milliseconds reach, std::chrono::nanoseconds held);
/// Returns the answer to a query with a fixed time if only present samples are held.
Answer earlier_samples_missing();

/// Rejects questions that are too costly by the series that were seen, and evaluates the rest within their
/// shares: `evaluate` gets the number of a question, and the processor time at which to give up.
std::vector<std::optional<Answer>> evaluate_fairly(
    std::span<const Question* const> due, CpuShares& shares,
    const std::shared_ptr<const promql::SeriesSeen>& seen,
    const std::function<std::expected<Answer, promql::QueryError>(std::size_t, std::chrono::nanoseconds)>&
        evaluate);

/// Converts a wall time to the time of samples.
promql::Timestamp timestamp_of(WallTime time);

}  // namespace fairway::risk
