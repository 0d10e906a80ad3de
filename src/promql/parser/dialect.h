// SPDX-License-Identifier: Apache-2.0

// The Prometheus version that a query is written for.
#pragma once

namespace fairway::promql {

/// A version of PromQL. Clusters run both; the language and its evaluation differ, as
/// docs/promql-compatibility.md lists.
enum class Dialect {
  prometheus3,  ///< 3.x without experimental features
  prometheus2,  ///< Prometheus 2, as of 2.42
};

}  // namespace fairway::promql
