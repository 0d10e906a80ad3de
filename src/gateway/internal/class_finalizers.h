// SPDX-License-Identifier: Apache-2.0

// The finalizers of GatewayClasses on the server.
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "gateway/internal/objects/objects.h"
#include "kube/client/client.h"

namespace fairway::gateway {

/// Writes the finalizers of the classes that Gateways use.
class ClassFinalizers {
 public:
  /// Makes the finalizers those that the objects ask for. Errors: those of the API server, but that this
  /// controller may not change classes: that is logged, and tried again a minute later, since statuses and
  /// traffic do not need it.
  Result<void> write(const Objects& objects, kube::Client& client, const Limits& limits);

 private:
  /// The time until which the server is not asked again.
  SteadyTime refused_until_ = SteadyTime::min();
};

}  // namespace fairway::gateway
