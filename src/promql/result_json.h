// Results as Prometheus's HTTP API gives them.
#pragma once

#include "base/json.h"
#include "promql/engine.h"

namespace fairway::promql {

/// {"status":"success","data":{"resultType":...,"result":...}}, with warnings and infos where there are some.
json::Value to_json(const QueryResult& result);

/// {"status":"error","errorType":"execution","error":...}
json::Value to_json(const QueryError& error);

}  // namespace fairway::promql
