// The resource by which storage migrations are asked for.
#pragma once

#include "k8s/group_version.h"

namespace fairway::k8s {

/// Conversion: who asks for a migration creates one, and its controller (module `conversion`) carries it out.
inline constexpr Resource conversion_resource{"pkg.knative.dev", "v1alpha1", "Conversion", "conversions"};

}  // namespace fairway::k8s
