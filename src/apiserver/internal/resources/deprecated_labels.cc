// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/deprecated_labels.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace fairway::apiserver::resources {
namespace {

constexpr std::array labels{
    DeprecatedLabel{"beta.kubernetes.io/arch", "kubernetes.io/arch", "v1.14"},
    DeprecatedLabel{"beta.kubernetes.io/os", "kubernetes.io/os", "v1.14"},
    DeprecatedLabel{"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type", "v1.17"},
    DeprecatedLabel{"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region", "v1.17"},
    DeprecatedLabel{"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone", "v1.17"},
};

}  // namespace

const DeprecatedLabel* find_deprecated_label(std::string_view name) {
  const auto* found = std::ranges::find(labels, name, &DeprecatedLabel::name);
  return found == labels.end() ? nullptr : found;
}

}  // namespace fairway::apiserver::resources
