// SPDX-License-Identifier: Apache-2.0

// The memory of one request's documents: a monotonic arena, released as a whole.
#pragma once

#include <boost/json/monotonic_resource.hpp>
#include <cstddef>
#include <memory>
#include <optional>

#include "base/json.h"

namespace fairway::json {

/// Documents in an arena need no heap allocation each, and no destruction. Neither they nor their copies may
/// outlive it: copies are allocated in the arena too, unless they name another storage (`Value(value,
/// Storage{})` is on the heap). Each thread reuses the first block for its next arena.
class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Storage storage() { return &*resource_; }
  /// Releases all memory; documents allocated here become invalid.
  void reset();

 private:
  std::unique_ptr<unsigned char[]> block_;
  std::optional<boost::json::monotonic_resource> resource_;
};

}  // namespace fairway::json
