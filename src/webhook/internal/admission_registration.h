// SPDX-License-Identifier: Apache-2.0

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

/// A webhook and the address at which API servers reach it.
struct RegisteredWebhook {
  AdmissionWebhook webhook;
  Address address;
};

struct AdmissionRegistration {
  /// CA bundle (PEM) for a configuration that has none; in others the server's bundle stays, and is published
  /// elsewhere (`publish_ca_bundle`).
  std::string ca_bundle;
  /// The release of this program. A configuration of a newer one is never touched here.
  Version release;
  std::string field_manager = "fairway-webhooks";
};

/// Applies each webhook's configuration (server-side apply) if the server's differs: ownership is taken over
/// from any other writer except a newer release. Fields that are not planned stay (a selector, say, that was
/// added by hand), except those of a guard that keep requests from it. Errors name the configuration.
Result<void> register_admission(kube::Client& client, const std::vector<RegisteredWebhook>& webhooks,
                                const AdmissionRegistration& registration, const std::stop_token& stop = {});

/// Returns the place of the CA bundle of such a webhook.
CaBundleTarget target_of(const AdmissionWebhook& webhook);

}  // namespace fairway::webhook
