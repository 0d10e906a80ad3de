// SPDX-License-Identifier: Apache-2.0

// `fairway gateway explain`: where a route is served, why not elsewhere, and what Envoy is given for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "gateway/check.h"

namespace fairway::gateway {

/// Explains to people the routes of this name, of all kinds: the parts that are not served and why, each
/// listener of their parents with the hostnames that they are served for or the reason why not, the answers
/// of Envoy in the Gateway's status of the input, and Envoy's configuration for these hostnames. Private keys
/// are not in it.
///
/// `route` is "NAMESPACE/NAME", or a name in the namespace `default`. The sources together are one cluster,
/// and the settings mean the same, as for `check`. Errors: text or settings that cannot be read; `not_found`
/// if there is no such route.
Result<std::string> explain(const std::vector<SourceText>& sources, std::string_view route, WallTime now,
                            const OfflineSettings& settings = {});

}  // namespace fairway::gateway
