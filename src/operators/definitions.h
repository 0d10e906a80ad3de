// SPDX-License-Identifier: Apache-2.0

// The CRDs of ClusterVersion, Channel and ClusterOperator, and of the Conversions that updates need.
#pragma once

#include <string>

namespace fairway::operators {

/// Returns the CRDs as YAML documents.
std::string definitions();

}  // namespace fairway::operators
