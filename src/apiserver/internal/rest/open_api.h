// SPDX-License-Identifier: Apache-2.0

// Requests for OpenAPI documents.
#pragma once

#include "apiserver/internal/openapi/documents.h"
#include "http/message.h"
#include "k8s/status.h"

namespace fairway::apiserver::rest {

/// Answers `/openapi/v2`, `/openapi/v3` and paths below, in JSON only. A URL of the index names the hash of
/// its document, and may be cached for ever; one with an old hash is redirected. Errors: 404 for other paths,
/// 406, and 405.
k8s::StatusResult<http::Response> answer_open_api(openapi::Documents& documents,
                                                  const http::Request& request);

}  // namespace fairway::apiserver::rest
