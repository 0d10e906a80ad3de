// SPDX-License-Identifier: Apache-2.0

// The memory of one evaluation.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace fairway::cel {

/// The memory of the values that an evaluation creates, which is released as a whole. Nothing in it is
/// destroyed. Must not be used by two threads at once.
class Scratch {
 public:
  /// Memory limit of one evaluation; without it a chain of list additions doubles without bound.
  static constexpr std::size_t default_limit = std::size_t{64} << 20;

  explicit Scratch(std::size_t limit = default_limit) : limit_(limit) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Allocates memory; nullptr if the limit is reached.
  void* allocate(std::size_t bytes) {
    // Never nothing: nullptr means that there is no room.
    bytes = bytes == 0 ? 16 : (bytes + 15) & ~std::size_t{15};
    if (bytes > left_) return grow(bytes);
    char* place = next_;
    next_ += bytes;
    left_ -= bytes;
    return place;
  }
  template <class T>
  T* allocate_array(std::size_t count) {
    if (count > limit_ / sizeof(T)) return nullptr;
    return static_cast<T*>(allocate(count * sizeof(T)));
  }
  /// Releases all values; those made before are invalid. The first block is kept.
  void reset() {
    if (blocks_.size() > 1) blocks_.resize(1);
    used_ = blocks_.empty() ? 0 : first_block;
    next_ = blocks_.empty() ? nullptr : blocks_[0].get();
    left_ = used_;
  }

 private:
  static constexpr std::size_t first_block = 8192;

  void* grow(std::size_t bytes);

  std::size_t limit_;
  std::size_t used_ = 0;
  char* next_ = nullptr;
  std::size_t left_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
};

}  // namespace fairway::cel
