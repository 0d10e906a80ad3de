// SPDX-License-Identifier: Apache-2.0

// The rules of admission's own kinds, when they are written.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::admission {

/// Returns the rules of a kind of admission: webhook configurations, admission policies and their bindings.
/// Null for all other kinds.
std::shared_ptr<const resources::Strategy> admission_strategy(const k8s::GroupKind& kind);

}  // namespace fairway::apiserver::admission
