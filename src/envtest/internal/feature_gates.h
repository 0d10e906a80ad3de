// SPDX-License-Identifier: Apache-2.0

// The feature gates that kube-apiserver is told to open and close.
#pragma once

#include <string>
#include <vector>

namespace fairway::envtest {

/// Adds a warning for each gate that is not left as it is by default, that kube-apiserver 1.37 does not have
/// or that is neither true nor false. `gates`: "Name=true", "kube:Name=false". No gate has an effect: the
/// server behaves as with the defaults (data/feature-gates.txt).
void warn_of_feature_gates(const std::vector<std::string>& gates, std::vector<std::string>& warnings);

}  // namespace fairway::envtest
