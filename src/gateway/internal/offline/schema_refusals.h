// SPDX-License-Identifier: Apache-2.0

// The rules of the CRDs of Gateway API that an object breaks, for those who check objects before they apply
// them.
#pragma once

#include <string>
#include <vector>

#include "k8s/object.h"

namespace fairway::gateway {

/// Returns descriptions of the rules of the CRDs (v1.7.0) that an object breaks. Not all of their rules are
/// checked.
std::vector<std::string> schema_refusals(const k8s::Dynamic& object);

}  // namespace fairway::gateway
