// SPDX-License-Identifier: Apache-2.0

// Facts about a cluster that a plan needs beside its ClusterVersion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "k8s/custom_resource_definition.h"
#include "openshift/cluster_operator.h"

namespace fairway::adm {

/// A deprecated version of an API that was requested since the API server started: a series of its metric
/// `apiserver_requested_deprecated_apis`.
struct DeprecatedApi {
  std::string group = {}, version = {}, resource = {};
  /// Minor version of Kubernetes that does not serve it any more: 25 of "1.25"; std::nullopt: not known.
  std::optional<std::uint64_t> removed_in = {};
  /// Writers of objects by it, from their managedFields: "helm (shop/web)".
  std::vector<std::string> writers = {};
  /// True if there are more writers, or more objects than were looked at.
  bool has_more_writers = false;

  /// Returns "policy/v1beta1 podsecuritypolicies".
  std::string name() const { return (group.empty() ? "" : group + "/") + version + " " + resource; }
};

/// Things that the hops of a plan may wait for. A list that could not be read is empty.
struct ClusterFacts {
  std::vector<openshift::ClusterOperator> operators = {};
  /// MachineConfigPools and PodDisruptionBudgets.
  std::vector<k8s::Dynamic> pools = {}, budgets = {};
  std::vector<k8s::CustomResourceDefinition> definitions = {};
  std::vector<DeprecatedApi> deprecated_apis = {};
  /// Minor version of the Kubernetes that the API server has: 29 of 1.29.
  std::optional<std::uint64_t> kubernetes_minor = {};
};

/// Resources that a plan looks at.
inline constexpr k8s::Resource machine_config_pools{"machineconfiguration.openshift.io", "v1",
                                                    "MachineConfigPool", "machineconfigpools",
                                                    k8s::Scope::cluster};
inline constexpr k8s::Resource disruption_budgets{"policy", "v1", "PodDisruptionBudget",
                                                  "poddisruptionbudgets", k8s::Scope::namespaced};

}  // namespace fairway::adm
