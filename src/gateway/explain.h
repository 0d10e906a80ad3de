// `fairway gateway explain`: where a route is served, why not elsewhere, and what Envoy is given for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "gateway/check.h"

namespace fairway::gateway {

/// A text for people about the routes of this name, of all kinds: what of them is not served and why, each
/// listener of their parents with the hostnames that they are served for or the reason why not, what the
/// Gateway's status in the input says of Envoy, and Envoy's configuration for these hostnames. Private keys
/// are not in it.
///
/// `route` is "NAMESPACE/NAME", or a name in the namespace `default`. The sources together are one cluster,
/// as for `check`, and so are the settings. Errors: text or settings that cannot be read; `not_found` where
/// there is no such route.
Result<std::string> explain(const std::vector<SourceText>& sources, std::string_view route, WallTime now,
                            const OfflineSettings& settings = {});

}  // namespace fairway::gateway
