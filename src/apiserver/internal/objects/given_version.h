// SPDX-License-Identifier: Apache-2.0

// The resourceVersion of an object that a client sent.
#pragma once

#include <cstdint>

#include "k8s/object.h"
#include "k8s/status.h"

namespace fairway::apiserver::objects {

/// Returns the resourceVersion of an object; 0 for none. Errors (500, in the words of kube-apiserver's
/// storage): it is no number.
k8s::StatusResult<std::uint64_t> version_in(const k8s::Dynamic& object);

}  // namespace fairway::apiserver::objects
