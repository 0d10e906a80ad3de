// Registration of the webhook configurations for defaulting and validation.
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
  /// The addresses of the defaulting and the validating webhook.
  webhook::Address defaults, validates;
  /// PEM, for a configuration without a bundle; an existing one is kept (`webhook::publish_ca_bundle` updates
  /// it).
  std::string ca_bundle;
  /// The release of this program. A configuration of a newer release is not changed.
  Version release;
  std::string field_manager = "fairway-webhooks";
};

/// A MutatingWebhookConfiguration for each definition whose kind has defaults, and a
/// ValidatingWebhookConfiguration for each whose kind has a validator, named like the definition. API servers
/// convert an object to a version in the rules, in whichever version it is written, and reject writes while
/// no webhook responds (failurePolicy Fail), so that no object is stored unvalidated.
std::vector<k8s::Dynamic> plan_admission(const Converters& converters,
                                         const std::vector<k8s::CustomResourceDefinition>& definitions,
                                         const AdmissionRegistration& registration);

/// Server-side apply of the planned configurations if the server's differ; with force, except over those of a
/// newer release. Other fields are kept (for example a selector added by an admin). Errors name the
/// configuration.
Result<void> register_admission(kube::Client& client, const std::vector<k8s::Dynamic>& planned,
                                const AdmissionRegistration& registration, const std::stop_token& stop = {});

/// The target for the CA bundle of such a configuration.
webhook::CaBundleTarget admission_target(const k8s::Dynamic& configuration);

}  // namespace fairway::conversion
