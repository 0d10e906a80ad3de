// Changed queries of graph data, tried on metrics of clusters: `fairway lint --metrics`.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "graphdata/lint/queries.h"

namespace fairway::cli {

/// A file of metrics, and what there is to say of what a query gives over it.
struct OtherResult {
  std::string file;
  std::string what;  ///< "7", "a scalar", an error, or why a 0 is no proof
};

struct QueryResults {
  graphdata::RiskQuery query;
  /// Files of metrics, by what the query gives over them: one sample of 0 or 1, several samples, none.
  std::vector<std::string> zero, one, several, none;
  /// One sample of 0 that says nothing of the cluster: the file has none of the metrics that the query names,
  /// so that a failed scrape would say the same, or `risk check --series` doubts it (samples of another time,
  /// or of a shorter one than the query looks back).
  std::vector<OtherResult> no_proof;
  std::vector<OtherResult> other;  ///< neither
};

/// Evaluates each query over the metrics of each file, as `fairway promql eval --series FILE` does; over a
/// capture that does not say of which Prometheus it is, by the rules of both. An Error: a file cannot be
/// read.
Result<std::vector<QueryResults>> try_queries(std::vector<graphdata::RiskQuery> queries,
                                              const std::vector<std::string>& files);

/// A table of counts, and below it the files where a query gives other than one sample of 0 or 1.
std::string to_metrics_text(const std::vector<QueryResults>& results, const std::string& prefix,
                            std::size_t files);
/// [{"risk","file","line","column","query","zero":[],"one":[],"several":[],"none":[],
/// "noProof":[{"file","what"}],"other":[{"file","what"}]}], with the names of files.
json::Array to_metrics_json(const std::vector<QueryResults>& results, const std::string& prefix);
/// A notice for each query.
std::string to_metrics_github(const std::vector<QueryResults>& results, const std::string& prefix,
                              std::size_t files);

}  // namespace fairway::cli
