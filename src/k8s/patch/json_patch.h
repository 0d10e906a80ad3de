// SPDX-License-Identifier: Apache-2.0

// JSON patches (RFC 6902): applying them, and computing one from two documents.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "k8s/patch/patch_limits.h"

namespace fairway::k8s {

/// Applies a JSON patch: all of it or, with an error, nothing. Errors name the index of the operation, from
/// 0: `invalid` if the patch is malformed, `conflict` if it does not apply to the document (a path that does
/// not exist, a failed test), `too_large` if a limit is exceeded. `test` compares numbers by value; members
/// keep their order, new ones come last. As in an API server, and not in RFC 6902, `replace` adds a
/// member that an object lacks, and a `test` for null holds there.
Result<json::Value> apply_json_patch(json::Value document, const json::Value& patch,
                                     const PatchLimits& limits = {});

/// Returns the patch from `from` to `to`, for the response of a mutating webhook. Lists of equal length are
/// compared item by item, others are replaced. Empty if both are equal.
json::Array json_patch_between(const json::Value& from, const json::Value& to);

}  // namespace fairway::k8s
