// SPDX-License-Identifier: Apache-2.0

// Patch strategies of the built-in kinds, for strategic merge patches.
#pragma once

#include "k8s/group_version.h"
#include "k8s/patch/strategic_patch.h"

namespace fairway::apiserver::kinds {

/// Returns the patch strategies of a built-in kind, for `k8s::apply_strategic_patch`; nullptr for all other
/// kinds, to which a strategic merge patch cannot be applied (415). Made from the kinds' tables at first use,
/// and cached. Thread-safe.
const k8s::PatchSchema* find_patch_schema(const k8s::GroupVersionKind& kind);

}  // namespace fairway::apiserver::kinds
