// SPDX-License-Identifier: Apache-2.0

// The transitions of the update machine after a release has been loaded.
#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "operators/internal/progress_writer.h"
#include "operators/internal/release_metadata.h"
#include "operators/update_lists.h"
#include "operators/update_machine.h"
#include "payload/plan.h"
#include "payload/preconditions.h"

namespace fairway::operators {
namespace {

/// Time after a start within which an update waits for the answer of the update service, if it matters.
constexpr std::chrono::minutes wait_for_answer{1};

/// Parses `spec.overrides`, the JSON of `WantedRelease`.
std::vector<payload::Override> overrides_of(const std::string& text) {
  std::vector<payload::Override> overrides;
  if (text.empty()) return overrides;
  const auto list = json::parse(text);
  if (!list || !list->is_array()) return overrides;
  for (const json::Value& item : list->as_array()) {
    const json::Object* object = item.if_object();
    if (object == nullptr) continue;
    const k8s::View one(*object);
    overrides.push_back({.object = {.group = std::string(one.text("group")),
                                    .kind = std::string(one.text("kind")),
                                    .namespace_name = std::string(one.text("namespace")),
                                    .name = std::string(one.text("name"))},
                         .unmanaged = one.flag("unmanaged")});
  }
  return overrides;
}

/// Records since when ClusterOperators have been updating, and other objects that may only be late for a
/// limited time.
void record_operators(const payload::UpdateError& error, WallTime now,
                      std::map<std::string, WallTime>& since) {
  if (error.reason.starts_with("ClusterOperator") ||
      error.effect == payload::UpdateEffect::fail_after_interval) {
    if (!error.name.empty()) since.try_emplace(error.name, now);
    for (const std::string& name : error.names) since.try_emplace(name, now);
  }
  for (const payload::UpdateError& one : error.nested) record_operators(one, now, since);
}

payload::UpdateError failure_of(const Error& error) {
  return {.reason = "UpdatePayloadFailed", .message = error.message};
}

}  // namespace

/// Checks the preconditions against the cluster as it is now, as pulling takes time.
UpdateState UpdateMachine::check() {
  const auto cluster = read_cluster();
  if (!cluster) {
    pause(std::chrono::seconds(1));
    return UpdateState::deciding;
  }
  if (token().stop_requested()) return UpdateState::deciding;
  std::optional<payload::UnlistedUpdates> unlisted;
  {
    const std::lock_guard lock(mutex_);
    unlisted = unlisted_;
  }
  // After a restart: what the status has left out is known once the service's answer is.
  if (!unlisted && cluster->condition(incomplete_updates) && clock_.steady() < began_ + wait_for_answer) {
    pause(std::chrono::seconds(1));
    return UpdateState::deciding;
  }
  const std::string version = next_->version.to_string();
  const payload::Preconditions checks =
      payload::check_preconditions(*cluster, {.version = version, .image = wanted_.image}, wanted_.force,
                                   std::move(unlisted).value_or(payload::UnlistedUpdates()));
  if (checks.blocked) {
    load_ = payload::LoadStatus{.step = payload::LoadStep::precondition_checks,
                                .message = payload::failure_message(payload::LoadStep::precondition_checks,
                                                                    version, wanted_.image, checks.summary),
                                .failed = true,
                                .image = wanted_.image,
                                .accepted_risks = {},
                                .local = true};
    return UpdateState::refused;
  }
  // A key that was removed while the release was pulled does not count: the release is read again with the
  // present keys.
  [[maybe_unused]] const auto keys = keys_of_now();
  if (next_fingerprint_ != keys_fingerprint_) return UpdateState::loading;
  std::vector<std::string> accepted;
  for (const std::string& text : {next_->accepted_risks, checks.accepted_risks}) {
    if (!text.empty()) accepted.push_back(text);
  }
  accepted_risks_ = join(accepted, "\n");
  payload::CapabilityNames kept;
  if (loaded_)
    kept = payload::kept_by_update(loaded_->manifests, next_->manifests,
                                   selection_with(capabilities_, loaded_->version), next_->version.major());
  next_capabilities_ = capabilities_with(*next_, kept);
  return UpdateState::starting;
}

/// Writes the new entry of the history. If that fails, no object of the release is applied.
UpdateState UpdateMachine::start() {
  const std::string version = next_->version.to_string();
  payload::UpdateStatus begun{.version = version, .image = wanted_.image};
  begun.verified = next_->verified;
  begun.capabilities = next_capabilities_;
  begun.validation_errors = wanted_.invalid;
  begun.load = loaded_status(*next_, version, accepted_risks_, false);
  if (!write(begun, Write::begins)) {
    pause(apply_backoff_.next());
    return UpdateState::deciding;
  }
  log::info("an update begins", {{"from", running_.version}, {"to", version}, {"image", wanted_.image}});
  record_unverified();
  running_ = {.version = version, .image = wanted_.image, .completed = false, .verified = next_->verified};
  show_releases();
  enabled_before_ = next_capabilities_.enabled;
  take_loaded(*std::exchange(next_, std::nullopt));
  load_ = loaded_status(*loaded_, version, "", true);
  refusal_.reset();
  failure_.reset();
  done_ = total_ = 0;
  operators_since_.clear();
  apply_backoff_.reset();
  publish();
  return UpdateState::applying;
}

void UpdateMachine::record(const payload::ApplyProgress& progress) {
  done_ = progress.done;
  total_ = progress.total;
  failure_ = progress.error;
  if (failure_) record_operators(*failure_, clock_.now(), operators_since_);
  const auto count = [&](const char* type, std::size_t manifests) {
    return metrics::Sample{{{"version", running_.version}, {"type", type}}, static_cast<double>(manifests)};
  };
  families_.set("cluster_version_payload", "Manifests of the release, by whether they are applied",
                {count("applied", done_), count("pending", total_ - std::min(done_, total_))});
}

/// Carries out the plan of the loaded release. Reports progress while updating. Errors: a release whose
/// manifests cannot be planned.
Result<payload::ApplyReport> UpdateMachine::run_plan(payload::Mode mode) {
  payload::Selection selection = selection_with(capabilities_, loaded_->version);
  selection.overrides = overrides_of(wanted_.overrides);
  const auto record_applied = [this] {
    applied_overrides_ = wanted_.overrides;
    applied_capabilities_ = capabilities_.enabled;
  };
  auto selected = payload::select(loaded_->manifests, selection);
  if (!selected) {
    record_applied();  // it cannot be: until something changes
    return fail(selected.error());
  }
  const payload::Plan plan = payload::make_plan(running_.version, std::move(selected->manifests), mode,
                                                {.own_deployment = settings_.own_deployment});
  std::optional<kube::DynamicClient> objects;
  {
    const std::lock_guard lock(mutex_);
    objects = objects_;
  }
  payload::ApplyPlanOptions options;
  options.on_step = [this](const payload::StepChange& change) { board_.record(change); };
  board_.begin(plan);
  std::optional<ProgressWriter> progress;
  if (mode != payload::Mode::reconciling) {
    // This thread waits meanwhile.
    progress.emplace([this](const payload::ApplyProgress& now) {
      record(now);
      write(status());
      return !unwritten_;
    });
    options.on_progress = [&progress](const payload::ApplyProgress& now) { progress->set(now); };
  }
  auto report = payload::apply_plan(applier_ ? *applier_ : *objects, plan, options, {.stop = token()});
  progress.reset();
  board_.end(!report || report->progress.error ? "failed" : report->ended ? "interrupted" : "done");
  if (!report || !report->ended) record_applied();
  return report;
}

/// Applies the release from the beginning: a step that is done already costs a request, and changes nothing.
UpdateState UpdateMachine::apply() {
  const auto report = run_plan(running_.first ? payload::Mode::initializing : payload::Mode::updating);
  if (report && report->ended) return UpdateState::deciding;
  if (report) {
    record(report->progress);
  } else {
    failure_ = failure_of(report.error());
  }
  return failure_ ? UpdateState::retrying : UpdateState::completing;
}

UpdateState UpdateMachine::retry() {
  log::warning("applying a release", {{"version", running_.version}, {"error", failure_->message}});
  write(status());
  pause(apply_backoff_.next());
  return UpdateState::deciding;
}

UpdateState UpdateMachine::complete() {
  running_.completed = true;
  if (!write(status())) {
    // The release is applied again, which changes nothing.
    running_.completed = false;
    pause(apply_backoff_.next());
    return UpdateState::deciding;
  }
  show_releases();
  log::info("an update is completed", {{"version", running_.version}, {"image", running_.image}});
  operators_since_.clear();
  apply_backoff_.reset();
  next_reconcile_ = clock_.steady() + settings_.reconcile_interval;
  return UpdateState::deciding;
}

UpdateState UpdateMachine::reconcile() {
  if (capabilities_.enabled != applied_capabilities_) next_reconcile_ = SteadyTime::min();
  if (clock_.steady() < next_reconcile_) return UpdateState::resting;
  const auto report = run_plan(payload::Mode::reconciling);
  if (report && report->ended) return UpdateState::deciding;
  const auto spread = std::chrono::duration<double, std::nano>(
      static_cast<double>(settings_.reconcile_interval.count()) * system_random()());
  auto wait = settings_.reconcile_interval + std::chrono::duration_cast<std::chrono::nanoseconds>(spread);
  if (report) {
    record(report->progress);
  } else {
    failure_ = failure_of(report.error());
  }
  operators_since_.clear();
  if (failure_) {
    log::warning("putting back what has changed",
                 {{"version", running_.version}, {"error", failure_->message}});
    wait = std::min<std::chrono::nanoseconds>(wait, apply_backoff_.next());
  } else {
    apply_backoff_.reset();
  }
  write(status());
  next_reconcile_ = clock_.steady() + wait;
  return UpdateState::resting;
}

UpdateState UpdateMachine::rest() {
  SteadyTime until = next_reconcile_;
  if (refusal_) until = std::min(until, refusal_->retry);
  if (unwritten_) until = std::min(until, clock_.steady() + std::chrono::seconds(10));
  wait_until(until);
  return UpdateState::deciding;
}

}  // namespace fairway::operators
