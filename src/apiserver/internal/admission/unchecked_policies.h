// SPDX-License-Identifier: Apache-2.0

// Policies from before their writers' right to read parameters was checked.
#pragma once

#include <string>
#include <vector>

#include "apiserver/internal/resources/registry.h"
#include "apiserver/internal/storage/storage.h"
#include "base/result.h"

namespace fairway::apiserver::admission {

/// Returns the policies and bindings with parameters that a release without `check_param_access` stored, and
/// that nobody has written since: `ValidatingAdmissionPolicy "quota" (parameters: v1, Kind=Secret)`. They go
/// on working. The first call on a storage records the revision up to which nothing was checked. Errors:
/// those of reading and writing the storage.
Result<std::vector<std::string>> unchecked_policies(storage::Storage& storage,
                                                    const resources::ResourceRegistry& registry);

}  // namespace fairway::apiserver::admission
