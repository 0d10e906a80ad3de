// SPDX-License-Identifier: Apache-2.0

#include "console/internal/assets.h"

#include "embedded_assets.h"

namespace fairway::console {

std::span<const Asset> embedded_assets() {
  return embedded_files;
}

}  // namespace fairway::console
