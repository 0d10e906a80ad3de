// The Prometheus version that a query is written for.
#pragma once

namespace fairway::promql {

/// Clusters run both. The language and its evaluation differ; docs/promql.md lists the
/// differences.
enum class Dialect {
  prometheus3,  ///< 3.x without experimental features
  prometheus2,  ///< as of 2.42
};

}  // namespace fairway::promql
