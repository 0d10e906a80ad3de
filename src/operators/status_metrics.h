// SPDX-License-Identifier: Apache-2.0

// Metrics of ClusterVersion, the ClusterOperators and the risks, for alerts.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/gauge_families.h"
#include "openshift/cluster_operator.h"
#include "openshift/cluster_version.h"
#include "operators/risk_status.h"

namespace fairway::operators {

/// Gauge families; a series disappears when it no longer applies. Of each there are at most `max_series`.
/// Safe from all threads.
class StatusMetrics {
 public:
  static constexpr std::size_t max_series = 5'000;

  /// Records ClusterVersion; nullptr: there is none. `upstream` is the URL of the update service; empty: a
  /// default.
  void record_cluster_version(const openshift::ClusterVersion* cluster, std::string_view upstream);
  /// Records a ClusterOperator; nullptr: it is gone.
  void record_cluster_operator(const std::string& name, const openshift::ClusterOperator* cluster_operator);
  /// Records the risks. `accept_risks`: true if conditions of risks are written (the feature gate
  /// ClusterUpdateAcceptRisks).
  void record_risks(const RiskStatus& status, bool accept_risks);

  std::string text() const { return families_.text(); }

 private:
  struct Component {
    std::string version;
    /// Status (True, False or anything else) and reason by type: "Available".
    std::map<std::string, std::pair<std::string, std::string>> conditions;
    std::map<std::string, std::int64_t> transitions;
  };

  void record_component(const std::string& name, std::string_view version, const k8s::View& object);
  void forget_component(const std::string& name);
  void publish_components();

  metrics::GaugeFamilies families_;
  std::mutex mutex_;
  /// State by name of each ClusterOperator, and of ClusterVersion.
  std::map<std::string, Component> components_;
};

}  // namespace fairway::operators
