// SPDX-License-Identifier: Apache-2.0

// The webhooks that an API server calls on writes.
#pragma once

#include "k8s/internal/kinds/openapi_admissionregistration.h"
#include "k8s/kinds/checked.h"

namespace fairway::k8s {

/// Webhooks that may change an object before it is stored.
class MutatingWebhookConfiguration : public Checked<Dynamic, openapi::mutating_webhook_configuration> {
 public:
  static constexpr Resource resource{"admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration",
                                     "mutatingwebhookconfigurations", Scope::cluster};
  using Checked::Checked;
};

/// Webhooks that may reject an object before it is stored.
class ValidatingWebhookConfiguration : public Checked<Dynamic, openapi::validating_webhook_configuration> {
 public:
  static constexpr Resource resource{"admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration",
                                     "validatingwebhookconfigurations", Scope::cluster};
  using Checked::Checked;
};

}  // namespace fairway::k8s
