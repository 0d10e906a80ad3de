// SPDX-License-Identifier: Apache-2.0

// A listener of a Gateway or of a ListenerSet, as objects make it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/internal/objects/api.h"
#include "k8s/conditions.h"
#include "k8s/object.h"

namespace fairway::gateway {

struct Listener {
  /// The Gateway or ListenerSet that it belongs to.
  const k8s::Dynamic* owner = nullptr;
  ListenerSpec spec;
  /// The hostname that it accepts; empty: all names, or a protocol without hostnames.
  std::string hostname;
  /// The kinds of routes that it accepts: those of its protocol, narrowed by allowedRoutes.kinds.
  std::vector<RouteKind> kinds;
  /// Reasons for its conditions: it is not accepted; its references cannot be resolved; it is in conflict
  /// with another listener; its TLS settings overlap with another's; a certificate has expired.
  std::optional<k8s::ConditionError> invalid, unresolved, conflict, overlap, expired;
  /// True if it has filters, which are not supported and for which it is refused. Its hostname remains its
  /// own: requests that the filters might keep out are not served on a wider listener either.
  bool is_guarded = false;
  /// The names for which its certificates are valid.
  std::vector<std::string> certified;
  /// Routes that are accepted here.
  int attached = 0;

  bool is_accepted() const { return !invalid && !conflict; }
  /// Describes it: "listener web of Gateway shop/public".
  std::string describe() const;
  /// Returns whether it was made from the same objects with the same results, apart from the routes on it.
  bool is_same(const Listener& other) const;
};

}  // namespace fairway::gateway
