// SPDX-License-Identifier: Apache-2.0

#include "program/internal/operate.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/log.h"
#include "command_line/commands.h"
#include "command_line/own_health.h"
#include "command_line/service_notifier.h"
#include "command_line/stop_signals.h"
#include "conversion/webhook.h"
#include "kube/controller/events.h"
#include "program/internal/kinds.h"

namespace fairway::program {
namespace {

using command_line::exit_ok;
using command_line::exit_usage;
using command_line::report;

/// The limit for webhook calls in flight at shutdown.
constexpr std::chrono::seconds drain_limit{10};
/// The limit for reading an object of which a webhook is not told enough; API servers wait 10 s for it.
constexpr std::chrono::seconds read_limit{5};
/// Time that a service manager is asked for beyond it: reconciles in flight finish, and the lease is
/// released.
constexpr std::chrono::seconds reconcile_limit{30};

/// Records an Event about an object that is quarantined.
void record_quarantined(const kube::EventRecorder& events, const conversion::QuarantinedObject& object) {
  k8s::Dynamic about;
  about.set("apiVersion", object.group + "/" + object.version);
  about.set("kind", object.kind);
  about.set_name(object.key.name);
  if (!object.key.namespace_name.empty()) about.set_namespace_name(object.key.namespace_name);
  about.set("metadata.uid", object.uid);
  about.set_resource_version(object.resource_version);
  events.warning(about, "Quarantined",
                 "it does not convert (" + object.reason.step +
                     "), and is served without its content: " + object.reason.why);
}

/// The operator's webhooks.
std::vector<webhook::Handler> handlers_of(const Operator& parts, const Kinds& kinds, kube::Client& client,
                                          metrics::Registry& metrics,
                                          const conversion::OnQuarantined& on_quarantined) {
  std::vector<webhook::Handler> handlers;
  if (parts.kinds) {
    const conversion::ReadObject read = [&client](const k8s::GroupVersionResource& resource,
                                                  const k8s::Key& key) -> Result<k8s::Dynamic> {
      auto object = client.get(resource, key, {}, Limits::within(client.clock(), read_limit));
      if (!object) return fail(object.error());
      return *std::move(object);
    };
    handlers = conversion::webhook_handlers(kinds.converters, kinds.definitions, metrics, {}, Clock::system(),
                                            {.on_quarantined = on_quarantined, .read = read});
  }
  if (parts.handlers) {
    for (webhook::Handler& handler : parts.handlers(client, metrics)) handlers.push_back(std::move(handler));
  }
  return handlers;
}

kube::ManagerOptions manager_options(const Operator& parts, const Options& options,
                                     const std::string& namespace_name, metrics::Registry& metrics,
                                     const Kinds& kinds) {
  kube::ManagerOptions result;
  result.informers.quarantined = quarantined_of(kinds);
  if (parts.leader_election && options.leader_elect) {
    result.lease.namespace_name = namespace_name;
    result.lease.name = options.lease;
  }
  result.status_listen = options.status_listen;
  result.registry = &metrics;
  return result;
}

}  // namespace

int operate(const Operator& parts, const Options& options) {
  if (const auto logs = command_line::configure_log(options.log); !logs)
    return report(logs.error(), exit_usage);
  auto serving = server_options(options.webhooks);
  if (!serving) return report(serving.error(), exit_usage);
  auto release = Version::parse(parts.release);
  if (!release) return report(release.error().within("the release of " + parts.name));
  const auto kinds = kinds_of(parts, options.quarantine);
  if (!kinds) {
    const bool is_setting = kinds.error().code == ErrorCode::not_found;
    return report(kinds.error(), is_setting ? exit_usage : command_line::exit_failed);
  }

  command_line::ServiceNotifier notifier;
  const command_line::StopSignals signals;
  metrics::Registry metrics;
  auto config = kube::load_client_config(options.cluster);
  if (!config) return report(config.error(), exit_usage);
  const std::string namespace_name = config->namespace_name;
  auto client = kube::Client::create(*std::move(config),
                                     {.user_agent = parts.name + "/" + parts.release, .registry = &metrics});
  if (!client) return report(client.error(), exit_usage);
  const std::stop_callback on_stop(signals.token(),
                                   [&] { notifier.stopping(drain_limit + reconcile_limit); });
  // Until there is a manager to ask: an API server that is down is no reason to start anew.
  std::optional<std::jthread> waiting(notifier.follow(
      {.not_ready = []() -> std::optional<std::string> { return "waiting for the API server"; },
       .not_alive = []() -> std::optional<std::string> { return std::nullopt; }}));
  if (parts.begin) {
    if (const std::optional<int> ended = parts.begin(*client)) return *ended;
  }

  // Every replica answers reviews; the manager has events of its own, for the leader.
  std::optional<kube::EventSink> events;
  conversion::OnQuarantined on_quarantined;
  if (std::ranges::any_of(kinds->converters->kinds(), &conversion::KindConverters::quarantines)) {
    events.emplace(*client, kube::EventOptions{}, &metrics);
    on_quarantined =
        [recorder = kube::EventRecorder(*events, parts.name)](const conversion::QuarantinedObject& object) {
          record_quarantined(recorder, object);
        };
  }
  std::unique_ptr<webhook::WebhookServer> webhooks;
  if (has_webhooks(parts) || !kinds->definitions.empty()) {
    serving->address.service_namespace = namespace_name;
    serving->handlers = handlers_of(parts, *kinds, **client, metrics, on_quarantined);
    serving->definitions = kinds->definitions;
    serving->release = *std::move(release);
    serving->secret = {namespace_name, options.webhooks.certificate_secret};
    auto started = webhook::WebhookServer::start(*client, *std::move(serving), signals.token());
    if (!started) return signals.token().stop_requested() ? exit_ok : report(started.error());
    webhooks = *std::move(started);
  }

  kube::Manager manager(*client, manager_options(parts, options, namespace_name, metrics, *kinds));
  if (webhooks) manager.add_start_check([&webhooks] { return webhooks->not_ready(); });
  if (parts.controllers) parts.controllers(manager);
  const auto health = command_line::health_of(manager);
  if (!health) return report(health.error());
  // One thread looks at a time.
  waiting.reset();
  const std::jthread following = notifier.follow(*health);
  const auto ended = manager.run(signals.token());
  if (webhooks) webhooks->drain(drain_limit);
  if (!ended) return report(ended.error());
  log::info("stopped");
  return exit_ok;
}

}  // namespace fairway::program
