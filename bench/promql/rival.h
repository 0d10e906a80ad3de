// SPDX-License-Identifier: Apache-2.0

// The rival's process: Prometheus's engine in Go, over the same series.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/json.h"
#include "promql/answers.h"
#include "promql/engine/series.h"

namespace fairway::bench {

class Rival {
 public:
  /// Starts `program` on all series of a store, with one thread.
  Rival(const std::string& program, const promql::SeriesStore& store);
  ~Rival();
  Rival(const Rival&) = delete;
  Rival& operator=(const Rival&) = delete;

  /// Returns the answer to a query, as the HTTP API gives it.
  promql::testing::Answer ask(const std::string& query, const promql::testing::When& when);
  /// Returns the nanoseconds of processor time for parsing and evaluating all queries, `rounds` times.
  double measure(const std::vector<std::string>& queries, const promql::testing::When& when, int rounds);

 private:
  json::Value exchange(const json::Object& request);

  int pid_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

}  // namespace fairway::bench
