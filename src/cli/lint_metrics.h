// SPDX-License-Identifier: Apache-2.0

// Changed queries of graph data, tried on metrics of clusters: `fairway lint --metrics`.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "graphdata/lint/queries.h"

namespace fairway::cli {

/// A file of metrics, and a text about the result of a query over it.
struct OtherResult {
  std::string file;
  std::string what;  ///< "7", "a scalar", an error, or the reason why a 0 proves nothing
};

struct QueryResults {
  graphdata::RiskQuery query;
  /// Files of metrics, by the query's result over them: one sample of 0 or 1, several samples, none.
  std::vector<std::string> zero, one, several, none;
  /// Files over which a 0 proves nothing about the cluster: the file has none of the metrics that the query
  /// names, so that a failed scrape would give the same result, or `risk check --series` doubts it (samples
  /// of another time, or of a shorter one than the query looks back).
  std::vector<OtherResult> no_proof;
  std::vector<OtherResult> other;  ///< files with any other result
};

/// Evaluates each query over the metrics of each file, as `fairway promql eval --series FILE` does. A capture
/// that does not name its Prometheus is evaluated in both dialects. An Error: a file cannot be read.
Result<std::vector<QueryResults>> try_queries(std::vector<graphdata::RiskQuery> queries,
                                              const std::vector<std::string>& files);

/// Returns a table of counts, and below it the files over which a query has another result than one sample of
/// 0 or 1.
std::string to_metrics_text(const std::vector<QueryResults>& results, const std::string& prefix,
                            std::size_t files);
/// Returns [{"risk","file","line","column","query","zero":[],"one":[],"several":[],"none":[],
/// "noProof":[{"file","what"}],"other":[{"file","what"}]}], with the names of files.
json::Array to_metrics_json(const std::vector<QueryResults>& results, const std::string& prefix);
/// Returns a notice for each query.
std::string to_metrics_github(const std::vector<QueryResults>& results, const std::string& prefix,
                              std::size_t files);

}  // namespace fairway::cli
