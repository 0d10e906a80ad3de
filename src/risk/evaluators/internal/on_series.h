// Questions answered over series in memory.
#pragma once

#include <expected>
#include <string>

#include "promql/engine/engine.h"
#include "promql/engine/series.h"
#include "risk/answer.h"
#include "risk/condition.h"

namespace fairway::risk {

/// Evaluates a question at one time, with `options` (whose dialect counts where the question does not need
/// another). What the engine refuses or gives up is a failed answer.
Answer evaluate_on(const promql::SeriesStore& series, const Question& question, promql::Timestamp time,
                   const promql::EngineOptions& options);

/// The same where somebody else may be asked instead: the error is what the engine gave up (a limit, the
/// deadline), or does not offer. Whatever is wrong with the query itself is a failed answer.
std::expected<Answer, promql::QueryError> try_evaluate_on(const promql::SeriesStore& series,
                                                          const Question& question, promql::Timestamp time,
                                                          const promql::EngineOptions& options);

/// A wall time as samples have it.
promql::Timestamp timestamp_of(WallTime time);

}  // namespace fairway::risk
