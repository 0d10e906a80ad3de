// SPDX-License-Identifier: Apache-2.0

#include "cel/values/scratch.h"

#include <algorithm>

namespace fairway::cel {

void* Scratch::grow(std::size_t bytes) {
  const std::size_t block =
      blocks_.empty() && bytes <= first_block ? first_block : std::max(bytes, std::max(first_block, used_));
  const std::size_t size = used_ + block > limit_ ? bytes : block;
  if (bytes > limit_ || used_ + size > limit_) return nullptr;
  // The first block is always of the same size: `reset` relies on it.
  if (blocks_.empty() && size != first_block) {
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(first_block));
    used_ += first_block;
  }
  blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
  used_ += size;
  next_ = blocks_.back().get() + bytes;
  left_ = size - bytes;
  return blocks_.back().get();
}

}  // namespace fairway::cel
