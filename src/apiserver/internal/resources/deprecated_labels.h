// SPDX-License-Identifier: Apache-2.0

// Labels of Nodes that have another name today.
#pragma once

#include <string_view>

namespace fairway::apiserver::resources {

struct DeprecatedLabel {
  std::string_view name, successor, since;
};

/// Finds a deprecated label; nullptr if it is none. The labels and releases: pkg/api/node of
/// k8s.io/kubernetes.
const DeprecatedLabel* find_deprecated_label(std::string_view name);

}  // namespace fairway::apiserver::resources
