// Results as Prometheus's HTTP API gives them.
#pragma once

#include <string>
#include <string_view>

#include "promql/engine/engine.h"

namespace fairway::promql {

/// {"status":"success","data":{"resultType":...,"result":...}}, with warnings and infos where there are some;
/// byte for byte what the Prometheus of the dialect writes.
std::string to_json_text(const QueryResult& result, Dialect dialect = Dialect::prometheus3);

/// {"status":"error","errorType":"execution","error":...}
std::string to_json_text(const QueryError& error);

/// The same of an error that has another type, such as `bad_data`.
std::string error_json_text(std::string_view type, std::string_view message);

}  // namespace fairway::promql
