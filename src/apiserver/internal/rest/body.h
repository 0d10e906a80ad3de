// SPDX-License-Identifier: Apache-2.0

// Bodies of writes.
#pragma once

#include "apiserver/internal/rest/call.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver::rest {

enum class BodyFormat { json, yaml, protobuf };
/// Returns the format by the Content-Type; JSON if there is none. Errors: 415, also for protobuf of custom
/// resources.
k8s::StatusResult<BodyFormat> body_format(const Call& call, const k8s::GroupVersionKind& expected);

/// Reads the body: JSON, YAML (one document), or protobuf of a built-in kind, which is `expected` if it names
/// none. Keys that YAML has twice are added to the call's; the last one wins. Errors: 415 for another
/// Content-Type, and for protobuf of custom resources; 400 for a body that cannot be read.
k8s::StatusResult<json::Value> read_value(Call& call, const k8s::GroupVersionKind& expected);

/// Reads the object in the body of a create or update, of the kind and version of the request, which it is
/// given if it has none. Errors: those of `read_value`; 400 for another kind, version or namespace.
k8s::StatusResult<k8s::Dynamic> read_object(Call& call, const k8s::GroupVersionKind& kind);

}  // namespace fairway::apiserver::rest
