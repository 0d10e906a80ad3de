// SPDX-License-Identifier: Apache-2.0

// Writes of the status of a definition.
#pragma once

#include <functional>

#include "base/limits.h"
#include "base/result.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/client.h"

namespace fairway::conversion {

/// Reads the definition as it is now. Its Error ends the write.
using ReadDefinition = std::function<Result<k8s::CustomResourceDefinition>()>;
/// Changes the status; returns whether it has to be written.
using ChangeDefinition = std::function<bool(k8s::CustomResourceDefinition& definition)>;

/// Reads, changes and writes the status of a definition, again after a conflict. Errors: those of `read` and
/// of the write; `unavailable` after too many conflicts.
Result<void> write_definition_status(kube::Client& client, const ReadDefinition& read,
                                     const ChangeDefinition& change, const Limits& limits);

}  // namespace fairway::conversion
