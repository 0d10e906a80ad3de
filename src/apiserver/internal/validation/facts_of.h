// SPDX-License-Identifier: Apache-2.0

// Facts about a Pod, out of its spec.
#pragma once

#include <string_view>

#include "apiserver/internal/validation/pod_facts.h"
#include "base/json.h"

namespace fairway::apiserver::validation {

/// Collects the facts about a Pod, or about a template (then `name` is empty). They refer to the spec, which
/// must outlive them. `old_spec` is that before an update, or nullptr.
PodFacts facts_of(const json::Object& spec, bool is_pod, std::string_view name, const json::Object* old_spec);

}  // namespace fairway::apiserver::validation
