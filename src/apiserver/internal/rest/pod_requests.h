// SPDX-License-Identifier: Apache-2.0

// Requests for subresources of a Pod: binding, eviction, log, streams.
#pragma once

#include "apiserver/internal/rest/call.h"
#include "apiserver/internal/rest/verbs.h"

namespace fairway::apiserver::rest {

/// Handles POST of `pods/NAME/binding`, or of `bindings`: assigns the Pod to that Node, once and for all.
/// Rules: BindingREST of k8s.io/kubernetes/pkg/registry/core/pod/storage/storage.go.
VerbResult bind_pod(const Services& services, Call& call);

/// Handles POST of `pods/NAME/eviction`: deletes the Pod, unless its PodDisruptionBudget needs it (429).
/// Rules: eviction.go beside it.
VerbResult evict_pod(const Services& services, Call& call);

/// Handles GET of `pods/NAME/log`: returns the log from the kubelet of the Pod's Node. It is not followed.
/// Rules: LogLocation of strategy.go beside it.
VerbResult pod_log(const Services& services, Call& call);

/// Handles GET and POST of `pods/NAME/exec`, `attach` and `portforward`: refuses them, in the words of a
/// kube-apiserver for a Pod without a Node, or with one that has no address. Streams are not passed on.
/// Rules: streamLocation and PortForwardLocation of strategy.go beside it.
VerbResult pod_stream(const Services& services, Call& call);

/// Returns a Status of success as the reply to a create.
VerbResult reply_created(const Call& call);

}  // namespace fairway::apiserver::rest
