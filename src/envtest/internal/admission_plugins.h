// SPDX-License-Identifier: Apache-2.0

// The admission plugins that kube-apiserver is told to have and not to have.
#pragma once

#include <string>
#include <vector>

namespace fairway::envtest {

/// The plugins that can be turned off.
struct SwitchedPlugins {
  /// True: Pods get the ServiceAccounts that they name.
  bool service_account = true;
  /// True: ResourceQuotas refuse what they do not allow.
  bool resource_quota = true;
  /// False: containers do not get the defaults of LimitRanges.
  bool limit_ranger = true;
};

/// Returns which of the plugins that can be turned off are on. Adds a warning for each plugin that is enabled
/// and absent here, disabled and on here, or unknown (data/admission-plugins.txt).
SwitchedPlugins read_admission_plugins(const std::vector<std::string>& enabled,
                                       const std::vector<std::string>& disabled,
                                       std::vector<std::string>& warnings);

}  // namespace fairway::envtest
