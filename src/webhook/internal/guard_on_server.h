// SPDX-License-Identifier: Apache-2.0

// The guard of a conversion as the API server has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/object.h"
#include "webhook/address.h"
#include "webhook/handler.h"

namespace fairway::webhook {

/// Returns what the webhook of this name lacks, in a ValidatingWebhookConfiguration of the server, to send
/// each write of a definition's objects to this address; empty: nothing.
std::string gap_on_server(const k8s::Dynamic& configuration, std::string_view webhook, const Address& address,
                          const k8s::CustomResourceDefinition& on_server);

/// Returns the JSON patch that removes the selectors and match conditions of a webhook, by which some
/// requests are kept from it; an empty list where it has none.
json::Array patch_to_see_all(const k8s::Dynamic& configuration, std::string_view webhook);

/// Sightings of one guard, check by check.
class GuardSightings {
 public:
  /// The time for which a guard has to be seen: API servers learn of a configuration by a watch.
  static constexpr std::chrono::seconds settle{1};

  /// The time for which an effective guard is taken to be so still, although it cannot be read.
  static constexpr std::chrono::seconds trusted_unread{30};

  /// Records what the guard lacks now; empty: nothing. Returns whether it is effective.
  bool record(const std::string& gap, SteadyTime now);
  /// Records that the guard could not be read now. Returns whether it is effective.
  bool record_unread(SteadyTime now);
  bool effective() const { return effective_; }

 private:
  std::optional<SteadyTime> since_;  ///< seen without a gap from then on
  SteadyTime seen_ = {};             ///< seen without a gap the last time
  bool effective_ = false;
};

}  // namespace fairway::webhook
