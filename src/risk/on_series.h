// Questions answered over series in memory.
#pragma once

#include <string>

#include "promql/engine.h"
#include "promql/series.h"
#include "risk/answer.h"
#include "risk/condition.h"

namespace fairway::risk {

/// Evaluates a question at one time, with `options` (whose dialect counts where the question does not need
/// another). What the engine refuses or gives up is a failed answer.
Answer evaluate_on(const promql::SeriesStore& series, const Question& question, promql::Timestamp time,
                   const promql::EngineOptions& options);

/// A wall time as samples have it.
promql::Timestamp timestamp_of(WallTime time);

}  // namespace fairway::risk
