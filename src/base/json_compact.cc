// SPDX-License-Identifier: Apache-2.0

#include "base/json_compact.h"

#include <boost/json/memory_resource.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/storage_ptr.hpp>
#include <cstdint>
#include <memory>
#include <new>

namespace fairway::json {

namespace {

constexpr std::size_t aligned(std::size_t offset, std::size_t align) {
  return (offset + align - 1) / align * align;
}

/// Counts the bytes that a copy takes.
class Measure final : public boost::json::memory_resource {
 public:
  explicit Measure(boost::json::memory_resource& from) : from_(from) {}
  std::size_t bytes() const { return bytes_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override {
    bytes_ = aligned(bytes_, align) + bytes;
    return from_.allocate(bytes, align);
  }
  void do_deallocate(void* at, std::size_t bytes, std::size_t align) override {
    from_.deallocate(at, bytes, align);
  }
  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override {
    return this == &other;
  }

  boost::json::memory_resource& from_;
  std::size_t bytes_ = 0;
};

/// One block, which is full when the copy is made. Later allocations, by copies that share this storage, come
/// from the heap: the block does not change any more, so that all threads may allocate.
class Block {
 public:
  explicit Block(std::size_t bytes) : begin_(new std::byte[bytes]), bytes_(bytes) {}

  void* allocate(std::size_t bytes, std::size_t align) {
    const std::size_t at = aligned(used_, align);
    if (at + bytes <= bytes_) {
      used_ = at + bytes;
      return begin_.get() + at;
    }
    return ::operator new(bytes, std::align_val_t(align));
  }
  void deallocate(void* at, std::size_t bytes, std::size_t align) {
    if (!holds(at)) ::operator delete(at, bytes, std::align_val_t(align));
  }
  void seal() { bytes_ = used_; }

 private:
  bool holds(const void* at) const {
    const auto place = reinterpret_cast<std::uintptr_t>(at);
    const auto begin = reinterpret_cast<std::uintptr_t>(begin_.get());
    return place >= begin && place < begin + used_;
  }

  std::unique_ptr<std::byte[]> begin_;
  std::size_t bytes_;
  std::size_t used_ = 0;
};

/// Owned by the storage pointers of the values in it.
class BlockResource final : public boost::json::memory_resource {
 public:
  explicit BlockResource(std::size_t bytes, Block*& block) : block_(bytes) { block = &block_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t align) override { return block_.allocate(bytes, align); }
  void do_deallocate(void* at, std::size_t bytes, std::size_t align) override {
    block_.deallocate(at, bytes, align);
  }
  bool do_is_equal(const boost::json::memory_resource& other) const noexcept override {
    return this == &other;
  }

  Block block_;
};

std::size_t bytes_of_copy(const Object& object) {
  constexpr std::size_t at_hand = 16 * 1024;
  unsigned char buffer[at_hand];
  boost::json::monotonic_resource scratch(buffer, at_hand);
  Measure measure(scratch);
  const Object copy(object, boost::json::storage_ptr(&measure));
  return measure.bytes();
}

}  // namespace

Object compact(const Object& object) {
  Block* block = nullptr;
  Object copy(object, boost::json::make_shared_resource<BlockResource>(bytes_of_copy(object), block));
  block->seal();
  return copy;
}

}  // namespace fairway::json
