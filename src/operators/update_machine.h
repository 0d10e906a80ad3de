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

#include "base/backoff.h"
#include "base/clock.h"
#include "base/gauge_families.h"
#include "base/metrics.h"
#include "k8s/object.h"
#include "kube/controller/manager.h"
#include "openshift/cluster_version.h"
#include "operators/desired_update.h"
#include "operators/release.h"
#include "operators/release_keys.h"
#include "operators/update_state.h"
#include "payload/apply_plan.h"
#include "payload/release_image.h"
#include "payload/selection.h"
#include "payload/update_status.h"

namespace fairway::operators {

struct MachineSettings {
  payload::ReleaseReaderOptions releases;
  /// Without overrides, which are those of ClusterVersion.
  payload::Selection selection;
  /// The Deployment of this program.
  std::optional<k8s::Key> own_deployment;
  /// The ConfigMap with keys of releases; std::nullopt: there is none.
  std::optional<k8s::Key> release_keys;
  /// The feature gate ClusterUpdateAcceptRisks.
  bool accept_risks = false;
  /// Resync interval (up to twice as long): reverts drift.
  std::chrono::nanoseconds reconcile_interval = std::chrono::minutes(2);
};

/// The state machine of updates, on a thread of its own. All that it needs to go on after a restart is in
/// ClusterVersion: the newest entry of the history is the release that is being applied (Partial) or runs
/// (Completed). The entry is written before anything of the release is.
class UpdateMachine {
 public:
  /// `clock` must outlive it. Errors: those of `payload::ReleaseReader::create`.
  static Result<std::unique_ptr<UpdateMachine>> create(MachineSettings settings, Clock& clock);

  /// Writes releases with this client (impersonation), which writes only while this process leads, in place
  /// of the manager's, which writes ClusterVersion in any case. Before `add_to`.
  void apply_with(kube::DynamicClient applier) { applier_ = std::move(applier); }
  /// Adds a controller, its work and its metrics. `on_release` is called when another release has been
  /// loaded, from its thread. `this` outlives the manager's run.
  void add_to(kube::Manager& manager, std::function<void()> on_release);
  /// Adds what the image says of itself, if it is the one that runs here.
  void describe(ListedRelease& release) const;

 private:
  /// The newest entry of the history.
  struct Running {
    std::string version, image;
    bool completed = false, verified = false;
    bool first = false;  ///< it is the only one
    /// Why keys in it do not count; empty: they do. The administrator has installed it, or a key that counted
    /// has signed it.
    std::string distrust = "it is not known yet";
  };
  /// A release that is not begun.
  struct Refusal {
    WantedRelease wanted;
    SteadyTime retry;
  };
  enum class Write { goes_on, begins };

  UpdateMachine(MachineSettings settings, std::unique_ptr<payload::ReleaseReader> reader, Clock& clock);

  /// On each change of ClusterVersion: what is under way ends when something else is wanted.
  void observe(const kube::Context& context, const openshift::ClusterVersion& cluster);
  Result<void> run(const std::stop_token& stop);
  void enter(UpdateState state);
  UpdateState step(UpdateState state);

  // Transitions: each does what its state is about, and returns the next one.
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

  /// Reads what runs here, unless it has been read.
  std::expected<void, payload::LoadFailure> load_running();
  void take_loaded(payload::ReleaseImage image);
  /// The keys that count now, beside those of the reader's options: of the ConfigMap, and of what runs here.
  /// `running`: whether what runs here has been read.
  Result<payload::TrustedKeys> trusted_keys(const std::expected<void, payload::LoadFailure>& running) const;
  /// Reads and judges the keys that count for an update now.
  Result<payload::TrustedKeys> keys_of_now();
  /// Notes what of `keys` ClusterVersion and metrics say; whether ClusterVersion has to say something else
  /// than before.
  bool judge_keys(const Result<payload::TrustedKeys>& keys);
  void watch_keys();
  /// Says that a release without a signature that counts begins.
  void note_unverified() const;
  /// The keys of the ConfigMap have changed: a release that was refused is tried again.
  void note_keys_changed();

  std::optional<openshift::ClusterVersion> read_cluster();
  void take_running(const openshift::ClusterVersion& cluster);
  UpdateState fail_to_load(payload::LoadStep step, const Error& error);
  Result<payload::ApplyReport> run_plan(payload::Mode mode);
  void note(const payload::ApplyProgress& progress);
  void publish();
  payload::UpdateStatus status() const;
  /// Writes the status; false, and a line in the log, if that was not possible, or no longer true.
  bool write(const payload::UpdateStatus& status, Write what = Write::goes_on);

  std::stop_source source() const;
  std::stop_token token() const;
  void renew();
  void interrupt();
  void pause(std::chrono::nanoseconds time);
  /// Waits, at most until ClusterVersion or the keys change.
  void wait_until(SteadyTime time);

  const MachineSettings settings_;
  const std::unique_ptr<payload::ReleaseReader> reader_;
  Clock& clock_;
  std::optional<kube::DynamicClient> applier_;
  std::function<void()> on_release_;
  metrics::Registry* registry_ = nullptr;
  metrics::GaugeFamilies families_;

  mutable std::mutex mutex_;  ///< of the six below
  std::optional<kube::DynamicClient> objects_;
  std::stop_source interrupt_;  ///< ends what is under way
  std::optional<WantedRelease> decided_;
  std::optional<ListedRelease> described_;
  bool waits_ = false, keys_changed_ = false;

  // Of its thread.
  std::stop_token stop_;
  WantedRelease wanted_{};
  Running running_;
  bool is_new_ = false;  ///< what is loaded is `wanted_`, and not yet `running_`
  std::optional<payload::ReleaseImage> loaded_, next_;
  Result<payload::TrustedKeys> own_keys_;  ///< those that `loaded_` has
  WantedRelease next_wanted_{};            ///< what `next_` was read for
  /// Of the keys that count now, and of those that counted when `next_` was read; std::nullopt: it is not
  /// known.
  std::optional<std::string> keys_fingerprint_, next_fingerprint_;
  std::string accepted_risks_;  ///< of `next_`
  std::optional<Refusal> refusal_;
  std::optional<payload::LoadStatus> load_;
  std::optional<payload::UpdateError> failure_;
  std::size_t done_ = 0, total_ = 0;
  std::map<std::string, WallTime> operators_since_;
  std::string applied_overrides_;
  bool unwritten_ = false;  ///< the last write of the status failed: it is written again before long
  SteadyTime next_reconcile_ = SteadyTime::min();
  Backoff load_backoff_, apply_backoff_;
  std::optional<Finding> keys_finding_;  ///< the condition `release_keys_missing`
  bool keys_judged_ = false;             ///< whether it is known
  std::unique_ptr<ReleaseKeysWatch> keys_watch_;
};

}  // namespace fairway::operators
