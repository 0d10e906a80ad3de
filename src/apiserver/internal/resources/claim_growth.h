// SPDX-License-Identifier: Apache-2.0

// The check on a PersistentVolumeClaim that asks for more storage than before.
#pragma once

#include "apiserver/internal/storage/storage.h"
#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver::resources {

/// Refuses a claim that grows if its StorageClass does not exist, or does not have `allowVolumeExpansion`
/// (403), as the plugin PersistentVolumeClaimResize of kube-apiserver. The claim has passed its strategy's
/// validation.
k8s::StatusResult<void> check_claim_growth(storage::Storage& storage, const k8s::Dynamic& claim,
                                           const k8s::Dynamic& old);

}  // namespace fairway::apiserver::resources
