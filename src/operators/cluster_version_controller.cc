// SPDX-License-Identifier: Apache-2.0

#include "operators/cluster_version_controller.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "operators/internal/censor.h"
#include "operators/internal/channel_objects.h"
#include "operators/internal/release_metadata.h"
#include "operators/internal/upgradeable.h"

namespace fairway::operators {
namespace {

/// Longest time until the next reconciliation, as clocks differ.
constexpr std::chrono::minutes longest_wait{10};
constexpr std::chrono::milliseconds shortest_wait{10};
constexpr std::chrono::seconds check_interval{1};

k8s::Key cluster_version_key() {
  return {"", std::string(openshift::ClusterVersion::object_name)};
}

bool upgradeable_changed(const k8s::Dynamic& before, const k8s::Dynamic& now) {
  const auto one = k8s::find_condition(before, upgradeable), other = k8s::find_condition(now, upgradeable);
  if (!one || !other) return one.has_value() != other.has_value();
  return one->status() != other->status() || one->reason() != other->reason() ||
         one->message() != other->message();
}

/// Returns the fields that a request to the update service depends on.
std::string question_of(const openshift::ClusterVersion& cluster) {
  json::Array parts{std::string(cluster.channel()), std::string(cluster.upstream()),
                    std::string(cluster.text("spec.clusterID")),
                    std::string(cluster.text("spec.desiredUpdate.architecture"))};
  if (const auto history = cluster.history(); !history.empty()) {
    parts.emplace_back(std::string(history.front().version()));
    parts.emplace_back(std::string(history.front().image()));
  }
  return json::to_text(parts);
}

void begin_history(openshift::ClusterVersion& cluster, const ListedRelease& current, WallTime now) {
  if (!cluster.history().empty() || current.image.empty()) return;
  k8s::Editor entry = cluster.append("status.history");
  entry.set("state", "Completed");
  entry.set_time("startedTime", now);
  entry.set_time("completionTime", now);
  entry.set("version", current.version);
  entry.set("image", current.image);
  entry.set("verified", false);
}

upstream::Options channel_options(const UpdateSettings& settings) {
  upstream::Options options = settings.upstream;
  // A list of channels is small.
  options.max_body_bytes = std::min(options.max_body_bytes, std::size_t{16} << 20);
  return options;
}

/// Returns a random UUID (RFC 9562, version 4).
std::string random_uuid(const Random& random) {
  constexpr std::string_view form = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx", digits = "0123456789abcdef";
  std::string uuid;
  for (const char c : form) {
    const auto value = static_cast<std::size_t>(random() * 16) & 15;
    if (c == 'x') {
      uuid += digits[value];
    } else if (c == 'y') {
      uuid += digits[8 | (value & 3)];
    } else {
      uuid += c;
    }
  }
  return uuid;
}

}  // namespace

ListedRelease running_release(const openshift::ClusterVersion& cluster,
                              const std::optional<ListedRelease>& otherwise) {
  ListedRelease release;
  const auto history = cluster.history();
  const auto completed = std::ranges::find_if(history, &openshift::UpdateHistory::is_completed);
  if (completed != history.end()) {
    release.version = completed->version();
    release.image = completed->image();
  } else if (otherwise) {
    release = *otherwise;
  }
  release.multi = release.multi || is_multi(cluster, release.version, release.image);
  return release;
}

ListedRelease desired_release(const openshift::ClusterVersion& cluster,
                              const std::optional<ListedRelease>& otherwise) {
  ListedRelease release = running_release(cluster, otherwise);
  const auto history = cluster.history();
  if (history.empty() || history.front().image() == release.image) return release;
  release = {.version = std::string(history.front().version()),
             .image = std::string(history.front().image())};
  release.multi = is_multi(cluster, release.version, release.image);
  return release;
}

payload::UnlistedUpdates write_status(openshift::ClusterVersion& cluster, const UpdateInputs& inputs,
                                      const ClusterOperators& operators) {
  payload::UnlistedUpdates unlisted = write_updates(cluster, inputs);
  write_upgradeable(cluster, not_upgradeable(cluster, operators), inputs.now);
  begin_history(cluster, inputs.current, inputs.now);
  return unlisted;
}

void write_first_status(openshift::ClusterVersion& cluster, const ListedRelease& current, WallTime now) {
  if (cluster.desired().image() != current.image) {
    cluster.set("status.desired", writable_desired(current).to_json());
  }
  json::Object& status = cluster.object("status");
  if (!status.contains("availableUpdates")) status["availableUpdates"] = nullptr;
  cluster.set("status.observedGeneration", cluster.generation());
  if (!cluster.find_text("status.versionHash")) cluster.set("status.versionHash", "");
  begin_history(cluster, current, now);
}

ClusterVersionController::ClusterVersionController(ControllerSettings settings,
                                                   const risk::Registry& registry, risk::Evaluator& evaluator,
                                                   Clock& clock, UpdateMachine* machine)
    : settings_(std::move(settings)),
      clock_(clock),
      updates_(settings_.updates, registry, evaluator, clock, system_random()),
      channels_(channel_options(settings_.updates), settings_.updates.authorization,
                settings_.updates.poll_interval, clock, system_random()),
      machine_(machine) {}

void ClusterVersionController::add_to(kube::Manager& manager) {
  report_.add_to(manager);
  operators_ = manager.informers().get<openshift::ClusterOperator>();
  manager.controller<openshift::ClusterVersion>("cluster-version")
      .on(trigger_)
      .watches<openshift::ClusterOperator>(
          [](const openshift::ClusterOperator&) { return std::vector{cluster_version_key()}; },
          upgradeable_changed)
      .reconcile([this](const kube::Context& context, const kube::Key& key,
                        const std::shared_ptr<const openshift::ClusterVersion>& cluster) {
        return reconcile(context, key, cluster.get());
      });
  // A separate controller, as the other one may be waiting for the update service.
  manager.controller<openshift::ClusterVersion>("cluster-version-question")
      .reconcile(
          [this](const kube::Context&, const openshift::ClusterVersion& cluster) -> Result<kube::Requeue> {
            if (cluster.name() == openshift::ClusterVersion::object_name) observe(cluster);
            return kube::done();
          });
  if (machine_ != nullptr) machine_->add_to(manager, [this] { wake(); });
  manager.add("cluster-version-checks", [this](const std::stop_token& stop) { return run_checks(stop); });
}

void ClusterVersionController::wake() const {
  trigger_.fire(cluster_version_key());
}

void ClusterVersionController::observe(const openshift::ClusterVersion& cluster) {
  std::optional<std::stop_source> outdated;
  {
    const std::lock_guard lock(asked_mutex_);
    if (asked_ == question_of(cluster)) return;
    outdated = end_asking_;
  }
  outdated->request_stop();
}

std::stop_source ClusterVersionController::begin_asking(const openshift::ClusterVersion& cluster) {
  const std::lock_guard lock(asked_mutex_);
  asked_ = question_of(cluster);
  end_asking_ = std::stop_source();
  return end_asking_;
}

void ClusterVersionController::record_seen(bool seen) {
  {
    const std::lock_guard lock(seen_mutex_);
    if (std::exchange(seen_, seen) == seen) return;
  }
  seen_changed_.notify_all();
}

/// Triggers reconciliations while there is no ClusterVersion and one has to be created: an object that does
/// not exist causes no event.
Result<void> ClusterVersionController::run_checks(const std::stop_token& stop) {
  Clock& machine = Clock::system();
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(seen_mutex_);
      seen_changed_.wait(lock, stop, [this] { return !seen_ && settings_.release; });
    }
    if (stop.stop_requested()) break;
    wake();
    machine.wait_until(machine.steady() + check_interval, stop);
  }
  return {};
}

