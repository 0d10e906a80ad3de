// The listeners of a Gateway and of its ListenerSets, merged: what each takes, and which are in conflict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "gateway/internal/objects/api.h"
#include "gateway/internal/objects/objects.h"
#include "gateway/internal/status/conditions.h"
#include "k8s/conditions.h"

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
  std::optional<k8s::Problem> invalid, unresolved, conflict, overlap, expired;
  /// The names for which its certificates are valid.
  std::vector<std::string> certified;
  /// Routes that are accepted here.
  int attached = 0;
  /// Why Envoy refuses its certificates, in Envoy's words. Set by the running controller.
  std::optional<k8s::Problem> refused_by_envoy = std::nullopt;
  /// What probes through it have shown on all of its addresses. Set by the running controller; std::nullopt:
  /// it is not known.
  std::optional<Result<void>> probed = std::nullopt;

  bool is_accepted() const { return !invalid && !conflict; }
  /// Whether traffic is known to flow.
  bool is_ready() const { return is_accepted() && probed && probed->has_value(); }
  /// "listener web of Gateway shop/public".
  std::string describe() const;
  /// Whether objects make the same of it: all but what the running controller sets, and how many routes there
  /// are.
  bool is_same(const Listener& other) const;
};

/// The listeners of one owner, each judged by itself. `frontend` is the Gateway's `spec.tls.frontend`, whose
/// references are the Gateway's.
std::vector<Listener> listeners_of(const Objects& objects, const k8s::Dynamic& owner,
                                   const k8s::Dynamic& gateway, WallTime now);

/// The `spec.tls.frontend` of a Gateway for a port: by what the certificates of clients are checked there.
k8s::View frontend_tls(const k8s::Dynamic& gateway, std::int64_t port);

/// Marks conflicts and overlaps. The listeners of an owner are beside each other, owners in the order of
/// their precedence: of two that are in conflict both lose if they have one owner, otherwise the second.
void compare_listeners(std::vector<Listener>& listeners);

/// The verdicts on a listener. `held_up` says why it is not programmed although it is accepted: Pending, or
/// Invalid where Envoy has refused it.
Verdicts listener_verdicts(const Listener& listener, const std::optional<k8s::Problem>& held_up);

}  // namespace fairway::gateway
