// SPDX-License-Identifier: Apache-2.0

// The kinds of resource.k8s.io whose objects taint devices.
#pragma once

#include <memory>
#include <string_view>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::resources {

/// Returns the rules of DeviceTaintRules or ResourceSlices: a taint without a time was added now, and that of
/// a rule whose effect changes, too, unless the client says when.
/// Rules: pkg/apis/resource/v1/defaults.go and pkg/registry/resource of k8s.io/kubernetes.
std::shared_ptr<const Strategy> device_taint_strategy(std::string_view kind);

}  // namespace fairway::apiserver::resources
