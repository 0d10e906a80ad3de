// SPDX-License-Identifier: Apache-2.0

// The level of the log, for lines whose fields cost something to make.
#pragma once

#include "base/log.h"

namespace fairway::log {

/// Returns whether lines of this level are written now.
bool is_enabled(Level level);

}  // namespace fairway::log
