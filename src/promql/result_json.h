// Results as Prometheus's HTTP API gives them.
#pragma once

#include <string>

#include "promql/engine.h"

namespace fairway::promql {

/// {"status":"success","data":{"resultType":...,"result":...}}, with warnings and infos where there are some;
/// byte for byte what Prometheus writes.
std::string to_json_text(const QueryResult& result);

/// {"status":"error","errorType":"execution","error":...}
std::string to_json_text(const QueryError& error);

}  // namespace fairway::promql
