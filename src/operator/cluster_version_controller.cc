#include "operator/cluster_version_controller.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "openshift/channel.h"
#include "operator/internal/upgradeable.h"

namespace fairway::operators {
namespace {

/// Reconciled again at the latest after this: clocks differ.
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

upstream::Options channel_options(const UpdateSettings& settings) {
  upstream::Options options = settings.upstream;
  // A list of channels is small.
  options.max_body_bytes = std::min(options.max_body_bytes, std::size_t{16} << 20);
  return options;
}

/// A random UUID (RFC 9562, version 4).
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

Release running_release(const openshift::ClusterVersion& cluster, const std::optional<Release>& otherwise) {
  Release release;
  const auto history = cluster.history();
  const auto completed = std::ranges::find_if(history, &openshift::UpdateHistory::is_completed);
  if (completed != history.end()) {
    release.version = completed->version();
    release.image = completed->image();
  } else if (otherwise) {
    release = *otherwise;
  }
  const openshift::Release desired = cluster.desired();
  release.multi =
      release.multi || (desired.image() == release.image && desired.text("architecture") == "Multi");
  return release;
}

Release desired_release(const openshift::ClusterVersion& cluster, const std::optional<Release>& otherwise) {
  Release release = running_release(cluster, otherwise);
  const auto history = cluster.history();
  if (history.empty() || history.front().image() == release.image) return release;
  release = {.version = std::string(history.front().version()),
             .image = std::string(history.front().image())};
  const openshift::Release desired = cluster.desired();
  release.multi = desired.image() == release.image && desired.text("architecture") == "Multi";
  return release;
}

void write_status(openshift::ClusterVersion& cluster, const UpdateInputs& inputs,
                  const ClusterOperators& operators) {
  write_updates(cluster, inputs);
  write_upgradeable(cluster, not_upgradeable(cluster, operators), inputs.now);
  if (!cluster.history().empty() || inputs.current.image.empty()) return;
  k8s::Editor entry = cluster.append("status.history");
  entry.set("state", "Completed");
  entry.set_time("startedTime", inputs.now);
  entry.set_time("completionTime", inputs.now);
  entry.set("version", inputs.current.version);
  entry.set("image", inputs.current.image);
  entry.set("verified", false);
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
  if (machine_ != nullptr) machine_->add_to(manager, [this] { wake(); });
  manager.add("cluster-version-checks", [this](const std::stop_token& stop) { return run_checks(stop); });
}

void ClusterVersionController::wake() const {
  trigger_.fire(cluster_version_key());
}

/// An object that does not exist is no event.
Result<void> ClusterVersionController::run_checks(const std::stop_token& stop) {
  Clock& machine = Clock::system();
  while (!stop.stop_requested()) {
    if (!seen_ && settings_.release) wake();
    machine.wait_until(machine.steady() + check_interval, stop);
  }
  return {};
}

Result<kube::Requeue> ClusterVersionController::reconcile(const kube::Context& context, const kube::Key& key,
                                                          const openshift::ClusterVersion* cluster) {
  if (key.name != openshift::ClusterVersion::object_name) return kube::done();
  seen_ = cluster != nullptr;
  report_.note(context, cluster, cluster == nullptr ? "" : upstream_of(*cluster));
  if (cluster == nullptr) return create(context);
  if (cluster->is_being_deleted()) return kube::done();
  Release current = desired_release(*cluster, settings_.release);
  if (machine_ != nullptr) machine_->describe(current);
  const auto inputs = updates_.run(*cluster, current, context.stop());
  if (!inputs) {
    if (context.stop().stop_requested()) return kube::done();
    return fail(inputs.error());
  }
  if (const auto list = channels_.run(upstream_of(*cluster), context.stop())) {
    channels_finding_ = list->finding;
    if (list->channels) {
      if (const auto kept = keep_channels(context, *list->channels); !kept) {
        channels_.again();
        return fail(kept.error());
      }
    }
  }
  auto written =
      context.update_status<openshift::ClusterVersion>(*cluster, [&](openshift::ClusterVersion& now) {
        // Of another release by now: that is a change, and comes here again.
        if (desired_release(now, settings_.release).image != inputs->current.image) return;
        write_status(now, *inputs, operators_->cached());
        if (channels_finding_) set_condition(now, retrieved_channels, *channels_finding_, inputs->now);
      });
  if (!written) return fail(written.error());
  report_.note(updates_);
  if (written->kind != kube::Requeue::Kind::done) return written;
  return next();
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

Result<void> ClusterVersionController::keep_channels(const kube::Context& context,
                                                     const std::map<std::string, std::string>& wanted) {
  kube::Api<openshift::Channel> api = context.api<openshift::Channel>();
  const kube::WriteOptions as{.field_manager = context.controller()};
  const auto there = api.list({}, context.limits());
  if (!there) return fail(there.error());
  std::map<std::string, openshift::Channel> known;
  for (const openshift::Channel& channel : there->items) {
    if (wanted.contains(std::string(channel.name()))) {
      known.emplace(channel.name(), channel);
    } else if (const auto removed = api.remove(std::string(channel.name()), {}, context.limits());
               !removed && !removed.error().is_not_found()) {
      return fail(removed.error());
    }
  }
  for (const auto& [name, description] : wanted) {
    auto found = known.find(name);
    if (found == known.end()) {
      auto channel = k8s::make<openshift::Channel>(name);
      channel.object("spec");
      auto created = api.create(channel, as, context.limits());
      if (!created) return fail(created.error());
      found = known.emplace(name, *std::move(created)).first;
    }
    openshift::Channel& channel = found->second;
    if (channel.description() == description) continue;
    if (description.empty()) {
      channel.erase("status.description");
    } else {
      channel.set("status.description", description);
    }
    if (const auto written = api.replace_status(channel, as, context.limits()); !written)
      return fail(written.error());
  }
  return {};
}

std::string ClusterVersionController::upstream_of(const openshift::ClusterVersion& cluster) const {
  const std::string& given = settings_.updates.query.upstream;
  return given.empty() ? std::string(cluster.upstream()) : given;
}

}  // namespace fairway::operators
