// SPDX-License-Identifier: Apache-2.0

// The rules of PersistentVolumes and their claims.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver::resources {

/// Returns the rules of claims and volumes. Both begin as Pending. A claim never changes, except for the size
/// and the class of attributes of a bound one, and for the volume that it is given once. The source of a
/// volume never changes. The specs themselves are not validated.
/// Rules: pkg/registry/core/persistentvolume, persistentvolumeclaim and pkg/apis/core/validation of
/// k8s.io/kubernetes.
std::shared_ptr<const Strategy> claim_strategy();
std::shared_ptr<const Strategy> volume_strategy();

}  // namespace fairway::apiserver::resources
