// The listeners of a Gateway and of its ListenerSets, merged: what each takes, and which are in conflict.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "gateway/internal/model/listener.h"
#include "gateway/internal/objects/objects.h"
#include "k8s/object.h"
#include "k8s/view.h"

namespace fairway::gateway {

/// The listeners of one owner, each judged by itself. `frontend` is the Gateway's `spec.tls.frontend`, whose
/// references are the Gateway's.
std::vector<Listener> listeners_of(const Objects& objects, const k8s::Dynamic& owner,
                                   const k8s::Dynamic& gateway, WallTime now);

/// The `spec.tls.frontend` of a Gateway for a port: by what the certificates of clients are checked there.
k8s::View frontend_tls(const k8s::Dynamic& gateway, std::int64_t port);

/// Marks conflicts and overlaps. The listeners of an owner are beside each other, owners in the order of
/// their precedence: of two that are in conflict both lose if they have one owner, otherwise the second.
void compare_listeners(std::vector<Listener>& listeners);

}  // namespace fairway::gateway
