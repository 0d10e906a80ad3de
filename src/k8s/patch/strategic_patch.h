// SPDX-License-Identifier: Apache-2.0

// Strategic merge patches: merge patches that merge certain lists item by item.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "k8s/patch/patch_limits.h"
#include "k8s/patch/patch_schema.h"

namespace fairway::k8s {

/// Applies a strategic merge patch to an object of a built-in kind, as the API server does. In addition to
/// a merge patch, lists of some fields are merged item by item (see `PatchSchema`), and there are
/// directives:
///   $patch: replace      in an object: it is replaced by the rest of the patch; in an item: its list is
///   $patch: delete       in an object: it is emptied; in an item: the item with that merge key is removed
///   $retainKeys          of an object: members not in this list are removed
///   $deleteFromPrimitiveList/FIELD   these are removed from a list of strings or numbers
///   $setElementOrder/FIELD           the order of a merged list
/// Errors name the field: `invalid` if the patch is malformed or does not apply to the document, `too_large`
/// if it is nested too deep.
Result<json::Value> apply_strategic_patch(json::Value document, const json::Value& patch,
                                          const PatchSchema& schema, const PatchLimits& limits = {});

}  // namespace fairway::k8s
