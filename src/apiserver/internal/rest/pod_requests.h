// What is asked of a Pod beside the object itself.
#pragma once

#include "apiserver/internal/rest/call.h"
#include "apiserver/internal/rest/verbs.h"

namespace fairway::apiserver {

/// POST of `pods/NAME/binding`, or of `bindings`: the Pod is on that Node from then on, once and for all.
/// Rules: BindingREST of k8s.io/kubernetes/pkg/registry/core/pod/storage/storage.go.
VerbResult bind_pod(const Services& services, Call& call);

/// POST of `pods/NAME/eviction`: the Pod is deleted, unless its PodDisruptionBudget needs it (429).
/// Rules: eviction.go beside it.
VerbResult evict_pod(const Services& services, Call& call);

/// GET of `pods/NAME/log`: what the kubelet of the Pod's Node says. It is not followed.
/// Rules: LogLocation of strategy.go beside it.
VerbResult pod_log(const Services& services, Call& call);

/// A Status of success as the answer to a create.
VerbResult reply_created(const Call& call);

}  // namespace fairway::apiserver
