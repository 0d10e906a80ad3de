// SPDX-License-Identifier: Apache-2.0

#include "base/json_arena.h"

#include <utility>

namespace fairway::json {

namespace {

/// Size of a block: enough for one object of the usual size, parsed and converted.
constexpr std::size_t block_size = std::size_t{128} << 10;

thread_local std::unique_ptr<unsigned char[]> spare_block;

std::unique_ptr<unsigned char[]> take_block() {
  if (!spare_block) return std::make_unique_for_overwrite<unsigned char[]>(block_size);
  return std::move(spare_block);
}

}  // namespace

Arena::Arena() : block_(take_block()) {
  reset();
}

Arena::~Arena() {
  spare_block = std::move(block_);
}

void Arena::reset() {
  // `release` would keep the size of the next block, which grows with each: soon to more than there is.
  resource_.reset();
  resource_.emplace(block_.get(), block_size);
}

}  // namespace fairway::json
