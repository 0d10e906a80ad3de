// SPDX-License-Identifier: Apache-2.0

// The result of a reconcile: whether and when to requeue the object.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "base/result.h"

namespace fairway::kube {

/// The outcome of a reconcile. Independently of it, an object is reconciled whenever it, or a watched
/// dependency, changes. A reconcile that returns an Error is retried with exponential backoff.
struct Requeue {
  enum class Kind {
    done,
    after,         ///< requeue after `delay`, and reset the backoff
    with_backoff,  ///< requeue with backoff, as after an error
    give_up,       ///< failed, and a retry would not help
  };
  Kind kind = Kind::done;
  std::chrono::nanoseconds delay{0};
  Error error = {};  ///< the reason for `give_up`
};

/// Returns no requeue: the object is reconciled again when something changes.
inline Requeue done() {
  return {};
}
inline Requeue requeue_after(std::chrono::nanoseconds delay) {
  return {.kind = Requeue::Kind::after, .delay = delay};
}
inline Requeue requeue_with_backoff() {
  return {.kind = Requeue::Kind::with_backoff};
}
/// Reports an error that only a change of the object can fix: it is logged and counted, and not retried.
inline Requeue give_up(Error error) {
  return {.kind = Requeue::Kind::give_up, .error = std::move(error)};
}

}  // namespace fairway::kube
