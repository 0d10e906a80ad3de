// SPDX-License-Identifier: Apache-2.0

// Real graph data, where it is at hand.
#pragma once

#include "support/shared_data.h"

namespace fairway::graphdata {

using fairway::testing::shared_path;

}  // namespace fairway::graphdata
