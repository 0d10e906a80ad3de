// SPDX-License-Identifier: Apache-2.0

// Objects of built-in kinds as Kubernetes's Go code reads and writes them.
#pragma once

#include "apiserver/internal/kinds/message_type.h"
#include "base/json.h"
#include "base/result.h"

namespace fairway::apiserver::kinds {

/// Reads a document as the API server reads one of a built-in kind, and returns the document that it would
/// store. Unknown fields are removed. Members have the order of the type. Nulls and empty lists count as
/// absent, except for the policies of an autoscaler. Values that Go omits are omitted, and those that it
/// always writes are present. Quantities and times have their canonical form ("1000m" is "1"), and maps are
/// sorted. It is the document that `read_protobuf` makes of the same object. The function is idempotent.
///
/// Errors (`invalid`) are the server's: "json: cannot unmarshal string into Go struct field
/// DeploymentSpec.spec.replicas of type int32". The reply is 400, `KIND in version "VERSION" cannot be
/// handled as a KIND: ` and the error.
Result<json::Value> read_typed(const json::Value& document, const MessageType& type);

}  // namespace fairway::apiserver::kinds
