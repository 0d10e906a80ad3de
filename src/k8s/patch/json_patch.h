// JSON patches (RFC 6902): applying them, and making one of two documents.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "k8s/patch/internal/patch_limits.h"

namespace fairway::k8s {

/// Applies a JSON patch: all of it or, with an error, nothing. Errors name the operation, counted from 0:
/// `invalid` where the patch is not well-formed, `conflict` where it does not fit the document (a path that
/// is not there, a test that fails), `too_large` where a limit is met.
/// `test` compares numbers by value; members keep their order, new ones come last.
Result<json::Value> apply_json_patch(json::Value document, const json::Value& patch,
                                     const PatchLimits& limits = {});

/// The patch that makes `to` of `from`: what a mutating webhook answers with. Lists of one length are
/// compared item by item, others are replaced. Empty where the two are equal.
json::Array json_patch_between(const json::Value& from, const json::Value& to);

}  // namespace fairway::k8s
