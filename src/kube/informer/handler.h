// Who is told what happens to the objects of a kind.
#pragma once

#include <functional>
#include <memory>

#include "k8s/object.h"

namespace fairway::kube {

/// Functions that are called on one thread, one after the other; each may be absent. They must not stop the
/// informers they belong to.
///
/// Together they are an account of the store: whoever enters what is added, replaces what is updated and
/// strikes out what is deleted has what the store has. States in between may be left out: those that the
/// server passed over, and those of an object whose last change still waits for a slow handler. An object
/// that was deleted and made anew under its name is told of as deleted and added.
template <class T>
struct TypedHandler {
  /// `initial`: it was there when the informer, or this handler, began.
  std::function<void(const std::shared_ptr<const T>& object, bool initial)> added;
  std::function<void(const std::shared_ptr<const T>& before, const std::shared_ptr<const T>& now)> updated;
  /// `last`: the last that is known of it.
  std::function<void(const std::shared_ptr<const T>& last)> deleted;
};

using Handler = TypedHandler<k8s::Dynamic>;

/// A handler of a view as one of objects that were made as that view.
template <class T>
Handler untyped(TypedHandler<T> handler) {
  const auto as = [](const std::shared_ptr<const k8s::Dynamic>& object) {
    return std::static_pointer_cast<const T>(object);
  };
  Handler result;
  if (handler.added) {
    result.added = [as, added = std::move(handler.added)](const auto& object, bool initial) {
      added(as(object), initial);
    };
  }
  if (handler.updated) {
    result.updated = [as, updated = std::move(handler.updated)](const auto& before, const auto& now) {
      updated(as(before), as(now));
    };
  }
  if (handler.deleted) {
    result.deleted = [as, deleted = std::move(handler.deleted)](const auto& last) { deleted(as(last)); };
  }
  return result;
}

}  // namespace fairway::kube
