// SPDX-License-Identifier: Apache-2.0

// The volume by which the containers of a Pod find the token of its ServiceAccount.
#pragma once

#include "base/random.h"
#include "k8s/object.h"

namespace fairway::apiserver::resources {

/// Adds the volume `kube-api-access-SUFFIX` to a Pod that is about to be created, and mounts it in each
/// container and init container that has nothing at that place, unless the Pod or else its ServiceAccount
/// does not want it
/// (`automountServiceAccountToken`). `random` makes the suffix.
/// Rules: plugin/pkg/admission/serviceaccount of k8s.io/kubernetes.
void mount_token(k8s::Dynamic& pod, const k8s::View& account, const Random& random);

}  // namespace fairway::apiserver::resources
