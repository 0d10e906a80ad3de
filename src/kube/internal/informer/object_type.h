// SPDX-License-Identifier: Apache-2.0

// The view that the objects of a cache are made as, and read as.
#pragma once

#include <memory>
#include <type_traits>
#include <typeindex>
#include <utility>

#include "k8s/partial_object_metadata.h"
#include "kube/internal/informer/object_map.h"

namespace fairway::kube {

/// The view that objects are constructed as.
struct ObjectType {
  std::type_index type;
  SharedObject (*make)(json::Object document);

  template <class T>
  static ObjectType of() {
    if constexpr (std::is_same_v<T, k8s::PartialObjectMetadata>) {
      return {typeid(T), T::make};
    } else {
      return {typeid(T), [](json::Object document) -> SharedObject {
                return std::make_shared<const T>(std::move(document));
              }};
    }
  }
};

/// Returns an object, which was constructed as `T`, as that view.
template <class T>
const T& view_as(const k8s::Dynamic& object) {
  if constexpr (std::is_same_v<T, k8s::PartialObjectMetadata>) {
    return T::made_from(object);
  } else {
    return static_cast<const T&>(object);
  }
}

/// Returns an object as that view; nullptr for nullptr.
template <class T>
std::shared_ptr<const T> view_as(SharedObject object) {
  if (!object) return nullptr;
  const T* view = &view_as<T>(*object);
  return {std::move(object), view};
}

}  // namespace fairway::kube
