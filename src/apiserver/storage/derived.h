// Values computed of something immutable, made at first use and kept as long as it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace fairway::apiserver::storage {

/// Safe from all threads. What is made here is not counted in the storage's bounds of memory: it should be of
/// the order of the thing's own size, under few tags.
class Derived {
 public:
  Derived() = default;
  ~Derived();
  Derived(const Derived&) = delete;
  Derived& operator=(const Derived&) = delete;

  /// The value of `tag`, made by `make()` if there is none. Two threads at once may both call `make`; all get
  /// the same value afterwards. `tag` is the caller's choice; a tag has one type. The value lives as long as
  /// this. A result that is an error (std::expected) is not kept, but made again: it lives until the thread's
  /// next one of this type.
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
    return *static_cast<const T*>(keep(tag, std::move(made)));
  }

 private:
  struct Node;
  const void* find(std::uint64_t tag) const;
  /// Keeps `value` unless there is one by now, and returns the one that is kept.
  const void* keep(std::uint64_t tag, std::shared_ptr<const void> value) const;

  mutable std::atomic<Node*> first_{nullptr};
};

}  // namespace fairway::apiserver::storage
