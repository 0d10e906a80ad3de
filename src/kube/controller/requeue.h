// What a reconcile says when it is done: whether, and when, to look at the object again.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "base/result.h"

namespace fairway::kube {

/// Beside it, an object is looked at again whenever it, or something it depends on, changes. A reconcile that
/// returns an Error is tried again, later after every failure.
struct Requeue {
  enum class Kind {
    done,
    after,    ///< once more after `delay`; what failed before is forgotten
    soon,     ///< once more, later every time, as after an error
    give_up,  ///< it failed, and trying again would not help
  };
  Kind kind = Kind::done;
  std::chrono::nanoseconds delay{0};
  Error error;  ///< of `give_up`
};

/// Nothing more to do until something changes.
inline Requeue done() {
  return {};
}
inline Requeue requeue_after(std::chrono::nanoseconds delay) {
  return {.kind = Requeue::Kind::after, .delay = delay};
}
inline Requeue requeue_soon() {
  return {.kind = Requeue::Kind::soon};
}
/// An error that only a change of the object mends: it is logged and counted, and not tried again.
inline Requeue give_up(Error error) {
  return {.kind = Requeue::Kind::give_up, .error = std::move(error)};
}

}  // namespace fairway::kube
