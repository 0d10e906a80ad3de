// SPDX-License-Identifier: Apache-2.0

// The headers that Envoy writes, changes or removes by itself: as few as possible.
#pragma once

#include <string_view>

#include "base/json.h"

namespace fairway::gateway {

/// Makes a connection manager leave headers as clients and backends write them. `Server` is passed on; the
/// dot at the end of a Host is ignored; HTTP/1.0 is answered, and a request without a Host is one for the
/// `address` of the listener.
void add_header_settings(std::string_view address, json::Object& manager);

/// Returns the filter that keeps headers of Envoy's own (`x-envoy-...`) from backends, whether Envoy has
/// added them or a client. Headers that a rule sets come later. Rules add headers of answers to it.
json::Object header_filter();

/// Returns the settings by which a rule's answers say that they depend on the request's Origin.
json::Object origin_varies();
/// The name of the filter that these settings are for.
inline constexpr std::string_view header_filter_name = "envoy.filters.http.header_mutation";

/// Makes a mirror policy copy the request's Host and X-Forwarded-For unchanged.
void keep_headers_of_mirrored(json::Object& policy);
/// Returns the filters of a cluster for mirrored requests: these undo what Envoy adds to copies.
json::Array filters_of_mirrored();

}  // namespace fairway::gateway
