// SPDX-License-Identifier: Apache-2.0

// The rules of ConfigMaps and Secrets.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::resources {

/// Returns the rules of ConfigMaps and Secrets. They hold at most 1 MiB, under keys that can be file names,
/// and do not change once they are immutable. A Secret of one of Kubernetes's types has the keys of that
/// type.
/// Rules: pkg/apis/core/validation of k8s.io/kubernetes.
std::shared_ptr<const Strategy> config_map_strategy();
std::shared_ptr<const Strategy> secret_strategy();

}  // namespace fairway::apiserver::resources
