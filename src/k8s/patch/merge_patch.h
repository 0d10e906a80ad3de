// SPDX-License-Identifier: Apache-2.0

// JSON merge patches (RFC 7386): applying them, and computing one from two documents.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "k8s/patch/patch_limits.h"

namespace fairway::k8s {

/// Applies a merge patch: objects are merged member by member, null removes, any other value replaces.
/// Members keep their order, new ones come last. Error: `too_large` if the patch is nested too deep.
Result<json::Value> apply_merge_patch(json::Value document, const json::Value& patch,
                                      const PatchLimits& limits = {});

/// Returns the minimal merge patch from `from` to `to`; `{}` if they are equal. A null member differs from an
/// absent one. Error: `invalid` if a member of `to` is null and was absent or another value in `from`: null
/// removes in a merge patch, so only a JSON patch can set it. The error names the path. Nulls in lists are
/// allowed.
Result<json::Object> merge_patch_between(const json::Object& from, const json::Object& to);

}  // namespace fairway::k8s
