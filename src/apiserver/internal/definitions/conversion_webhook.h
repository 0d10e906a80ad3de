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

/// Asks the webhook of one definition, as it was when this was made. Safe from all threads; a call blocks for
/// up to 30 s, Kubernetes's limit, and no longer than the thread's caller has (`flow::current_caller`).
class ConversionWebhook {
 public:
  /// `objects`, which outlives this, has the Service that the webhook is behind, if it is.
  ConversionWebhook(const k8s::CustomResourceDefinition& definition, Objects& objects);

  /// Changes an object into another version. Its metadata stays, except for labels and annotations. Errors
  /// (500, worded as by kube-apiserver): there is no answer, or one that is no conversion of the object; 429:
  /// too many requests wait for others.
  k8s::StatusResult<void> convert(k8s::Dynamic& object, const k8s::GroupVersionKind& to) const;

 private:
  Result<std::string> ask(std::string review) const;

  Objects& objects_;
  /// The webhook's name in refusals of those that wait for it.
  std::string party_;
  std::optional<k8s::ConversionVersion> version_;
  webhooks::WebhookClient client_;
  /// Until then it is not asked: it has let a call run into its limit, and what waits for conversions are
  /// threads that others need, too.
  mutable std::atomic<SteadyTime::rep> rests_until_{0};
};

}  // namespace fairway::apiserver::definitions
