// SPDX-License-Identifier: Apache-2.0

// Ships, which `harbor/berth.h` has room for.
#pragma once

namespace fairway::harbor {

/// A ship. See docs/sdk.md.
struct Ship {
  const char* name = "";  ///< the name that is written on its bow
  int length = 0, beam = 0;
  /// Draught in decimetres.
  int draught = 0;
};

}  // namespace fairway::harbor
