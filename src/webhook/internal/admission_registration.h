// The webhook process tells API servers which objects to ask it about.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/semver.h"
#include "kube/client/client.h"
#include "webhook/address.h"
#include "webhook/ca_bundle.h"
#include "webhook/handler.h"

namespace fairway::webhook {

/// A webhook, and where API servers reach it.
struct RegisteredWebhook {
  AdmissionWebhook webhook;
  Address address;
};

struct AdmissionRegistration {
  /// PEM, for a configuration that has none; in others what the server has stays, and is published elsewhere
  /// (`publish_ca_bundle`).
  std::string ca_bundle;
  /// Of this program. A configuration of a newer one is never touched here.
  Version release;
  std::string field_manager = "fairway-webhooks";
};

/// Server-side apply of each webhook's configuration, where the server has something else: it is taken over
/// from whoever has written it, but from a newer release. What was not planned stays (a selector, say, that
/// was added by hand). Errors name the configuration.
Result<void> register_admission(kube::Client& client, const std::vector<RegisteredWebhook>& webhooks,
                                const AdmissionRegistration& registration, const std::stop_token& stop = {});

/// Where the CA bundle of such a webhook belongs.
CaBundleTarget target_of(const AdmissionWebhook& webhook);

}  // namespace fairway::webhook
