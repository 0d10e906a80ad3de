// SPDX-License-Identifier: Apache-2.0

#include "operators/update_machine.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "kube/controller/update_status.h"
#include "operators/internal/censor.h"
#include "operators/internal/release_metadata.h"
#include "operators/update_lists.h"

namespace fairway::operators {
namespace {

constexpr const char* writer = "fairway-operator";
constexpr std::chrono::seconds request_timeout{30}, retry_interval{10};
constexpr BackoffSchedule load_schedule{
    .first = std::chrono::seconds(5), .longest = std::chrono::minutes(5), .jitter = 0.2};
constexpr BackoffSchedule apply_schedule{
    .first = std::chrono::seconds(1), .longest = std::chrono::minutes(2), .jitter = 0.2};

const k8s::GroupVersionResource& kind() {
  static const k8s::GroupVersionResource one = openshift::ClusterVersion::resource.group_version_resource();
  return one;
}

k8s::Key key() {
  return {"", std::string(openshift::ClusterVersion::object_name)};
}

/// Returns whether the newest entry of the history is still the release that the status was computed for.
bool is_newest(const openshift::ClusterVersion& cluster, std::string_view version, std::string_view image) {
  const auto history = cluster.history();
  return !history.empty() && history.front().version() == version && history.front().image() == image;
}

}  // namespace

Result<std::unique_ptr<UpdateMachine>> UpdateMachine::create(MachineSettings settings, Clock& clock) {
  auto reader = payload::ReleaseReader::create(settings.releases);
  if (!reader) return fail(reader.error());
  return std::unique_ptr<UpdateMachine>(new UpdateMachine(std::move(settings), *std::move(reader), clock));
}

UpdateMachine::UpdateMachine(MachineSettings settings, std::unique_ptr<payload::ReleaseReader> reader,
                             Clock& clock)
    : settings_(std::move(settings)),
      reader_(std::move(reader)),
      clock_(clock),
      load_backoff_(load_schedule, clock, system_random()),
      apply_backoff_(apply_schedule, clock, system_random()) {}

void UpdateMachine::add_to(kube::Manager& manager, std::function<void()> on_release) {
  registry_ = &manager.registry();
  manager.add_metrics([this] { return families_.text(); });
  on_release_ = std::move(on_release);
  // A separate controller, as the other one may be waiting for the update service.
  manager.controller<openshift::ClusterVersion>("cluster-update")
      .reconcile([this](const kube::Context& context,
                        const openshift::ClusterVersion& cluster) -> Result<kube::Requeue> {
        if (cluster.name() == openshift::ClusterVersion::object_name) observe(context, cluster);
        return kube::done();
      });
  manager.add("cluster-update-machine", [this](const std::stop_token& stop) { return run(stop); });
}

void UpdateMachine::observe(const kube::Context& context, const openshift::ClusterVersion& cluster) {
  const WantedRelease wanted = wanted_release(cluster, settings_.accept_risks);
  {
    const std::lock_guard lock(mutex_);
    if (!objects_) objects_ = context.dynamic();
    if (decided_ == wanted) return;
  }
  interrupt();
}

void UpdateMachine::consider(payload::UnlistedUpdates unlisted) {
  const std::lock_guard lock(mutex_);
  unlisted_ = std::move(unlisted);
}

void UpdateMachine::describe(ListedRelease& release) const {
  const std::lock_guard lock(mutex_);
  if (!described_ || described_->image != release.image) return;
  if (!described_->url.empty()) release.url = described_->url;
  if (!described_->channels.empty()) release.channels = described_->channels;
  release.multi = release.multi || described_->multi;
}

Result<void> UpdateMachine::run(const std::stop_token& stop) {
  stop_ = stop;
  began_ = clock_.steady();
  const std::stop_callback end(stop, [this] { interrupt(); });
  UpdateState state = UpdateState::deciding;
  while (!stop.stop_requested()) {
    enter(state);
    state = step(state);
  }
  keys_watch_.reset();
  return {};
}

void UpdateMachine::enter(UpdateState state) {
  log::debug("the update goes on", {{"state", std::string(to_string(state))}});
  board_.enter(state);
  if (registry_ == nullptr) return;
  for (const UpdateState one : update_states) {
    registry_
        ->gauge("fairway_operator_update_state", "1 for the state that the update of the cluster is in",
                {{"state", std::string(to_string(one))}})
        .set(one == state ? 1 : 0);
  }
  registry_
      ->counter("fairway_operator_update_states_entered",
                "How often the update of the cluster entered a state",
                {{"state", std::string(to_string(state))}})
      .add();
}

UpdateState UpdateMachine::step(UpdateState state) {
  switch (state) {
    case UpdateState::deciding:
      return decide();
    case UpdateState::idle:
      return idle();
    case UpdateState::loading:
      return load();
    case UpdateState::checking:
      return check();
    case UpdateState::refused:
      return refuse();
    case UpdateState::starting:
      return start();
    case UpdateState::applying:
      return apply();
    case UpdateState::retrying:
      return retry();
    case UpdateState::completing:
      return complete();
    case UpdateState::reconciling:
      return reconcile();
    case UpdateState::resting:
      return rest();
  }
  return UpdateState::deciding;
}

std::stop_source UpdateMachine::source() const {
  const std::lock_guard lock(mutex_);
  return interrupt_;
}

std::stop_token UpdateMachine::token() const {
  return source().get_token();
}

void UpdateMachine::renew() {
  {
    const std::lock_guard lock(mutex_);
    interrupt_ = std::stop_source();
  }
  // The stop may have been requested through the previous source.
  if (stop_.stop_requested()) interrupt();
}

void UpdateMachine::interrupt() {
  source().request_stop();
}

void UpdateMachine::pause(std::chrono::nanoseconds time) {
  const SteadyTime until = clock_.steady() + time;
  while (unwritten_ && clock_.steady() + retry_interval < until) {
    wait_until(clock_.steady() + retry_interval);
    if (token().stop_requested()) return;
    write(status());
  }
  wait_until(until);
}

void UpdateMachine::wait_until(SteadyTime time) {
  {
    const std::lock_guard lock(mutex_);
    if (keys_changed_) return;
    waits_ = true;
  }
  board_.wait_until(clock_.now() + std::chrono::duration_cast<WallTime::duration>(time - clock_.steady()));
  clock_.wait_until(time, token());
  board_.wait_until(std::nullopt);
  const std::lock_guard lock(mutex_);
  waits_ = false;
}

std::optional<openshift::ClusterVersion> UpdateMachine::read_cluster() {
  std::optional<kube::DynamicClient> objects;
  {
    const std::lock_guard lock(mutex_);
    objects = objects_;
  }
  if (!objects) return std::nullopt;
  auto read = objects->client()->get(kind(), key(), {},
                                     Limits::within(objects->client()->clock(), request_timeout, stop_));
  if (!read) {
    if (!read.error().is_not_found() && !stop_.stop_requested())
      log::warning("reading ClusterVersion for its update", {{"error", read.error().message}});
    return std::nullopt;
  }
  return openshift::ClusterVersion(read->release());
}

void UpdateMachine::take_running(const openshift::ClusterVersion& cluster) {
  const auto history = cluster.history();
  Running now;
  if (!history.empty()) {
    const openshift::UpdateHistory& newest = history.front();
    now = {.version = std::string(newest.version()),
           .image = std::string(newest.image()),
           .completed = newest.is_completed(),
           .verified = newest.flag("verified"),
           .first = history.size() == 1,
           .distrust = distrust_of(cluster)};
  }
  if (now.image != running_.image || now.version != running_.version) {
    loaded_.reset();
    own_keys_ = payload::TrustedKeys{};
    load_.reset();
    failure_.reset();
    done_ = total_ = 0;
    operators_since_.clear();
    next_reconcile_ = SteadyTime::min();
    load_backoff_.reset();
    apply_backoff_.reset();
  }
  running_ = std::move(now);
  enabled_before_.reset();
  written_capabilities_.reset();
  if (const json::Value* written = cluster.find("status.capabilities");
      written != nullptr && written->is_object()) {
    written_capabilities_ = written->as_object();
    enabled_before_.emplace();
    for (const std::string_view name : cluster.texts("status.capabilities.enabledCapabilities"))
      enabled_before_->emplace(name);
  }
}

void UpdateMachine::publish() {
  const ListedRelease release = release_of(*loaded_);
  {
    const std::lock_guard lock(mutex_);
    if (described_ == release) return;
    described_ = release;
  }
  if (on_release_) on_release_();
}

void UpdateMachine::show_releases() {
  board_.set_releases({running_.version, running_.image}, running_.completed,
                      {wanted_.version, wanted_.image});
}

payload::UpdateStatus UpdateMachine::status() const {
  return {.version = running_.version,
          .image = running_.image,
          .reconciling = running_.completed,
          .completed = running_.completed,
          .done = done_,
          .total = total_,
          .verified = running_.verified,
          .failure = failure_,
          .load = load_,
          .operators_updating_since = operators_since_,
          .capabilities = loaded_ ? std::optional(capabilities_) : std::nullopt,
          .validation_errors = wanted_.invalid};
}

bool UpdateMachine::write(const payload::UpdateStatus& status, Write what) {
  std::optional<kube::DynamicClient> objects;
  {
    const std::lock_guard lock(mutex_);
    objects = objects_;
  }
  bool outdated = false, unrecorded = false;
  const auto change_with = [&](openshift::ClusterVersion& cluster, const ServedDefinition& definition) {
    // Another process may have gone on with the update: its status is left as it is.
    outdated = !is_newest(cluster, running_.version, running_.image);
    // The admin may have withdrawn the request while the release was read, or while writing was retried.
    if (what == Write::begins && wanted_release(cluster, settings_.accept_risks) != wanted_) outdated = true;
    if (outdated) return;
    std::optional<openshift::ClusterVersion> before;
    if (what == Write::begins) before = cluster;
    payload::write_update_status(cluster, status, clock_.now());
    if (keys_judged_ && keys_finding_) {
      set_condition(cluster, release_keys_missing, *keys_finding_, clock_.now());
    } else if (keys_judged_) {
      remove_condition(cluster, release_keys_missing);
    }
    if (what == Write::begins) {
      ListedRelease desired = release_of(*next_);
      add_listed(desired, cluster);
      cluster.set("status.desired", writable_desired(desired).to_json());
    }
    definition.fit(cluster);
    if (!before) return;
    // A definition that does not know what tells of the update would have it dropped.
    const auto history = cluster.history();
    unrecorded = !is_newest(cluster, status.version, status.image) || !history.front().is_partial();
    if (unrecorded) cluster = *std::move(before);
  };
  Result<kube::StatusUpdate> written = kube::StatusUpdate::gone;
  for (int attempt = 0;; ++attempt) {
    const Limits limits = Limits::within(objects->client()->clock(), request_timeout, stop_);
    const auto definition = definition_.current(*objects->client(), limits);
    const auto change = [&](openshift::ClusterVersion& cluster) { change_with(cluster, *definition); };
    written = kube::update_status(
        *objects->client(), kind(), key(), nullptr,
        [&](k8s::Dynamic& now) {
          openshift::ClusterVersion cluster(now.release());
          change(cluster);
          now = k8s::Dynamic(cluster.release());
        },
        {.field_manager = writer}, limits);
    if (written || attempt == max_further_attempts ||
        !definition_.learn(*objects->client(), written.error(), change, limits))
      break;
  }
  unwritten_ = !written;
  if (status.capabilities) {
    const std::lock_guard lock(mutex_);
    known_capabilities_.emplace(status.image, status.capabilities->to_status());
  }
  if (unrecorded) {
    log::warning("no update begins: the definition of ClusterVersion does not take entries of the history",
                 {{"version", status.version}});
    return false;
  }
  if (!written) {
    log::warning("writing the update into ClusterVersion", {{"error", written.error().message}});
    return false;
  }
  if (outdated || *written == kube::StatusUpdate::gone || *written == kube::StatusUpdate::outdated) {
    log::warning("ClusterVersion tells of another update by now, or asks for another");
    return false;
  }
  return true;
}

UpdateState UpdateMachine::decide() {
  renew();
  bool has_other_keys = false;
  {
    const std::lock_guard lock(mutex_);
    has_other_keys = std::exchange(keys_changed_, false);
  }
  if (has_other_keys && refusal_) refusal_->retry = clock_.steady();
  const auto cluster = read_cluster();
  if (!cluster) return UpdateState::idle;
  watch_keys();
  wanted_ = wanted_release(*cluster, settings_.accept_risks);
  {
    const std::lock_guard lock(mutex_);
    decided_ = wanted_;
  }
  take_running(*cluster);
  show_releases();
  if (wanted_.image.empty() || running_.image.empty()) return UpdateState::idle;
  if (wanted_.overrides != applied_overrides_) next_reconcile_ = SteadyTime::min();
  const bool runs =
      wanted_.image == running_.image && (wanted_.version.empty() || wanted_.version == running_.version);
  // This includes a release that was still being pulled.
  const bool withdrawn = runs && (refusal_ || (load_ && load_->image != running_.image));
  if (withdrawn) {
    refusal_.reset();
    load_.reset();
    if (loaded_) load_ = loaded_status(*loaded_, running_.version, "", true);
  }
  if (withdrawn || unwritten_ || !wanted_.invalid.empty() || cluster->condition("Invalid")) write(status());
  const bool waits = refusal_ && refusal_->wanted == wanted_ && clock_.steady() < refusal_->retry;
  is_new_ = !runs && !waits;
  return UpdateState::loading;
}

/// Waits until ClusterVersion changes, or the API server may answer again.
UpdateState UpdateMachine::idle() {
  pause(retry_interval);
  return UpdateState::deciding;
}

/// Pulls the wanted release, or the one that runs here, which has been accepted before and needs no signature
/// now.
UpdateState UpdateMachine::load() {
  if (is_new_) return load_new();
  const bool was_loaded = loaded_.has_value();
  const auto running = load_running();
  const bool has_other_capabilities =
      loaded_ && (judge_capabilities() || written_capabilities_ != capabilities_.to_status());
  const bool has_news = judge_keys(trusted_keys(running)) || has_other_capabilities;
  if (!running) return fail_to_load(running.error().step, running.error().error);
  if (!refusal_) load_ = loaded_status(*loaded_, running_.version, "", true);
  if (!was_loaded) load_backoff_.reset();
  if (!was_loaded || has_news) write(status());
  return running_.completed ? UpdateState::reconciling : UpdateState::applying;
}

UpdateState UpdateMachine::load_new() {
  const bool is_same_refusal = refusal_ && refusal_->wanted == wanted_;
  if (next_wanted_ != wanted_) next_.reset();
  if (!next_ && !is_same_refusal) {
    load_backoff_.reset();
    load_ = payload::LoadStatus{.step = payload::LoadStep::retrieve_payload,
                                .message = payload::retrieving_message(wanted_.version, wanted_.image),
                                .failed = false,
                                .image = wanted_.image,
                                .accepted_risks = {},
                                .local = true};
    write(status());
  }
  const auto keys = keys_of_now();
  // A verified release stays verified only as long as the same keys count.
  if (next_ && keys_fingerprint_ && next_fingerprint_ == keys_fingerprint_) return UpdateState::checking;
  next_.reset();
  auto read = reader_->read({.image = wanted_.image,
                             .version = wanted_.version,
                             .force = wanted_.force,
                             .accepted_before = false,
                             .keys = keys},
                            {.stop = token()});
  if (!read) return fail_to_load(read.error().step, read.error().error);
  next_ = *std::move(read);
  next_wanted_ = wanted_;
  next_fingerprint_ = keys_fingerprint_;
  return UpdateState::checking;
}

UpdateState UpdateMachine::fail_to_load(payload::LoadStep step, const Error& error) {
  if (token().stop_requested()) return UpdateState::deciding;
  const std::string& version = is_new_ ? wanted_.version : running_.version;
  const std::string& image = is_new_ ? wanted_.image : running_.image;
  const std::string message = payload::failure_message(step, version, image, error.message);
  if (is_new_ || !refusal_) {
    load_ = payload::LoadStatus{.step = step,
                                .message = message,
                                .failed = true,
                                .image = image,
                                .accepted_risks = {},
                                .local = true};
  }
  // Without the release that runs here drift cannot be reverted.
  if (!is_new_) {
    failure_ =
        payload::UpdateError{.reason = "UpdatePayloadRetrievalFailed", .message = message, .name = version};
  }
  return UpdateState::refused;
}

/// Reports the failure, and retries later; the release that runs here is reconciled meanwhile.
UpdateState UpdateMachine::refuse() {
  log::warning("a release is not applied",
               {{"image", is_new_ ? wanted_.image : running_.image}, {"why", load_ ? load_->message : ""}});
  write(status());
  const auto wait = load_backoff_.next();
  if (is_new_) {
    refusal_ = Refusal{.wanted = wanted_, .retry = clock_.steady() + wait};
    return UpdateState::deciding;
  }
  pause(refusal_ ? std::min<std::chrono::nanoseconds>(
                       wait, std::max<std::chrono::nanoseconds>(refusal_->retry - clock_.steady(),
                                                                std::chrono::milliseconds(100)))
                 : wait);
  return UpdateState::deciding;
}

}  // namespace fairway::operators
