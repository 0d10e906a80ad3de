// SPDX-License-Identifier: Apache-2.0

// Whatever the query and the series: no crash, no endless loop, and the same answer twice.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "promql/engine/engine.h"
#include "promql/engine/result_json.h"
#include "promql/guard/cost.h"
#include "promql/parser/parser.h"
#include "promql/script/promqltest.h"

namespace {

constexpr const char* some_series =
    "load 1m\n"
    "  up{job=\"a\"} 0+1x20 stale 3 NaN Inf\n"
    "  up{job=\"b\"} 5-1x10 _x5 0+2x10\n"
    "  a_total 0+7x5 0+3x20\n"
    "  h_bucket{le=\"1\"} 0+1x20\n"
    "  h_bucket{le=\"2\"} 0+2x20\n"
    "  h_bucket{le=\"+Inf\"} 0+3x20\n";

std::string answer(const fairway::promql::Expression& expression, std::string_view query,
                   const fairway::promql::SeriesStore& store, fairway::promql::Dialect dialect) {
  using namespace fairway::promql;
  EngineOptions options;
  options.dialect = dialect;
  options.max_samples = 20'000;
  options.max_samples_read = 200'000;
  const auto result = instant_query(expression, query, store, 20 * 60'000, options);
  return result ? to_json_text(*result) : to_json_text(result.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway::promql;
  if (size > 4096) return 0;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  // A zero byte parts the query from a script with more series.
  const std::size_t zero = text.find('\0');
  const std::string_view query = text.substr(0, zero);
  SeriesStore store;
  if (!load_script(some_series, store)) std::abort();
  if (zero != std::string_view::npos && !load_script(text.substr(zero + 1), store)) return 0;
  for (const Dialect dialect : {Dialect::prometheus3, Dialect::prometheus2}) {
    const auto parsed = parse(query, dialect);
    if (!parsed) continue;
    if (!exceeded_limits(cost_of(**parsed, query), CostLimits{}).empty()) continue;
    if (answer(**parsed, query, store, dialect) != answer(**parsed, query, store, dialect)) std::abort();
    if ((*parsed)->type != ValueType::vector) continue;
    EngineOptions options;
    options.dialect = dialect;
    options.max_samples = 20'000;
    options.max_samples_read = 200'000;
    (void)range_query(**parsed, query, store, 0, 30 * 60'000, 5 * 60'000, options);
  }
  return 0;
}
