// Which Prometheus a query is for.
#pragma once

namespace fairway::promql {

/// Clusters run both; the language and its evaluation differ in more than one place (docs/promql.md lists
/// them).
enum class Dialect {
  prometheus3,  ///< 3.x without its experimental parts
  prometheus2,  ///< as 2.42 understands it
};

}  // namespace fairway::promql
