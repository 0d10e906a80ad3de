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
  /// The Gateway or ListenerSet that it is of.
  const k8s::Dynamic* owner = nullptr;
  ListenerSpec spec;
  /// Empty for every name, and for protocols without hostnames.
  std::string hostname;
  /// The kinds of routes that it takes: those of its protocol, narrowed by allowedRoutes.kinds.
  std::vector<RouteKind> kinds;
  /// Why it is not accepted; its references that lead to nothing; what it is in conflict with; whose TLS
  /// settings overlap with its own; what has expired.
  std::optional<k8s::ConditionError> invalid, unresolved, conflict, overlap, expired;
  /// The names for which its certificates are valid.
  std::vector<std::string> certified;
  /// Routes that are accepted here.
  int attached = 0;

  bool is_accepted() const { return !invalid && !conflict; }
  /// "listener web of Gateway shop/public".
  std::string describe() const;
  /// Returns whether objects make the same of it, however many routes there are.
  bool is_same(const Listener& other) const;
};

}  // namespace fairway::gateway
