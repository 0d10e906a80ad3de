// SPDX-License-Identifier: Apache-2.0

// Kubernetes's quantities as values of expressions.
#pragma once

#include <string>

#include "cel/library/quantity.h"
#include "cel/values/value.h"

namespace fairway::cel {

struct QuantityValue : Opaque {
  Nano nano = 0;
  /// True if Kubernetes keeps it as an integer, and so converts it to one: not "1.0", "1000m" or "1.5Gi".
  bool whole = false;
};

/// Returns the quantity as a plain decimal number.
std::string quantity_text(const QuantityValue& quantity);

}  // namespace fairway::cel
