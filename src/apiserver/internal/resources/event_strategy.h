// SPDX-License-Identifier: Apache-2.0

// The rules of Events, of two groups.
#pragma once

#include <memory>
#include <string_view>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::resources {

/// Returns the rules of Events. Those of both groups are stored in the form of the core group. Events of
/// `events.k8s.io` never change, except for their series. `group` is that of the requests.
/// Rules: pkg/apis/core/validation/events.go of k8s.io/kubernetes.
std::shared_ptr<const Strategy> event_strategy(std::string_view group);

}  // namespace fairway::apiserver::resources
