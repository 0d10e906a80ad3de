// What the CRDs of Gateway API refuse, as far as it matters to those who check objects before they apply
// them.
#pragma once

#include <string>
#include <vector>

#include "k8s/object.h"

namespace fairway::gateway {

/// The rules of the CRDs (v1.6.3) that an object breaks, in words; not all of their rules are looked at.
std::vector<std::string> schema_refusals(const k8s::Dynamic& object);

}  // namespace fairway::gateway