Result<kube::Requeue> ClusterVersionController::reconcile(const kube::Context& context, const kube::Key& key,
                                                          const openshift::ClusterVersion* cluster) {
  if (key.name != openshift::ClusterVersion::object_name) return kube::done();
  record_seen(cluster != nullptr);
  report_.record(context, cluster, cluster == nullptr ? "" : upstream_of(*cluster));
  if (cluster == nullptr) return create(context);
  if (cluster->is_being_deleted()) return kube::done();
  ListedRelease current = desired_release(*cluster, settings_.release);
  if (machine_ != nullptr) machine_->describe(current);
  if (cluster->history().empty() && !current.image.empty()) {
    auto begun = write_fitting(context, *cluster,
                               [&](openshift::ClusterVersion& now, const ServedDefinition& definition) {
                                 write_first_status(now, current, clock_.now());
                                 if (machine_ != nullptr) machine_->write_first_capabilities(now);
                                 definition.fit(now);
                               });
    if (!begun) return fail(begun.error());
    // The write is a change, and causes another reconciliation.
    return begun;
  }
  std::stop_source asking = begin_asking(*cluster);
  const std::stop_callback end(context.stop(), [&asking] { asking.request_stop(); });
  forget_channels_of_another(upstream_of(*cluster));
  auto inputs = updates_.run(*cluster, current, asking.get_token(), [&](const UpdateInputs& known) {
    // What comes of all of it is written in any case.
    if (const auto early = write(context, *cluster, known); !early)
      log::debug("writing what is known of updates so far", {{"error", early.error().message}});
  });
  if (!inputs) {
    if (context.stop().stop_requested()) return kube::done();
    if (asking.stop_requested()) return kube::requeue_after(shortest_wait);
    return fail(inputs.error());
  }
  // Known facts are written first. The rest needs another write, and may take a minute.
  Result<kube::Requeue> written = kube::done();
  bool more = !updates_.has_query();
  if (!more) {
    written = write(context, *cluster, *inputs);
    if (!written) return fail(written.error());
    report_.record(updates_);
    if (written->kind != kube::Requeue::Kind::done) return written;
    more = updates_.search_elsewhere(*inputs, asking.get_token());
  }
  std::optional<Error> not_kept;
  if (const auto list = channels_.run(upstream_of(*cluster), asking.get_token())) {
    more = more || !channels_finding_ || *channels_finding_ != list->finding;
    channels_finding_ = list->finding;
    if (list->channels) {
      if (const auto kept = keep_channels(context, *list->channels); !kept) {
        // ClusterVersion is written all the same.
        not_kept = kept.error();
        channels_.refresh_now();
      }
    }
  }
  if (more) {
    written = write(context, *cluster, *inputs);
    if (!written) return fail(written.error());
    report_.record(updates_);
  }
  if (not_kept) return fail(*not_kept);
  if (written->kind != kube::Requeue::Kind::done) return written;
  return next();
}

