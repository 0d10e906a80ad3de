// SPDX-License-Identifier: Apache-2.0

// The owners of listeners.
#pragma once

#include <compare>
#include <string>

#include "k8s/object.h"

namespace fairway::gateway {

/// A Gateway or a ListenerSet, by kind and name.
struct Owner {
  std::string kind;
  k8s::Key key;
  auto operator<=>(const Owner&) const = default;
  bool operator==(const Owner&) const = default;
};

/// Returns the name of a Gateway or a ListenerSet.
inline Owner owner_of(const k8s::Dynamic& object) {
  return {std::string(object.kind()), object.key()};
}

}  // namespace fairway::gateway
