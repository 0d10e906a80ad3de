// SPDX-License-Identifier: Apache-2.0

// ClusterOperator, the resource of config.openshift.io by which a component of a release says how it is
// doing.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "k8s/condition.h"
#include "k8s/object.h"

namespace fairway::openshift {

class ClusterOperator : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{"config.openshift.io", "v1", "ClusterOperator", "clusteroperators",
                                          k8s::Scope::cluster};
  using Dynamic::Dynamic;

  std::optional<k8s::Condition> condition(std::string_view type) const {
    return k8s::find_condition(*this, type);
  }
  /// Returns the version of one of its operands, empty without one; "operator" has the release's version.
  std::string_view version(std::string_view operand) const {
    for (const View& version : items("status.versions"))
      if (version.text("name") == operand) return version.text("version");
    return {};
  }
};

}  // namespace fairway::openshift
