// SPDX-License-Identifier: Apache-2.0

// The head of a request that the client sends.
#pragma once

#include <optional>
#include <string>

#include "http/client.h"

namespace fairway::http {

/// Returns "GET https://host/path", as errors begin; queries may be long and are cut.
std::string describe(const Call& call, const Url& url);

/// Checks that a call can be written as a request. Error: `invalid`.
Result<void> check(const Call& call, const Url& url);

/// Makes the head in HTTP/1.1, with the empty line at its end.
std::string make_head(const Call& call, const Url& url, const Headers& headers, const ClientOptions& options,
                      const std::optional<Url>& proxy);

}  // namespace fairway::http
