// SPDX-License-Identifier: Apache-2.0

// State of one conversion: passed on from step to step, or noted for errors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "conversion/internal/lost_fields.h"
#include "conversion/kind_converters.h"

namespace fairway::conversion {

/// An object between two steps, and the fields that it carries for the versions that have them.
struct KindConverters::ConversionState {
  k8s::Dynamic object;
  LostFields lost;
};

/// An object as a step got it.
struct KindConverters::Seen {
  std::string version = {};
  k8s::Dynamic object = {};
};

/// The course of a conversion that failed.
struct KindConverters::Trace {
  bool keeps_objects = false;
  /// The object as the first step got it and, after more than one, as the last did. They are on the heap: the
  /// memory of a review would keep each copy until its next object.
  std::vector<Seen> seen = {};
  /// The step that failed, "v1beta1 to v1"; of an error that no step made, the whole conversion.
  std::string step = {};
  /// The error without the object and the versions.
  Error cause = {};

  /// Notes that a step gets an object in a version.
  void see(const std::string& version, const k8s::Dynamic& object) {
    if (!keeps_objects) return;
    Seen now{version, k8s::Dynamic(json::Object(object.json(), json::Storage{}))};
    if (seen.size() == 2) seen.pop_back();
    seen.push_back(std::move(now));
  }
};

}  // namespace fairway::conversion
