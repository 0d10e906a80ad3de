// SPDX-License-Identifier: Apache-2.0

// The Channel objects of a cluster: one for each channel of the update service.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "kube/controller/context.h"

namespace fairway::operators {

/// Creates, updates and deletes Channels, so that there is one for each entry of `wanted`: descriptions by
/// name. One that the server refuses does not affect the others. Error: the first one.
Result<void> keep_channels(const kube::Context& context, const std::map<std::string, std::string>& wanted);

}  // namespace fairway::operators
