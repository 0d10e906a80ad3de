// The rules of admission's own kinds, when they are written.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::admission {

/// Null for all kinds but webhook configurations, validating policies and their bindings.
std::shared_ptr<const Strategy> admission_strategy(const k8s::GroupKind& kind);

}  // namespace fairway::apiserver::admission
