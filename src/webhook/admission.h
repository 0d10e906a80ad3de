// SPDX-License-Identifier: Apache-2.0

// Handling of AdmissionReviews in a webhook; `k8s/wire/admission_review.h` has the documents.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "k8s/status.h"
#include "k8s/wire/admission_review.h"

namespace fairway::webhook {

using k8s::AdmissionOperation;
using k8s::AdmissionRequest;

/// The response of a webhook.
struct AdmissionAnswer {
  bool allowed = true;
  /// The reason for the denial.
  k8s::Status status = {};
  /// Shown to the user, each at most 120 characters by convention.
  std::vector<std::string> warnings = {};
  /// The mutated object: the reply has the JSON patch from the object in the request.
  std::optional<json::Object> changed = {};
  /// Audit annotations, with keys without a domain; the server adds the webhook's name as prefix.
  std::vector<std::pair<std::string, std::string>> audit_annotations = {};

  static AdmissionAnswer allow() { return {}; }
  static AdmissionAnswer change(json::Object object);
  /// `field`, if known, becomes the cause.
  static AdmissionAnswer deny(std::string_view reason, std::string_view message, std::string_view field = {});
  /// Returns a denial for an error: "spec.size: too large" names the field spec.size.
  static AdmissionAnswer deny(const Error& error);
};

using AdmissionHandler = std::function<AdmissionAnswer(const AdmissionRequest&)>;

struct AdmissionReply {
  /// Status of the reply: 200 with a review, 400 or 500 with a Status.
  int http_status = 200;
  std::string body = {};
  bool allowed = false;
};

/// Handles a review. One whose objects cannot be read is denied without asking the handler: CREATE and UPDATE
/// have `object`, UPDATE and DELETE have `oldObject`, and both are of the kind that `request.kind` says. A
/// key that stands twice in one object is a failed call (400), and so is an exception of the handler (500):
/// the webhook's failurePolicy applies.
AdmissionReply answer_admission(const AdmissionHandler& handler, std::string_view body);

}  // namespace fairway::webhook
