// SPDX-License-Identifier: Apache-2.0

// The parents that routes name and that no Gateway of this controller is: a route that has no other gets no
// status, and only the offline commands can say why.
#pragma once

#include <string>
#include <vector>

#include "gateway/internal/model/gateway.h"
#include "gateway/internal/objects/objects.h"
#include "k8s/object.h"

namespace fairway::gateway {

/// A parentRef that leads to no Gateway of this controller.
struct LostParent {
  /// The reason, which names the parent, and what may have been meant.
  std::string why;
  /// True if something has to be corrected; false if another controller is in charge.
  bool is_mistake = false;
};

/// Returns the parentRefs of a route that lead to no Gateway of this controller, in their order. Several to
/// one parent are one.
std::vector<LostParent> lost_parents(const Objects& objects, const GatewayStates& gateways,
                                     const k8s::Dynamic& route);

}  // namespace fairway::gateway
