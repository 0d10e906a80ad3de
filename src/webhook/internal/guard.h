// SPDX-License-Identifier: Apache-2.0

// Conversions that rely on a validating webhook of the same server.
#pragma once

#include <vector>

#include "base/result.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/group_version.h"
#include "webhook/handler.h"

namespace fairway::webhook {

/// Returns whether a webhook is meant to guard the conversion of a definition's objects.
bool is_guard_of(const AdmissionWebhook& webhook, const k8s::CustomResourceDefinition& definition);

/// Checks that each kind in `Conversion::guarded` has its definition, and a validating webhook among the
/// handlers that the server registers, which says that it guards the conversion, and sees all writes. The
/// error (`invalid`) names the first kind without, and what its webhook lacks.
Result<void> check_guards(const std::vector<Handler>& handlers,
                          const std::vector<k8s::CustomResourceDefinition>& definitions);

}  // namespace fairway::webhook
