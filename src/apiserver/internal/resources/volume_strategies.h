// The rules of PersistentVolumes and their claims.
#pragma once

#include <memory>

#include "apiserver/internal/resources/strategy.h"

namespace fairway::apiserver {

/// Both begin as Pending. A claim never changes, but for the size and the class of attributes of one that is
/// bound, and for the volume that it is given once; what a volume is made of never changes. Rules:
/// pkg/registry/core/persistentvolume, persistentvolumeclaim and pkg/apis/core/validation of
/// k8s.io/kubernetes. The specs themselves are not validated.
std::shared_ptr<const Strategy> claim_strategy();
std::shared_ptr<const Strategy> volume_strategy();

}  // namespace fairway::apiserver
