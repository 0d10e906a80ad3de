// Strategic merge patches: merge patches that know which lists are merged item by item.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "k8s/patch/internal/patch_limits.h"
#include "k8s/patch/internal/patch_schema.h"

namespace fairway::k8s {

/// Applies a strategic merge patch to an object of a built-in kind, as the API server does. On top of what a
/// merge patch does, lists of some fields are merged item by item (see `PatchSchema`), and there are
/// directives:
///   $patch: replace      in an object: it is replaced by the rest of the patch; in an item: its list is
///   $patch: delete       in an object: it is emptied; in an item: the item with that merge key goes
///   $retainKeys          of an object: members that are not in this list go
///   $deleteFromPrimitiveList/FIELD   these go from a list of texts or numbers
///   $setElementOrder/FIELD           the order of a merged list
/// Errors name the field: `invalid` where the patch is not well-formed or does not go with the document,
/// `too_large` where it is nested too deep.
Result<json::Value> apply_strategic_patch(json::Value document, const json::Value& patch,
                                          const PatchSchema& schema, const PatchLimits& limits = {});

}  // namespace fairway::k8s
