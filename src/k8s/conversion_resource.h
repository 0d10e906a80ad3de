// SPDX-License-Identifier: Apache-2.0

// The resource by which storage migrations are asked for.
#pragma once

#include "k8s/group_version.h"

namespace fairway::k8s {

/// The resource Conversion. Creating one requests a migration, which its controller (module `conversion`)
/// carries out.
inline constexpr Resource conversion_resource{"pkg.knative.dev", "v1alpha1", "Conversion", "conversions"};

}  // namespace fairway::k8s
