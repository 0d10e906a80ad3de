// SPDX-License-Identifier: Apache-2.0

// Parses replies of Prometheus's HTTP API.
#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "promql/engine/engine.h"
#include "promql/engine/labels.h"
#include "promql/engine/value.h"

namespace fairway::promql {

// Errors are `unavailable` and begin with "bad_response: ", like those of Prometheus's Go client.

/// Reads a sample's value in Prometheus's format ("1", "0.5", "+Inf", "NaN"); std::nullopt if it is not one.
std::optional<double> sample_value(std::string_view text);

/// Reads the labels of an item of a result, {"metric":{"job":"a"},...}.
Result<LabelsRef> read_metric(const json::Value& item);

/// Reads `[1700000000.123, "1.5"]`.
Result<Point> read_point(const json::Value& pair);

/// Reads a whole reply, {"status":"success","data":{...},"warnings":[...],"infos":[...]}. Native histograms
/// are an error (`unsupported`).
Result<QueryResult> read_result(const json::Value& answer);

}  // namespace fairway::promql
