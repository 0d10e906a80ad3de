// SPDX-License-Identifier: Apache-2.0

// Whatever the text: no crash, and what is read of series, samples and ends is read again as it is written.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "promql/engine/exposition.h"
#include "promql/engine/exposition_text.h"
#include "promql/engine/series_ends.h"
#include "risk/evaluators/capture.h"

namespace {

using namespace fairway::promql;

bool is_same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

std::string written(const SeriesStore& store) {
  std::string text;
  for (const Series* series : store.select({})) {
    const std::string name = series_text(*series->labels);
    for (const Point& point : series->points) {
      if (is_stale(point.value)) {
        append_series_end(text, name, point.time);
      } else {
        append_sample(text, name, point.value, point.time);
      }
    }
  }
  return text;
}

bool is_same(const SeriesStore& a, const SeriesStore& b) {
  const auto first = a.select({}), second = b.select({});
  if (first.size() != second.size()) return false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Series &one = *first[i], &other = *second[i];
    if (one.labels->labels() != other.labels->labels() || one.points.size() != other.points.size())
      return false;
    for (std::size_t n = 0; n < one.points.size(); ++n) {
      if (one.points[n].time != other.points[n].time || !is_same(one.points[n].value, other.points[n].value))
        return false;
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fairway;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(risk::read_captured_dialect(text));
  SeriesStore store;
  constexpr promql::Timestamp now = 1'700'000'000'000;
  const auto count = promql::read_exposition(text, now, store);
  if (count && (count->dated > count->samples || store.point_count() > count->samples)) std::abort();
  const auto ends = promql::read_series_ends(text, store);
  if (!count || !ends) return 0;
  static_cast<void>(risk::has_capture(store));
  const std::string again = written(store);
  SeriesStore copy;
  const auto samples = promql::read_exposition(again, 0, copy);
  if (!samples || samples->dated != samples->samples || !promql::read_series_ends(again, copy) ||
      !is_same(store, copy))
    std::abort();
  return 0;
}
