// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>

#include "promql/random_comparison.h"
#include "promql/random_series.h"
#include "random_comparison.h"
#include "rival.h"

namespace fairway::bench {

using namespace promql::testing;

int compare_random(const std::string& program, std::uint64_t count, std::uint64_t seed) {
  const promql::SeriesStore store = SeriesMaker(seed).make();
  Rival rival(program, store);
  Comparison comparison([&](const Question& question) { return rival.ask(question.query, question.when); },
                        store, promql::Dialect::prometheus3);
  for (const Question& question : random_questions(seed, count, promql::Dialect::prometheus3)) {
    const std::string different = comparison.compare(question);
    if (different.empty()) continue;
    std::printf("%s\n  from %s to %s step %s\n  %s\n", question.query.c_str(),
                seconds(question.when.start).c_str(), seconds(question.when.end).c_str(),
                seconds(question.when.step).c_str(), different.c_str());
  }
  std::printf("%llu queries, seed %llu: %s\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(seed), comparison.counts.to_string().c_str());
  return comparison.counts.different == 0 ? 0 : 1;
}

}  // namespace fairway::bench
