// What a query may cost, known before it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "promql/parser/ast.h"

namespace fairway::promql {

/// Each member is one measure; a query passes where none is above its limit.
struct Cost {
  /// Bytes of the text.
  std::uint64_t query_size = 0;
  /// Levels of the tree.
  std::uint64_t depth = 0;
  /// Parts of the tree: operators, calls, selectors, literals.
  std::uint64_t nodes = 0;
  std::uint64_t selectors = 0;
  /// Selectors that do not say which metrics they want: neither by a name nor by a list of names.
  std::uint64_t open_selectors = 0;
  /// Regular expressions that accept whatever they are shown.
  std::uint64_t matchers_of_everything = 0;
  /// Matchers of all selectors, beside their names.
  std::uint64_t matchers = 0;
  /// Labels in all lists: of by, without, on, ignoring, group_left and group_right.
  std::uint64_t labels = 0;
  /// Bytes of all regular expressions, those of label_replace included; what is repeated counts as often as
  /// it may be repeated (`.{800}` is above 800), and a class of Unicode (`\pL`) 256.
  std::uint64_t regex_size = 0;
  /// The furthest that a selector reaches back from the time of the query, in seconds: ranges of nested
  /// subqueries add up. With a time of its own (`@ 1700000000`) it is the largest number.
  std::uint64_t range_seconds = 0;
  /// How often the innermost part of nested subqueries is evaluated.
  std::uint64_t subquery_steps = 0;
  /// Vectors matched without any label, both sides as wide as their selectors are.
  std::uint64_t cross_joins = 0;
  /// A bound of the bytes of one label's value that label_replace and label_join can make, where those of
  /// series have at most 256.
  std::uint64_t label_size = 0;
  /// A bound of the samples that are read, with `series_per_selector` series for each metric that a selector
  /// names.
  std::uint64_t samples = 0;
};

/// Limits of the same names; the defaults let every query pass that was ever published in OpenShift's graph
/// data.
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
            .subquery_steps = 11'000,
            .cross_joins = 0,
            .label_size = 65'536,
            .samples = 50'000'000};
  /// What one selector is taken to find; one that lists metrics (`{__name__=~"a|b"}`), of each of them.
  std::uint64_t series_per_selector = 1'000;
  /// Seconds between the samples of a series.
  std::uint64_t sample_interval = 30;
};

/// One measure beside its limit.
struct CostLine {
  std::string_view name;
  std::uint64_t value = 0;
  std::uint64_t limit = 0;
};

/// Measures a query. It looks at the tree alone, takes time linear in it, and never overflows: what is too
/// large is the largest number.
Cost cost_of(const Expression& expression, std::string_view query, const CostLimits& limits = {});

/// All measures by name.
std::vector<CostLine> cost_lines(const Cost& cost, const CostLimits& limits);

/// Sets the limit of a name, or `series_per_selector` or `sample_interval`, which are at least 1; false where
/// there is none of it.
bool set_limit(CostLimits& limits, std::string_view name, std::uint64_t value);

/// Empty where a query is within the limits, otherwise what it exceeds: "range_seconds is 63072000, above the
/// limit of 2764800".
std::string exceeded_limits(const Cost& cost, const CostLimits& limits);

/// What a text exceeds that is not worth parsing, for parsing takes as much as the text is long, and compiles
/// its regular expressions: `query_size` and the `regex_size` of matchers. In the words of `exceeded_limits`;
/// empty where the text is within the limits.
std::string exceeded_before_parsing(std::string_view query, const CostLimits& limits);

}  // namespace fairway::promql
