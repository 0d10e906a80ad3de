// SPDX-License-Identifier: Apache-2.0

// One webhook of a configuration.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/internal/admission/attributes.h"
#include "apiserver/internal/admission/constraints.h"
#include "apiserver/internal/admission/match_conditions.h"
#include "apiserver/internal/webhooks/webhook_client.h"
#include "base/limits.h"
#include "k8s/status.h"
#include "k8s/wire/admission_review.h"

namespace fairway::apiserver::admission {

/// The failure of a call to a webhook.
struct CallFailure {
  /// Reason of the failure: "failed to call webhook: Post ...".
  std::string why;
  /// True if the webhook is not the cause: the server stops, or the whole request has taken too long.
  bool is_of_request = false;
};

/// A webhook of a configuration. Immutable, and safe from all threads.
class Webhook {
 public:
  /// Reads a webhook. `webhook` is an entry of `configuration`.
  Webhook(const k8s::View& webhook, std::string_view configuration, bool is_mutating,
          storage::Storage& storage);

  const std::string& name() const { return name_; }
  const std::string& configuration() const { return configuration_; }
  bool ignores_failures() const { return ignores_failures_; }
  bool is_reinvoked() const { return is_reinvoked_; }

  /// Returns the resource as which the webhook is called for a write; std::nullopt: it is not called.
  /// `authorizer` may be null. A Status refuses the write.
  k8s::StatusResult<std::optional<Matched>> match(const Attributes& attributes, const Sources& sources,
                                                  const cel::Authorizer* authorizer) const;

  /// Returns the Status that refuses a dry run for which the webhook must not be called.
  std::optional<k8s::Status> refuse_dry_run(const Attributes& attributes) const;
  /// Calls the webhook. `limits` are those of the whole request, by the machine's clock. The response may
  /// deny the write.
  std::expected<k8s::AdmissionResponse, CallFailure> ask(const Attributes& attributes, const Matched& matched,
                                                         const Versioned& versioned, std::string uid,
                                                         const Limits& limits) const;

 private:
  std::string name_, configuration_;
  bool is_mutating_;
  bool ignores_failures_, is_reinvoked_, has_side_effects_;
  std::chrono::seconds timeout_;
  std::optional<k8s::AdmissionVersion> version_;
  Constraints constraints_;
  MatchConditions conditions_;
  webhooks::WebhookClient client_;
};

}  // namespace fairway::apiserver::admission
