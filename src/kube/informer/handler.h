// SPDX-License-Identifier: Apache-2.0

// Event handlers of informers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "kube/internal/informer/object_type.h"

namespace fairway::kube {

/// Identifies a handler of one informer, to remove it.
using HandlerId = std::uint64_t;

/// Functions that are called one at a time, on one thread; each may be empty. They must not stop their
/// informers.
///
/// Applying all events in order reproduces the store. Intermediate states may be skipped: those
/// that the server skipped, and those of an object that has a pending event for a slow handler.
/// An object that was deleted and recreated with the same name is reported as deleted and
/// added.
template <class T>
struct TypedHandler {
  /// Called for an added object. `initial`: it existed when the informer started, or this handler was added.
  std::function<void(const std::shared_ptr<const T>& object, bool initial)> added = {};
  std::function<void(const std::shared_ptr<const T>& before, const std::shared_ptr<const T>& now)> updated =
      {};
  /// Called for a deleted object. `last`: its last known state.
  std::function<void(const std::shared_ptr<const T>& last)> deleted = {};
};

using Handler = TypedHandler<k8s::Dynamic>;

/// Converts a typed handler to an untyped one, for objects that were constructed as `T`.
template <class T>
Handler untyped(TypedHandler<T> handler) {
  Handler result;
  if (handler.added) {
    result.added = [added = std::move(handler.added)](const auto& object, bool initial) {
      added(view_as<T>(object), initial);
    };
  }
  if (handler.updated) {
    result.updated = [updated = std::move(handler.updated)](const auto& before, const auto& now) {
      updated(view_as<T>(before), view_as<T>(now));
    };
  }
  if (handler.deleted) {
    result.deleted = [deleted = std::move(handler.deleted)](const auto& last) { deleted(view_as<T>(last)); };
  }
  return result;
}

}  // namespace fairway::kube
