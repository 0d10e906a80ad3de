// The webhooks that an API server calls on writes.
#pragma once

#include "k8s/object.h"

namespace fairway::k8s {

/// Webhooks that may change an object before it is stored.
class MutatingWebhookConfiguration : public Dynamic {
 public:
  static constexpr Resource resource{"admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration",
                                     "mutatingwebhookconfigurations", Scope::cluster};
  using Dynamic::Dynamic;
};

/// Webhooks that may reject it.
class ValidatingWebhookConfiguration : public Dynamic {
 public:
  static constexpr Resource resource{"admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration",
                                     "validatingwebhookconfigurations", Scope::cluster};
  using Dynamic::Dynamic;
};

}  // namespace fairway::k8s
