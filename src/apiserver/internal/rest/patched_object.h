// SPDX-License-Identifier: Apache-2.0

// Patches of objects, and of Scales.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/rest/call.h"
#include "base/json.h"
#include "k8s/object.h"
#include "k8s/patch/strategic_patch.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver::rest {

/// Returns the type of patch that a request sends. Errors (415): none that the resource takes. Custom
/// resources take no strategic merge patches.
k8s::StatusResult<k8s::PatchType> patch_type_of(const Call& call);

/// Returns the object that a patch makes of `current`. `schema`: the patch strategies; nullptr: a strategic
/// merge patch is a merge patch. Errors: 400, or 422 for a valid patch that does not fit the object.
k8s::StatusResult<k8s::Dynamic> patched_object(const k8s::Dynamic& current, k8s::PatchType type,
                                               const json::Value& patch, const k8s::PatchSchema* schema);

/// Returns the errors that fieldValidation reports for the patch itself.
std::vector<std::string> errors_of_patch(k8s::PatchType type, std::string_view body);

}  // namespace fairway::apiserver::rest
