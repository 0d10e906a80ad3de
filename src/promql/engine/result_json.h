// SPDX-License-Identifier: Apache-2.0

// Results in the format of Prometheus's HTTP API.
#pragma once

#include <string>
#include <string_view>

#include "promql/engine/engine.h"

namespace fairway::promql {

/// Returns {"status":"success","data":{"resultType":...,"result":...}}, with warnings and infos if there are
/// any; byte for byte as the Prometheus version of the dialect writes it.
std::string to_json_text(const QueryResult& result, Dialect dialect = Dialect::prometheus3);

/// Returns {"status":"error","errorType":"execution","error":...}.
std::string to_json_text(const QueryError& error);

/// Returns the JSON of an error of another type, such as `bad_data`.
std::string error_json_text(std::string_view type, std::string_view message);

}  // namespace fairway::promql
