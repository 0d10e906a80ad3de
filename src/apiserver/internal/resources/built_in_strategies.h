// SPDX-License-Identifier: Apache-2.0

// Rules of single built-in kinds.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::resources {

/// Returns the rules of a kind; null for kinds without rules of their own.
std::shared_ptr<const Strategy> built_in_strategy(const k8s::GroupKind& kind);

}  // namespace fairway::apiserver::resources
