// SPDX-License-Identifier: Apache-2.0

// Values of JSON as YAML, to the byte as Go's yaml.v3 writes them: clients find them so in OpenAPI documents
// of protobuf, and may compare them.
#pragma once

#include <string>

#include "base/json.h"

namespace fairway::apiserver::openapi {

/// Returns a value as a document of YAML, in block style with an indent of four.
std::string node_yaml(const json::Value& value);

}  // namespace fairway::apiserver::openapi
