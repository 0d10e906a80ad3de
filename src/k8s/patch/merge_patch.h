// JSON merge patches (RFC 7386): applying them, and making one of two documents.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "k8s/patch/internal/patch_limits.h"

namespace fairway::k8s {

/// Applies a merge patch: objects are merged member by member, null removes, all else replaces. Members keep
/// their order, new ones come last. Error: `too_large` where the patch is nested too deep.
Result<json::Value> apply_merge_patch(json::Value document, const json::Value& patch,
                                      const PatchLimits& limits = {});

/// The merge patch that makes `to` of `from`, with nothing in it that is the same in both; `{}` where the two
/// say the same. A null counts as absent, as the API server keeps it: a merge patch cannot say otherwise.
json::Object merge_patch_between(const json::Object& from, const json::Object& to);

}  // namespace fairway::k8s
