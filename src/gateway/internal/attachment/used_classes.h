// SPDX-License-Identifier: Apache-2.0

// GatewayClasses that Gateways use: these must not be deleted.
#pragma once

#include <string_view>
#include <vector>

#include "gateway/internal/objects/objects.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// The finalizer that keeps a class from being deleted, as Gateway API names it.
inline constexpr std::string_view class_finalizer = "gateway-exists-finalizer.gateway.networking.k8s.io";

/// A class whose finalizer has to be added, because a Gateway uses it, or removed, because none does any
/// more.
struct FinalizerChange {
  const k8s::Dynamic* object = nullptr;
  bool is_used = false;
};

/// Returns the changes of finalizers of this controller's classes, those to add first: a Gateway that moves
/// from one class to another is never without one. A class that is being deleted gets none, since the server
/// would refuse it.
std::vector<FinalizerChange> finalizer_changes(const Objects& objects);

}  // namespace fairway::gateway
