// SPDX-License-Identifier: Apache-2.0

// Conversion by the webhook of a definition.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/webhooks/webhook_client.h"
#include "base/clock.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/group_version.h"
#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/wire/conversion_review.h"

namespace fairway::apiserver::definitions {

/// Converts objects by the webhook of one definition, as the definition was when this was made. Safe from all
/// threads. A call blocks for up to 30 s, Kubernetes's limit, and no longer than the deadline of the thread's
/// caller (`flow::current_caller`).
class ConversionWebhook {
 public:
  /// Makes the conversion of a definition. `objects`, which outlives this, gives access to the webhook's
  /// Service, if it has one.
  ConversionWebhook(const k8s::CustomResourceDefinition& definition, objects::Objects& objects);

  /// Takes a place among the requests that wait for this webhook, for the thread's caller. Errors: 429.
  k8s::StatusResult<flow::Waits::Place> enter() const { return objects_.waits().enter(party_); }

  /// Converts an object to another version. Its metadata stays, except for labels and annotations. Errors:
  /// 500 without a reason, worded as by kube-apiserver, for no reply or one that is no conversion of the
  /// object; 429 if too many requests wait for others.
  k8s::StatusResult<void> convert(k8s::Dynamic& object, const k8s::GroupVersionKind& to) const;

 private:
  Result<std::string> ask(std::string review) const;

  objects::Objects& objects_;
  /// The webhook's name in replies that refuse requests because too many wait.
  std::string party_;
  std::optional<k8s::ConversionVersion> version_;
  webhooks::WebhookClient client_;
  /// Time before which the webhook is not called, after a call that has timed out. Requests that wait for
  /// conversions hold threads that others need.
  mutable std::atomic<SteadyTime::rep> rests_until_{0};
};

}  // namespace fairway::apiserver::definitions
