// SPDX-License-Identifier: Apache-2.0

// Brings a cluster to the release that ClusterVersion asks for, and keeps it there.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/gauge_families.h"
#include "base/metrics.h"
#include "k8s/object.h"
#include "kube/controller/manager.h"
#include "openshift/cluster_version.h"
#include "operators/desired_update.h"
#include "operators/internal/definition_reader.h"
#include "operators/internal/update_board.h"
#include "operators/release.h"
#include "operators/release_keys.h"
#include "operators/update_state.h"
#include "payload/apply_plan.h"
#include "payload/capabilities.h"
#include "payload/preconditions.h"
#include "payload/release_image.h"
#include "payload/selection.h"
#include "payload/update_status.h"

namespace fairway::operators {

struct MachineSettings {
  payload::ReleaseReaderOptions releases;
  /// Selection of manifests, without overrides, which come from ClusterVersion.
  payload::Selection selection;
  /// The Deployment of this program.
  std::optional<k8s::Key> own_deployment;
  /// The ConfigMap with keys of releases; std::nullopt: there is none.
  std::optional<k8s::Key> release_keys;
  /// True if the feature gate ClusterUpdateAcceptRisks is on.
  bool accept_risks = false;
  /// Resync interval (up to twice as long), after which drift is reverted.
  std::chrono::nanoseconds reconcile_interval = std::chrono::minutes(2);
};

/// The state machine of updates, on a thread of its own. Its persistent state is in ClusterVersion: the
/// newest entry of the history is the release that is being applied (Partial) or runs (Completed). The entry
/// is written before any object of the release is.
class UpdateMachine {
 public:
  /// Creates a machine. `clock` must outlive it. Errors: those of `payload::ReleaseReader::create`.
  static Result<std::unique_ptr<UpdateMachine>> create(MachineSettings settings, Clock& clock);

  /// Sets the client that writes the objects of releases in place of the manager's (impersonation); it must
  /// write only while this process leads. ClusterVersion is always written with the manager's. Call it before
  /// `add_to`.
  void apply_with(kube::DynamicClient applier) { applier_ = std::move(applier); }
  /// Adds a controller, its work and its metrics. `on_release` is called when another release has been
  /// loaded, from the machine's thread. `this` must outlive the manager's run.
  void add_to(kube::Manager& manager, std::function<void()> on_release);
  /// Takes the updates that ClusterVersion does not list, for the preconditions of one that is asked for.
  void consider(payload::UnlistedUpdates unlisted);
  /// Writes `status.capabilities` as they are, if they are known of the release that runs: the definition of
  /// ClusterVersion may take other ones than at the last write.
  void write_capabilities(openshift::ClusterVersion& cluster) const;
  /// Writes `status.capabilities` of a cluster that has no history yet.
  void write_first_capabilities(openshift::ClusterVersion& cluster) const;
  /// Returns what the machine does now. It lives as long as the machine.
  UpdateBoard& board() { return board_; }
  /// Adds the metadata of the image, if it is the one that runs here.
  void describe(ListedRelease& release) const;

 private:
  /// The newest entry of the history.
  struct Running {
    std::string version, image;
    bool completed = false, verified = false;
    bool first = false;  ///< true if it is the only entry
    /// Reason why keys in the release do not count; empty: they do (see `distrust_of`).
    std::string distrust = "it is not known yet";
  };
  /// A release that was refused, and the time of the next attempt.
  struct Refusal {
    WantedRelease wanted;
    SteadyTime retry;
  };
  enum class Write { goes_on, begins };

  UpdateMachine(MachineSettings settings, std::unique_ptr<payload::ReleaseReader> reader, Clock& clock);

  /// Handles a change of ClusterVersion: interrupts the work in progress if another release is wanted.
  void observe(const kube::Context& context, const openshift::ClusterVersion& cluster);
  Result<void> run(const std::stop_token& stop);
  void enter(UpdateState state);
  UpdateState step(UpdateState state);

  // Transitions: each does the work of its state, and returns the next state.
  UpdateState decide();
  UpdateState idle();
  UpdateState load();
  UpdateState load_new();
  UpdateState check();
  UpdateState refuse();
  UpdateState start();
  UpdateState apply();
  UpdateState retry();
  UpdateState complete();
  UpdateState reconcile();
  UpdateState rest();

