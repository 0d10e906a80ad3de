// SPDX-License-Identifier: Apache-2.0

// OpenAPI documents as protobuf.
#pragma once

#include <string>

#include "apiserver/internal/openapi/dialect.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::openapi {

/// Returns a document as protobuf (openapi.v2.Document, openapi.v3.Document): the bytes that kube-apiserver
/// makes of the same document. Error (`internal`): a member that the message has no field for, or one of
/// another type, by its path.
Result<std::string> to_protobuf(Dialect dialect, const json::Value& document);

}  // namespace fairway::apiserver::openapi
