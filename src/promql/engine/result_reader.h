// Answers of Prometheus's HTTP API, read.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "promql/engine/engine.h"
#include "promql/engine/labels.h"
#include "promql/engine/value.h"

namespace fairway::promql {

// Errors are `unavailable` and begin with "bad_response: ", as those of Prometheus's Go client.

/// A sample's value as Prometheus writes numbers ("1", "0.5", "+Inf", "NaN"); nothing for any other text.
std::optional<double> sample_value(std::string_view text);

/// The labels of an item of a result, {"metric":{"job":"a"},...}.
Result<LabelsRef> read_metric(const json::Value& item);

/// `[1700000000.123, "1.5"]`
Result<Point> read_point(const json::Value& pair);

/// A whole answer, {"status":"success","data":{...},"warnings":[...],"infos":[...]}. What holds native
/// histograms is an error (`unsupported`).
Result<QueryResult> read_result(const json::Value& answer);

}  // namespace fairway::promql
