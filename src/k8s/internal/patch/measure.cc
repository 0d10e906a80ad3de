// SPDX-License-Identifier: Apache-2.0

#include "k8s/internal/patch/measure.h"

#include <algorithm>

namespace fairway::k8s {

namespace {

/// Adds a value to `measure`; it is nested in `above` values.
void add(Measure& measure, const json::Value& value, std::size_t above, std::size_t max_depth) {
  measure.bytes += 4;
  if (value.is_string()) measure.bytes += value.get_string().size();
  if (!value.is_structured()) return;
  measure.depth = std::max(measure.depth, above + 1);
  if (above + 1 > max_depth) return;
  if (const json::Array* array = value.if_array()) {
    for (const json::Value& item : *array) add(measure, item, above + 1, max_depth);
  } else {
    for (const auto& member : value.get_object()) {
      measure.bytes += member.key().size() + 4;
      add(measure, member.value(), above + 1, max_depth);
    }
  }
}

}  // namespace

Measure Measure::of(const json::Value& value, std::size_t max_depth) {
  Measure measure;
  add(measure, value, 0, max_depth);
  return measure;
}

}  // namespace fairway::k8s
