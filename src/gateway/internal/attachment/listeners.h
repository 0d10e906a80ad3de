// SPDX-License-Identifier: Apache-2.0

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

/// Reads the listeners of one owner, each judged by itself. `gateway`: the Gateway whose `spec.tls.frontend`
/// applies to them, with its references.
std::vector<Listener> listeners_of(const Objects& objects, const k8s::Dynamic& owner,
                                   const k8s::Dynamic& gateway, WallTime now);

/// Returns the part of a Gateway's `spec.tls.frontend` for a port: how the certificates of clients are
/// verified there.
k8s::View frontend_tls(const k8s::Dynamic& gateway, std::int64_t port);

/// Marks conflicts and overlaps. `listeners` has those of each owner beside each other, owners in the order
/// of their precedence. Of two listeners in conflict both lose if they have one owner; otherwise the second
/// one loses.
void compare_listeners(std::vector<Listener>& listeners);

}  // namespace fairway::gateway
