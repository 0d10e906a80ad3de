// SPDX-License-Identifier: Apache-2.0

// Kubernetes's quantities: "1.5Gi".
#pragma once

#include <optional>
#include <string_view>

namespace fairway::cel {

/// A quantity in units of 1e-9, the finest that a quantity has.
__extension__ typedef __int128 Nano;

/// Parses digits with a sign, a fraction, and a suffix (n u m k M G T P E, Ki Mi Gi Ti Pi Ei, e3). A value
/// finer than 1e-9 is rounded away from zero, and one larger than int64 becomes the largest, as in
/// resource.ParseQuantity. std::nullopt for text that is no quantity.
std::optional<Nano> parse_quantity(std::string_view text);

}  // namespace fairway::cel
