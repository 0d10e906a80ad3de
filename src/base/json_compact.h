// SPDX-License-Identifier: Apache-2.0

// JSON documents for caches: each in one memory block of exactly its size.
#pragma once

#include "base/json.h"

namespace fairway::json {

/// A copy without spare capacity, in one block. Copies of it, or of parts of it, may be changed like any
/// other document, on any thread; copies that share its storage (Boost.JSON's plain copies do) keep the block
/// alive.
Object compact(const Object& object);

}  // namespace fairway::json
