// SPDX-License-Identifier: Apache-2.0

// Conversion, defaulting and validation of the kinds in a `Converters`, as handlers of a webhook server.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "conversion/converters.h"
#include "k8s/custom_resource_definition.h"
#include "webhook/admission.h"
#include "webhook/handler.h"

namespace fairway::conversion {

/// The paths of the server; "" leaves one out.
struct WebhookPaths {
  std::string convert = "/convert";
  std::string defaults = "/default";    ///< a MutatingWebhookConfiguration names it
  std::string validates = "/validate";  ///< a ValidatingWebhookConfiguration names it
  std::string guards = "/quarantine";   ///< another one names it; only where a kind is quarantined
};

/// The handlers for `webhook::WebhookServer`, or for `webhook::listen`. For each of the definitions whose
/// kind has defaults they want a MutatingWebhookConfiguration, and for each with validators a
/// ValidatingWebhookConfiguration, by the definition's name; writes are refused while no server answers:
/// otherwise objects get in that no validator has seen. They run on the I/O threads: converters, defaults and
/// validators must not block. `converters` must be prepared; `metrics` and `clock` must outlive the server:
/// `fairway_conversion_objects_total` for each pair of versions, `fairway_conversion_reviews_total`,
/// `fairway_conversion_review_duration_seconds` (by `clock`), `fairway_admission_reviews_total`.
/// Kinds that are quarantined have a ValidatingWebhookConfiguration more, their guard
/// (`webhook::guard_name`): it names a path of its own, which replicas that quarantine nothing do not serve,
/// so that API servers refuse the writes of which these would be asked. `hooks` are for these kinds; with
/// `hooks.read` the guard blocks, if one of them has the subresource scale.
std::vector<webhook::Handler> webhook_handlers(const std::shared_ptr<const Converters>& converters,
                                               const std::vector<k8s::CustomResourceDefinition>& definitions,
                                               metrics::Registry& metrics, const WebhookPaths& paths = {},
                                               Clock& clock = Clock::system(),
                                               const QuarantineHooks& hooks = {});

/// The answers of the defaulting and the validating webhook for the kinds in `converters`: objects of other
/// kinds, deletions and subresources are allowed as they are.
webhook::AdmissionAnswer default_object(const Converters& converters,
                                        const webhook::AdmissionRequest& request);
webhook::AdmissionAnswer validate_object(const Converters& converters,
                                         const webhook::AdmissionRequest& request);
/// The answer of the guard to a write of an object of a quarantined kind, or of its status, in the version in
/// which it is written. Writes of kinds that are not quarantined here are denied: another replica does.
webhook::AdmissionAnswer guard_object(const Converters& converters, const webhook::AdmissionRequest& request);

}  // namespace fairway::conversion
