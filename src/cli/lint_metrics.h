// Changed queries of graph data, tried on metrics of clusters: `fairway lint --metrics`.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "graphdata/lint/queries.h"

namespace fairway::cli {

/// A file of metrics, and what a query gives over it where that is neither 0 nor 1.
struct OtherResult {
  std::string file;
  std::string what;  ///< "7", "a scalar", or an error
};

struct QueryResults {
  graphdata::RiskQuery query;
  /// Files of metrics, by what the query gives over them: one sample of 0 or 1, several samples, none.
  /// `no_proof`: one of 0, where the file has none of the metrics that the query names, so that a failed
  /// scrape would say the same.
  std::vector<std::string> zero, no_proof, one, several, none;
  std::vector<OtherResult> other;
};

/// Evaluates each query over the metrics of each file, as `fairway promql eval --series FILE` does; over a
/// capture that does not say of which Prometheus it is, by the rules of both. An Error: a file cannot be
/// read.
Result<std::vector<QueryResults>> try_queries(std::vector<graphdata::RiskQuery> queries,
                                              const std::vector<std::string>& files);

/// A table of counts, and below it the files where a query gives other than one sample of 0 or 1.
std::string to_metrics_text(const std::vector<QueryResults>& results, const std::string& prefix,
                            std::size_t files);
/// [{"risk","file","line","column","query","zero":[],"noProof":[],"one":[],"several":[],"none":[],
/// "other":[{"file","what"}]}], with the names of files.
json::Array to_metrics_json(const std::vector<QueryResults>& results, const std::string& prefix);
/// A notice for each query.
std::string to_metrics_github(const std::vector<QueryResults>& results, const std::string& prefix,
                              std::size_t files);

}  // namespace fairway::cli
