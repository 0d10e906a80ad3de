// SPDX-License-Identifier: Apache-2.0

#include "operators/status_report.h"

#include <chrono>
#include <memory>
#include <string>

#include "console/console.h"
#include "openshift/cluster_operator.h"

namespace fairway::operators {

void StatusReport::add_to(kube::Manager& manager) {
  registry_ = &manager.registry();
  manager.add_metrics([this] { return metrics_.text(); });
  manager.add_status_routes([this](http::Router& router) -> Result<void> {
    // A page of somebody else whose name leads to this port is not to read it.
    router.immediate("/risks", "GET HEAD",
                     console::for_own_names([this](const http::Request&) { return risks_.answer(); }));
    return {};
  });
  manager.controller<openshift::ClusterOperator>("cluster-operator-metrics")
      .reconcile(
          [this](const kube::Context&, const kube::Key& key,
                 const std::shared_ptr<const openshift::ClusterOperator>& one) -> Result<kube::Requeue> {
            metrics_.record_cluster_operator(key.name, one.get());
            return kube::done();
          });
}

void StatusReport::record(const kube::Context& context, const openshift::ClusterVersion* cluster,
                          std::string_view upstream) {
  metrics_.record_cluster_version(cluster, upstream);
  if (cluster == nullptr) return digest_.reset();
  StatusDigest digest = digest_of(*cluster);
  if (digest_) {
    for (const StatusEvent& event : events_between(*digest_, digest)) {
      if (event.warning) {
        context.events().warning(*cluster, event.reason, event.message);
      } else {
        context.events().normal(*cluster, event.reason, event.message);
      }
    }
  }
  digest_ = std::move(digest);
}

void StatusReport::record(const Updates& updates) {
  if (recorded_changes_ != updates.changes()) record_risks(updates);
  recorded_changes_ = updates.changes();
  if (registry_ == nullptr) return;
  // If it never answered: the time since which it could have.
  const WallTime success = updates.last_success().value_or(started_);
  registry_
      ->gauge("cluster_version_operator_update_retrieval_timestamp_seconds",
              "When the update service last answered with updates; the operator's start, where it never did",
              {{"name", std::string(openshift::ClusterVersion::object_name)}})
      .set(static_cast<double>(
          std::chrono::duration_cast<std::chrono::seconds>(success.time_since_epoch()).count()));
  registry_->gauge("fairway_operator_update_service_requests", "Requests for updates that were sent")
      .set(static_cast<double>(updates.requests()));
}

void StatusReport::record_risks(const Updates& updates) {
  const RiskStatus status{updates.available(), updates.verdicts(), updates.now()};
  metrics_.record_risks(status, accept_risks_);
  risks_.set(to_json_text(status));
  if (on_risks_) on_risks_(status);
  if (registry_ == nullptr) return;
  std::size_t failed = 0, matching = 0;
  for (const risk::UpdateVerdict& update : status.verdicts) {
    for (const risk::RiskVerdict& verdict : update.risks) {
      failed += verdict.outcome == risk::Outcome::failed ? 1 : 0;
      matching += verdict.outcome == risk::Outcome::matches ? 1 : 0;
    }
  }
  const char* help = "Risks of conditional updates, by what their evaluation came to";
  registry_->gauge("fairway_operator_risks", help, {{"outcome", "failed"}}).set(static_cast<double>(failed));
  registry_->gauge("fairway_operator_risks", help, {{"outcome", "matches"}})
      .set(static_cast<double>(matching));
}

}  // namespace fairway::operators
