// SPDX-License-Identifier: Apache-2.0

// The admission plugins that kube-apiserver is told to have and not to have.
#pragma once

#include <string>
#include <vector>

namespace fairway::envtest {

/// Returns whether Pods get the ServiceAccounts that they name, as the plugin ServiceAccount has it: the one
/// that can be turned off. Adds a warning for each plugin that is enabled and absent here, disabled and on
/// here, or unknown (data/admission-plugins.txt).
bool read_admission_plugins(const std::vector<std::string>& enabled, const std::vector<std::string>& disabled,
                            std::vector<std::string>& warnings);

}  // namespace fairway::envtest
