// SPDX-License-Identifier: Apache-2.0

// Values computed of something immutable, made at first use and kept as long as it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace fairway::apiserver::storage {

/// Returns the memory of a text, or of an optional or result with one; for other values, their own size.
template <class T>
std::size_t memory_of(const T& value) {
  if constexpr (requires { value.capacity(); }) {
    return sizeof value + value.capacity();
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    return sizeof value + (value.has_value() ? memory_of(*value) : 0);
  } else if constexpr (requires { value->size(); }) {
    return sizeof value + (value ? value->size() : 0);
  } else {
    return sizeof value;
  }
}

/// Values derived from an immutable one. Safe from all threads. Texts count in the storage's bounds of
/// memory; other values should be small, under few tags.
class Derived {
 public:
  Derived() = default;
  ~Derived();
  Derived(const Derived&) = delete;
  Derived& operator=(const Derived&) = delete;

  /// Returns the value of `tag`, made by `make()` if there is none. Two threads at once may both call `make`;
  /// all get the same value afterwards. `tag` is the caller's choice; a tag has one type. The value lives as
  /// long as this. A result that is an error (std::expected) is not kept, but made again: it lives until the
  /// thread's next one of this type.
  template <class T, class Make>
  const T& get(std::uint64_t tag, Make make) const {
    if (const void* value = find(tag)) return *static_cast<const T*>(value);
    auto made = std::make_shared<const T>(make());
    if constexpr (requires { made->error(); }) {
      thread_local std::shared_ptr<const T> failed;
      if (!made->has_value()) {
        failed = std::move(made);
        return *failed;
      }
    }
    const std::size_t bytes = memory_of(*made);
    return *static_cast<const T*>(keep(tag, std::move(made), bytes));
  }

  /// Returns the value of `tag` that is kept; null: there is none.
  template <class T>
  const T* kept(std::uint64_t tag) const {
    return static_cast<const T*>(find(tag));
  }

  /// The memory of all values.
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Node;
  const void* find(std::uint64_t tag) const;
  /// Keeps `value` unless there is one by now, and returns the one that is kept.
  const void* keep(std::uint64_t tag, std::shared_ptr<const void> value, std::size_t bytes) const;

  mutable std::atomic<Node*> first_{nullptr};
  mutable std::atomic<std::size_t> bytes_{0};
};

}  // namespace fairway::apiserver::storage
