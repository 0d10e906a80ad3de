// The memory of one request's documents: made piece by piece, given back as a whole.
#pragma once

#include <boost/json/monotonic_resource.hpp>
#include <cstddef>
#include <memory>

#include "base/json.h"

namespace fairway::json {

/// Documents that are made in an arena cost no call of the allocator each, and nothing to destroy. They must
/// not outlive it, and nor may their copies, which live there too unless they name another storage:
/// `Value(value, Storage{})` is on the heap. A thread keeps the first block from arena to arena.
class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Storage storage() { return &resource_; }
  /// Gives all memory back; nothing that was made here may be used any more.
  void reset() { resource_.release(); }

 private:
  std::unique_ptr<unsigned char[]> block_;
  boost::json::monotonic_resource resource_;
};

}  // namespace fairway::json
