// SPDX-License-Identifier: Apache-2.0

// All containers of a Pod, in the order in which Kubernetes visits them.
#pragma once

#include "apiserver/internal/validation/scope.h"

namespace fairway::apiserver::validation {

/// Calls `visit` for each init container, container and ephemeral container.
template <class Visit>
void each_container(const Scope& spec, Visit visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"})
    spec.each(list, [&](const Scope& container, std::size_t) { visit(container); });
}

}  // namespace fairway::apiserver::validation