  /// Reads the release that runs here, unless it has been read.
  std::expected<void, payload::LoadFailure> load_running();
  void take_loaded(payload::ReleaseImage image);
  /// Computes the capabilities of the cluster with a release, beside those that are enabled already.
  payload::Capabilities capabilities_with(const payload::ReleaseImage& image,
                                          const payload::CapabilityNames& kept = {}) const;
  /// Computes the capabilities and keys of the release that runs. Returns whether the capabilities have
  /// changed.
  bool judge_capabilities();
  /// Returns the selection of a release's manifests with these capabilities.
  payload::Selection selection_with(const payload::Capabilities& capabilities, const Version& release) const;
  /// Returns the keys that count now, beside those of the reader's options: those of the ConfigMap, and of
  /// the release that runs here. `running` is the result of reading that release.
  Result<payload::TrustedKeys> trusted_keys(const std::expected<void, payload::LoadFailure>& running) const;
  /// Reads and judges the keys that count for an update now.
  Result<payload::TrustedKeys> keys_of_now();
  /// Records the state of `keys` for ClusterVersion and metrics. Returns whether ClusterVersion has to be
  /// written.
  bool judge_keys(const Result<payload::TrustedKeys>& keys);
  void watch_keys();
  /// Logs and reports that an update begins to a release without a signature that counts.
  void record_unverified() const;
  /// Records that the keys of the ConfigMap have changed: a release that was refused is tried again.
  void record_keys_changed();

  std::optional<openshift::ClusterVersion> read_cluster();
  void take_running(const openshift::ClusterVersion& cluster);
  UpdateState fail_to_load(payload::LoadStep step, const Error& error);
  Result<payload::ApplyReport> run_plan(payload::Mode mode);
  void record(const payload::ApplyProgress& progress);
  /// Shows on the board what runs and what is wanted.
  void show_releases();
  void publish();
  payload::UpdateStatus status() const;
  /// Writes the status. Returns false, and logs why, if the write failed or the status is outdated.
  bool write(const payload::UpdateStatus& status, Write what = Write::goes_on);

  std::stop_source source() const;
  std::stop_token token() const;
  void renew();
  void interrupt();
  void pause(std::chrono::nanoseconds time);
  /// Waits until a time, or until ClusterVersion or the keys change.
  void wait_until(SteadyTime time);

  const MachineSettings settings_;
  const std::unique_ptr<payload::ReleaseReader> reader_;
  DefinitionReader definition_;
  Clock& clock_;
  std::optional<kube::DynamicClient> applier_;
  std::function<void()> on_release_;
  metrics::Registry* registry_ = nullptr;
  metrics::GaugeFamilies families_;
  UpdateBoard board_{clock_};

  mutable std::mutex mutex_;  ///< guards the eight below
  std::optional<kube::DynamicClient> objects_;
  std::stop_source interrupt_;  ///< cancels the work in progress
  std::optional<WantedRelease> decided_;
  std::optional<ListedRelease> described_;
  std::optional<std::pair<std::string, json::Object>> known_capabilities_;  ///< image, `status.capabilities`
  std::optional<payload::UnlistedUpdates> unlisted_;                        ///< std::nullopt: not known yet
  bool waits_ = false, keys_changed_ = false;

  // Used only by the machine's thread.
  std::stop_token stop_;
  WantedRelease wanted_{};
  Running running_;
  /// `status.capabilities`, and what is enabled there; std::nullopt: they were never written.
  std::optional<json::Object> written_capabilities_;
  std::optional<payload::CapabilityNames> enabled_before_;
  payload::Capabilities capabilities_;       ///< capabilities of the cluster with `loaded_`
  payload::Capabilities next_capabilities_;  ///< capabilities with `next_`
  bool is_new_ = false;  ///< true if the loaded release is `wanted_`, and not yet `running_`
  std::optional<payload::ReleaseImage> loaded_, next_;
  Result<payload::TrustedKeys> own_keys_;  ///< keys in `loaded_`
  WantedRelease next_wanted_{};            ///< the request that `next_` was read for
  /// Fingerprints of the keys that count now, and of those that counted when `next_` was read; std::nullopt:
  /// unknown.
  std::optional<std::string> keys_fingerprint_, next_fingerprint_;
  std::string accepted_risks_;  ///< accepted risks of `next_`
  std::optional<Refusal> refusal_;
  std::optional<payload::LoadStatus> load_;
  std::optional<payload::UpdateError> failure_;
  std::size_t done_ = 0, total_ = 0;
  std::map<std::string, WallTime> operators_since_;
  std::string applied_overrides_;
  payload::CapabilityNames applied_capabilities_;
  bool unwritten_ = false;  ///< true if the last write of the status failed: it is repeated soon
  SteadyTime next_reconcile_ = SteadyTime::min();
  SteadyTime began_{};  ///< time at which the machine began to run
  Backoff load_backoff_, apply_backoff_;
  std::optional<Finding> keys_finding_;  ///< the condition `release_keys_missing`
  bool keys_judged_ = false;             ///< true if `keys_finding_` is known
  std::unique_ptr<ReleaseKeysWatch> keys_watch_;
};

}  // namespace fairway::operators
