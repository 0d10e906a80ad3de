// The rules of Services.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver {

/// What has no meaning for another type goes with the change of the type; an address never changes. Addresses
/// and ports are given by resources/internal/service_addresses.h. Rules:
/// pkg/registry/core/service/strategy.go and pkg/apis/core/validation of k8s.io/kubernetes.
std::shared_ptr<const Strategy> service_strategy();

}  // namespace fairway::apiserver