void ClusterVersionController::forget_channels_of_another(const std::string& upstream) {
  if (const std::string before = std::exchange(channels_upstream_, upstream);
      before.empty() || before == upstream || !channels_finding_)
    return;
  channels_finding_ = Finding{.status = k8s::ConditionStatus::unknown,
                              .reason = "AskingAnew",
                              .message = "The update service is being asked for its channels."};
}

Result<kube::Requeue> ClusterVersionController::write(const kube::Context& context,
                                                      const openshift::ClusterVersion& seen,
                                                      const UpdateInputs& inputs) {
  return write_fitting(context, seen,
                       [&](openshift::ClusterVersion& now, const ServedDefinition& definition) {
                         // By now it is of another release: that is a change, and causes another
                         // reconciliation.
                         if (desired_release(now, settings_.release).image != inputs.current.image) return;
                         UpdateInputs fitting = inputs;
                         fitting.definition = &definition;
                         if (machine_ != nullptr) machine_->write_capabilities(now);
                         payload::UnlistedUpdates unlisted = write_status(now, fitting, operators_->cached());
                         // Before the write: who has read of an update may ask for it at once.
                         if (machine_ != nullptr) machine_->consider(std::move(unlisted));
                         if (channels_finding_)
                           set_condition(now, retrieved_channels, *channels_finding_, inputs.now);
                         definition.fit(now);
                       });
}

Result<kube::Requeue> ClusterVersionController::write_fitting(
    const kube::Context& context, const openshift::ClusterVersion& seen,
    const std::function<void(openshift::ClusterVersion&, const ServedDefinition&)>& write) {
  for (int attempt = 0;; ++attempt) {
    const auto definition = definition_.current(context.client(), context.limits());
    const auto change = [&](openshift::ClusterVersion& now) { write(now, *definition); };
    auto written = context.update_status<openshift::ClusterVersion>(seen, change);
    if (written || attempt == max_further_attempts ||
        !definition_.learn(context.client(), written.error(), change, context.limits()))
      return written;
  }
}

kube::Requeue ClusterVersionController::next() const {
  const SteadyTime at = std::min(updates_.next(), channels_.next()), now = clock_.steady();
  std::chrono::nanoseconds wait = longest_wait;
  if (at <= now) {
    wait = shortest_wait;
  } else if (at != SteadyTime::max()) {
    wait = std::clamp<std::chrono::nanoseconds>(at - now, shortest_wait, longest_wait);
  }
  return kube::requeue_after(wait);
}

Result<kube::Requeue> ClusterVersionController::create(const kube::Context& context) {
  if (!settings_.release) return kube::done();
  auto cluster = k8s::make<openshift::ClusterVersion>(openshift::ClusterVersion::object_name);
  cluster.set("spec.clusterID", random_uuid(system_random()));
  const auto created = context.api<openshift::ClusterVersion>().create(
      cluster, {.field_manager = context.controller()}, context.limits());
  if (!created && !created.error().is_already_exists()) return fail(created.error());
  return kube::done();
}

std::string ClusterVersionController::upstream_of(const openshift::ClusterVersion& cluster) const {
  const std::string& given = settings_.updates.query.upstream;
  return given.empty() ? std::string(cluster.upstream()) : given;
}

}  // namespace fairway::operators
