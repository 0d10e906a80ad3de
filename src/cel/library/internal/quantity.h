// Kubernetes's quantities: "1.5Gi".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/eval/value.h"

namespace fairway::cel {

/// In units of 1e-9, the finest that a quantity has.
using Nano = __int128;

struct QuantityValue : Opaque {
  Nano nano = 0;
  /// Kubernetes gives an integer only of what it keeps as one: not of "1.0", "1000m" or "1.5Gi".
  bool whole = false;
};

/// Digits with a sign, a fraction, and a suffix (n u m k M G T P E, Ki Mi Gi Ti Pi Ei, e3). Finer than 1e-9
/// is rounded away from zero, larger than int64 becomes the largest, as in resource.ParseQuantity.
std::optional<Nano> parse_quantity(std::string_view text);
/// A plain decimal number.
std::string quantity_text(const QuantityValue& quantity);

}  // namespace fairway::cel
