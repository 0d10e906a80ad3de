// SPDX-License-Identifier: Apache-2.0

// The rules of Services.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::resources {

/// Returns the rules of Services. When the type changes, fields that mean nothing for the new type are
/// removed. An address never changes. Addresses and ports are allocated by
/// resources/internal/service_addresses.h.
/// Rules: pkg/registry/core/service/strategy.go and pkg/apis/core/validation of k8s.io/kubernetes.
std::shared_ptr<const Strategy> service_strategy();

}  // namespace fairway::apiserver::resources
