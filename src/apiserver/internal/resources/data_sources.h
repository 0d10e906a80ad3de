// SPDX-License-Identifier: Apache-2.0

// The two fields of a claim that name what its volume begins with.
#pragma once

#include "k8s/object.h"

namespace fairway::apiserver::resources {

/// Makes `dataSource` and `dataSourceRef` of a claim equal if one of them is absent, after what Kubernetes
/// drops was dropped. `old` is null for a create.
void complete_data_sources(k8s::Dynamic& claim, const k8s::Dynamic* old);
/// Makes both fields of a stored claim equal.
void equal_data_sources(k8s::Dynamic& claim);

}  // namespace fairway::apiserver::resources
