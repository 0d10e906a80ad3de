// SPDX-License-Identifier: Apache-2.0

// A check of a conversion with the objects of a cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/result.h"
#include "conversion/check/conversion_check.h"
#include "k8s/custom_resource_definition.h"
#include "kube/client/client.h"

namespace fairway::conversion {

/// Called after each page with the number of objects that were checked, and of all, where the server says it.
using CheckProgress = std::function<void(std::int64_t done, std::optional<std::int64_t> total)>;

/// Returns the definition of a kind. Errors: `not_found` if there is none, and those of listing.
Result<k8s::CustomResourceDefinition> find_definition(kube::Client& client, std::string_view group,
                                                      std::string_view kind, const Limits& limits = {});

/// Returns the version in which `check_stored` reads objects: a stored one that is served and is not `to`, if
/// there is such a one, so that API servers need no conversion for what is stored in it. One that the new
/// definition has (`schemas`) comes before others. Empty: none is served.
std::string version_to_read(const k8s::CustomResourceDefinition& on_server, std::string_view to,
                            const VersionSchemas& schemas);

/// Checks all objects of a kind, page by page, in `version_to_read`. Only reads. A page that cannot be read
/// is halved until the object is found, which then counts as one that fails. `on_server` is the definition
/// that the server has now, by which the objects are read. Errors: those of listing and of
/// `ConversionCheck::add`; `conflict` if no version is served; `cancelled`.
Result<void> check_stored(kube::Client& client, const k8s::CustomResourceDefinition& on_server,
                          ConversionCheck& check, const CheckProgress& progress = {},
                          const std::stop_token& stop = {});

}  // namespace fairway::conversion
