// SPDX-License-Identifier: Apache-2.0

// Upper bounds on the cost of a query, computed before it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "promql/guard/series_seen.h"
#include "promql/parser/ast.h"

namespace fairway::promql {

/// The cost of a query. Each member is one measure; a query passes if none exceeds its limit.
struct Cost {
  /// Size of the text in bytes.
  std::uint64_t query_size = 0;
  /// Depth of the syntax tree.
  std::uint64_t depth = 0;
  /// Number of nodes of the syntax tree: operators, calls, selectors, literals.
  std::uint64_t nodes = 0;
  std::uint64_t selectors = 0;
  /// Number of selectors without a metric name or a list of names.
  std::uint64_t open_selectors = 0;
  /// Number of regular expressions that match everything.
  std::uint64_t matchers_of_everything = 0;
  /// Number of matchers of all selectors, not counting metric names.
  std::uint64_t matchers = 0;
  /// Number of labels in all lists: of by, without, on, ignoring, group_left and group_right.
  std::uint64_t labels = 0;
  /// Size in bytes of all regular expressions, including those of label_replace. Repetitions are multiplied
  /// out (`.{800}` counts above 800), and a Unicode class (`\pL`) counts as 256.
  std::uint64_t regex_size = 0;
  /// Maximum distance that a selector reaches back from the evaluation time, in seconds: ranges of nested
  /// subqueries add up. A fixed time (`@ 1700000000`) counts as the largest number.
  std::uint64_t range_seconds = 0;
  /// Number of evaluations of the innermost part of nested subqueries.
  std::uint64_t subquery_steps = 0;
  /// Number of binary operations with `on()` where both sides may have many series.
  std::uint64_t cross_joins = 0;
  /// Upper bound on the bytes of one label value that label_replace and label_join can produce, if label
  /// values of series have at most 256.
  std::uint64_t label_size = 0;
  /// Size in bytes of the names of labels that label_replace, label_join and count_values produce: each
  /// series gets a copy.
  std::uint64_t label_names = 0;
  /// Upper bound on the samples read, at `series_per_selector` series for each metric that a selector
  /// names and that was not seen.
  std::uint64_t samples = 0;
  /// Approximate number of bytes read and written: over all operators, steps x series x bytes of each. A
  /// sample has 16 bytes, a series 1 KiB of labels; new labels are copied by each call around them.
  std::uint64_t work = 0;
};

/// Limits by the same names. With the defaults, every query ever published in OpenShift's graph data passes.
struct CostLimits {
  Cost most{.query_size = 16'384,
            .depth = 48,
            .nodes = 1'000,
            .selectors = 64,
            .open_selectors = 0,
            .matchers_of_everything = 4,
            .matchers = 256,
            .labels = 256,
            .regex_size = 2'048,
            .range_seconds = 2'764'800,
            .subquery_steps = 1'000,
            .cross_joins = 0,
            .label_size = 65'536,
            .label_names = 1'024,
            .samples = 10'000'000,
            .work = 500'000'000};
  /// Assumed number of series per selector; for a list of metrics (`{__name__=~"a|b"}`), per metric.
  std::uint64_t series_per_selector = 1'000;
  /// Assumed time between samples of a series, in seconds.
  std::uint64_t sample_interval = 30;
  /// Number of series of each metric that was seen, used instead of `series_per_selector`; may be null.
  std::shared_ptr<const SeriesSeen> seen = nullptr;
};

/// One measure and its limit.
struct CostLine {
  std::string_view name = {};
  std::uint64_t value = 0;
  std::uint64_t limit = 0;
};

/// Measures a query by its syntax tree, and what was seen of its metrics, in linear time. Saturates instead
/// of overflowing.
Cost cost_of(const Expression& expression, std::string_view query, const CostLimits& limits = {});

/// Returns all measures by name.
std::vector<CostLine> cost_lines(const Cost& cost, const CostLimits& limits);

/// Sets the limit of a name, or `series_per_selector` or `sample_interval`, which are at least 1; false for
/// an unknown name.
bool set_limit(CostLimits& limits, std::string_view name, std::uint64_t value);

/// Returns the exceeded limits: "range_seconds is 63072000, above the limit of 2764800"; empty if the query
/// is within the limits.
std::string exceeded_limits(const Cost& cost, const CostLimits& limits);

/// Checks the limits that can be checked before parsing: `query_size` and the `regex_size` of matchers.
/// Parsing takes time linear in the text and compiles its regular expressions. The message is that of
/// `exceeded_limits`; empty if the text is within the limits.
std::string exceeded_before_parsing(std::string_view query, const CostLimits& limits);

}  // namespace fairway::promql
