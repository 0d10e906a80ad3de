// SPDX-License-Identifier: Apache-2.0

// The document of a server-side apply.
#pragma once

#include "apiserver/internal/rest/call.h"
#include "base/json.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver::rest {

/// Reads the document in the body, in YAML or JSON. Duplicate keys are kept in the call. Errors (400): it is
/// not one object.
k8s::StatusResult<json::Value> read_apply_document(Call& call);

/// Reports duplicate keys of the document: as warnings of the call or, with Strict, as the error (400).
k8s::StatusResult<void> check_apply_keys(Call& call, k8s::FieldValidation validation);

}  // namespace fairway::apiserver::rest
