// SPDX-License-Identifier: Apache-2.0

// The HTTP client of sources that are asked over HTTP.
#pragma once

#include <memory>

#include "http/client.h"
#include "sources/source.h"

namespace fairway::sources {

/// Makes a client that trusts --ca-file beside the system's CAs.
Result<std::unique_ptr<http::Client>> make_http_client(const Options& options);

}  // namespace fairway::sources
