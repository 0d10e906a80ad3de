// The webhook process tells API servers which objects to ask it about.
#pragma once

#include <string>
#include <vector>

#include "base/semver.h"
#include "conversion/converters.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/client.h"
#include "webhook/address.h"
#include "webhook/ca_bundle.h"

namespace fairway::conversion {

struct AdmissionRegistration {
  /// Where defaults and validators are asked.
  WebhookAddress defaults, validates;
  /// PEM, for a configuration that has none; in others what the server has stays, and whoever keeps the
  /// certificates publishes it.
  std::string ca_bundle;
  /// Of this program. A configuration of a newer one is never touched here.
  Version release;
  std::string field_manager = "fairway-webhooks";
};

/// For each definition whose kind has defaults a MutatingWebhookConfiguration, and for each whose kind has a
/// validator a ValidatingWebhookConfiguration, both by the definition's name. API servers convert an object
/// to a version that is asked about, whichever it is written in, and refuse writes while nobody answers:
/// otherwise objects get in that no validator has seen.
std::vector<k8s::Dynamic> plan_admission(const Converters& converters,
                                         const std::vector<k8s::CustomResourceDefinition>& definitions,
                                         const AdmissionRegistration& registration);

/// Server-side apply of what was planned, where the server has something else: it is taken over from whoever
/// has written it, but from a newer release. What was not planned stays (a selector, say, that somebody has
/// added). Errors name the configuration.
Result<void> register_admission(kube::Client& client, const std::vector<k8s::Dynamic>& planned,
                                const AdmissionRegistration& registration, const std::stop_token& stop = {});

/// Where the CA bundle of such a configuration belongs.
kube::CaBundleTarget admission_target(const k8s::Dynamic& configuration);

}  // namespace fairway::conversion
