// SPDX-License-Identifier: Apache-2.0

// State of one conversion: passed on from step to step, or noted for errors.
#pragma once

#include <string>
#include <vector>

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
  std::vector<Seen> seen = {};
  /// The step that failed, "v1beta1 to v1"; of an error that no step made, the whole conversion.
  std::string step = {};
  /// The error without the object and the versions.
  Error cause = {};
};

}  // namespace fairway::conversion
