// JSON documents that are kept for long, and many of them: each in one block of memory of just its size.
#pragma once

#include "base/json.h"

namespace fairway::json {

/// A copy without room for growth, in one block. Copies that are made of it, or of parts of it, may be
/// changed like any other document, on any thread; those that keep its storage (Boost.JSON's plain copies do)
/// keep the block alive.
Object compact(const Object& object);

}  // namespace fairway::json
