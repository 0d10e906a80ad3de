// SPDX-License-Identifier: Apache-2.0

// Requests for OpenAPI documents.
#pragma once

#include "apiserver/internal/openapi/documents.h"
#include "base/clock.h"
#include "http/message.h"
#include "k8s/status.h"

namespace fairway::apiserver::rest {

/// Answers `/openapi/v2`, `/openapi/v3` and paths below: documents in JSON or protobuf, the index in JSON. A
/// URL of the index names the hash of its document, and may be cached for a year; one with an old hash is
/// redirected. Who takes neither form gets a 406 without a body. Errors: 404 for other paths, 405, and 500 if
/// a document cannot be made in protobuf.
k8s::StatusResult<http::Response> answer_open_api(openapi::Documents& documents, const http::Request& request,
                                                  const Clock& clock);

}  // namespace fairway::apiserver::rest
