// SPDX-License-Identifier: Apache-2.0

// The status of a cluster on the operator's status port: the API /status, and the console that asks it.
// docs/console-cluster.md shows the page, docs/operator-status.md the API.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "console/console.h"
#include "kube/controller/manager.h"
#include "kube/informer/informer.h"
#include "openshift/cluster_version.h"
#include "operators/internal/cluster_part.h"
#include "operators/internal/update_board.h"
#include "operators/live_status.h"
#include "operators/risk_status.h"

namespace fairway::operators {

/// Setting of the console and its API: `automatic` has them where it listens on loopback.
enum class ConsoleSetting { automatic, on, off };

struct ClusterStatusSettings {
  ConsoleSetting console = ConsoleSetting::automatic;
  std::string version = {};   ///< version of the program
  std::string upstream = {};  ///< URL of the update service in place of ClusterVersion's; may be empty
  StatusLimits limits = {};
};

/// Gathers the status and serves it. ClusterVersion and Conversions come from informers, on every replica;
/// risks and the update are known to the replica that leads.
class ClusterStatus {
 public:
  /// Creates it. `board` must outlive it; the clock is read once.
  ClusterStatus(ClusterStatusSettings settings, UpdateBoard& board, const Clock& clock);

  /// Adds routes, controllers and the thread that feeds streams. Where the console is off, it adds only
  /// routes that say so. `this` must outlive the manager. Errors are those of the manager's run: a file of
  /// the console that is corrupt.
  void add_to(kube::Manager& manager);
  /// Takes the risks: called whenever updates or verdicts have changed.
  void set_risks(const RiskStatus& status);

 private:
  Result<void> add_routes(http::Router& router);
  void add_controllers(kube::Manager& manager);
  std::string program_text() const;
  std::string cluster_text() const;
  /// Notes that the first list of ClusterVersions has come. Returns whether that is new.
  bool look_at_cluster();
  std::string migrations_text() const;

  const ClusterStatusSettings settings_;
  const WallTime started_;
  UpdateBoard& board_;
  std::function<bool()> leads_;
  bool is_on_ = false;
  std::optional<kube::Informer<openshift::ClusterVersion>> clusters_;
  std::atomic<bool> is_cluster_read_ = false;
  mutable std::mutex mutex_;  ///< guards the three below
  std::shared_ptr<const openshift::ClusterVersion> cluster_;
  std::map<k8s::Key, std::shared_ptr<const Migration>> migrations_;
  std::string risks_ = R"({"leftOut":0,"risks":[]})";
  LiveStatus live_;
};

}  // namespace fairway::operators
