// SPDX-License-Identifier: Apache-2.0

#include "gateway/controller.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/timed_condition.h"
#include "gateway/internal/class_finalizers.h"
#include "gateway/internal/gateway_metrics.h"
#include "gateway/internal/machine_addresses.h"
#include "gateway/internal/model/own_listeners.h"
#include "gateway/internal/probes/probe_runner.h"
#include "gateway/internal/probes/send_probe.h"
#include "gateway/internal/run_pass.h"
#include "gateway/internal/status/status.h"
#include "gateway/internal/status/status_events.h"
#include "gateway/internal/status/written_reports.h"
#include "kube/controller/trigger.h"

namespace fairway::gateway {

namespace {

using k8s::ApiResource;
using k8s::Scope;

/// Time that a status waits for Envoy's answer. After it the status says that there is none yet.
constexpr std::chrono::seconds ack_timeout{2};

/// Time for which the result of evaluating objects is reused: certificates expire.
constexpr std::chrono::seconds evaluation_lasts{1};

/// Number of statuses that are written in parallel: there may be thousands, and each takes two round trips.
constexpr int writers = 8;

/// Returns whether the object of a report can be Ready.
bool may_say_ready(const Report& report) {
  return report.object->kind() == "Gateway" || report.object->kind() == "ListenerSet";
}

/// The one key that all events are mapped to: the configuration is made of all objects.
const kube::Key everything{"", "*"};

ApiResource of_gateway_api(const char* version, const char* kind, const char* plural,
                           Scope scope = Scope::namespaced) {
  return {{std::string(gateway_group), version, kind}, plural, scope};
}

const ApiResource& classes() {
  static const ApiResource kind = of_gateway_api("v1", "GatewayClass", "gatewayclasses", Scope::cluster);
  return kind;
}

/// Kinds that the server may not have: those of CRDs, and those of other releases of Kubernetes.
const std::vector<ApiResource>& custom_kinds() {
  static const std::vector<ApiResource> kinds = {
      of_gateway_api("v1", "Gateway", "gateways"),
      of_gateway_api("v1", "ListenerSet", "listenersets"),
      of_gateway_api("v1", "HTTPRoute", "httproutes"),
      of_gateway_api("v1", "GRPCRoute", "grpcroutes"),
      of_gateway_api("v1", "TLSRoute", "tlsroutes"),
      of_gateway_api("v1", "TCPRoute", "tcproutes"),
      of_gateway_api("v1", "UDPRoute", "udproutes"),
      of_gateway_api("v1", "BackendTLSPolicy", "backendtlspolicies"),
      // All releases so far serve this version of it.
      of_gateway_api("v1beta1", "ReferenceGrant", "referencegrants"),
      {{"fairway.dev", "v1alpha1", "GatewayParameters"}, "gatewayparameters", Scope::namespaced},
      // A server has one of them, or both, with the same objects (see `is_hidden`).
      {{std::string(trust_bundle_group), "v1", std::string(trust_bundle_kind)},
       "clustertrustbundles",
       Scope::cluster},
      {{std::string(trust_bundle_group), "v1beta1", std::string(trust_bundle_kind)},
       "clustertrustbundles",
       Scope::cluster},
  };
  return kinds;
}

const std::vector<ApiResource>& own_kinds() {
  static const std::vector<ApiResource> kinds = {
      {{"", "v1", "Namespace"}, "namespaces", Scope::cluster},
      {{"", "v1", "Service"}, "services", Scope::namespaced},
      {{"", "v1", "Secret"}, "secrets", Scope::namespaced},
      {{"", "v1", "ConfigMap"}, "configmaps", Scope::namespaced},
      {{"discovery.k8s.io", "v1", "EndpointSlice"}, "endpointslices", Scope::namespaced},
  };
  return kinds;
}

class ServedEnvoys final : public Envoys {
 public:
  explicit ServedEnvoys(xds::DiscoveryServer& server) : server_(server) {}
  void set(const xds::Resources& resources) override { server_.set(resources); }
  xds::Acknowledgement acknowledgement(const xds::ResourceName& name) const override {
    return server_.acknowledgement(name);
  }
  std::uint64_t session() const override { return server_.session(); }
  std::set<std::string> routes_asked_for() const override { return server_.asked_for(xds::Type::route); }

 private:
  xds::DiscoveryServer& server_;
};

}  // namespace

struct GatewayController::Implementation {
  explicit Implementation(metrics::Registry* registry) : metrics(registry) {}

  AddressPool pool;
  std::optional<Tracing> tracing;
  EndpointPolicy endpoints;
  std::mutex own_mutex;
  /// The listeners of this program, by flag. Guarded by `own_mutex`.
  std::map<std::string, OwnListener> own_listeners;
  /// True if they have changed since the last pass.
  std::atomic<bool> is_anything_own_new = false;
  kube::Trigger changed;
  std::atomic<bool> leads = false;
  /// True if a status says, or may say, Ready=True.
  std::atomic<bool> has_published = false;
  std::atomic<bool> retires = false;
  std::mutex retired_mutex;
  TimedCondition retired_changed;
  bool is_retired = false;
  std::vector<std::pair<ApiResource, kube::Informer<k8s::Dynamic>>> informers;
  Memory memory;
  using Shared = std::shared_ptr<const k8s::Dynamic>;
  /// A change of one object. `before` is nullptr for a new object, `now` for a deleted one.
  struct Change {
    Shared before, now;
  };
  /// The objects that were read last, by informer, and the pass over them.
  std::vector<std::vector<Shared>> read;
  /// Answers of `is_hidden` at that time, by informer.
  std::vector<bool> hidden;
  std::unique_ptr<Pass> pass;
  /// The changes since that pass, in order.
  std::vector<Change> changes;
  /// The reports of that pass by object, filled when they are first looked up.
  std::unordered_map<const k8s::Dynamic*, const Report*> reports;
  /// True if the pass covers the objects that were read last; and the time of its evaluation.
  bool is_evaluated = false;
  SteadyTime evaluated_at;
  /// Time of the next pass, even if nothing has changed.
  SteadyTime due = SteadyTime::max();
  /// Number of calls for a pass for reasons other than objects: answers of Envoys and probes, a new leader.
  std::atomic<std::uint64_t> calls = 0;
  /// The value of `calls` that the last pass has covered.
  std::uint64_t calls_answered = 0;
  WrittenReports written;
  ClassFinalizers finalizers;
  /// Time since which Gateways wait for an answer of Envoy.
  std::map<k8s::Key, SteadyTime> waiting_since;
  ProbeRunner probes{send_probe, [this] { call(); }};
  GatewayMetrics metrics;
  /// Declared last: it calls the trigger.
  std::unique_ptr<xds::DiscoveryServer> server;

  /// Triggers a pass. Safe from all threads.
  void call() {
    ++calls;
    changed.fire(everything);
  }
  Result<kube::Requeue> reconcile(const kube::Context& context);
  /// Changes since the last call: none, only statuses of routes that this controller has written itself, or
  /// any.
  enum class News { none, own_words, any };
  Result<News> read_objects(const Limits& limits, const Clock& clock);
  /// Returns whether the objects of an informer are those of an earlier one, too: of the same kind in a newer
  /// version, which the server serves. They count once, so that a version may come and go.
  bool is_hidden(std::size_t informer) const;
  /// Returns whether only the status of a route has changed, to what the last pass wanted.
  bool differs_by_own_words(const Change& change, const Clock& clock);
  /// Returns the current objects: those of the last pass with the changes since, or all of them if there is
  /// no last pass. Destroys the last pass.
  Objects objects_now();
  /// Makes `pass` up to date. Returns false if it is so already and nothing is due.
  Result<bool> pass_over(const kube::Context& context);
  /// Applies an object that a Gateway owns in the cluster.
  static Result<void> apply(const kube::Context& context, const k8s::Dynamic& document);
  /// Returns the time by which the report has to be written if it waits for an answer of Envoy; std::nullopt:
  /// it need not wait.
  std::optional<SteadyTime> deferred_until(const Pass& pass, const Report& report, SteadyTime now);
  /// Writes the status of an object that can be Ready, and records whether it says so.
  Result<kube::Requeue> write(const kube::Context& context, const Report& report);
  /// Withdraws Ready, whatever else is to be reported on the object.
  Result<void> withdraw(const kube::Context& context, const k8s::Dynamic& object, const ReadyParts& parts);
  /// Writes the report to the object's status, as the object is by then.
  Result<kube::Requeue> update_status(const kube::Context& context, const Report& report);
  Result<kube::Requeue> update_status(const kube::Context& context, const k8s::Dynamic& object,
                                      bool is_of_this_generation,
                                      const std::function<void(k8s::Dynamic& now)>& mutate) const;
  bool may_write(const kube::Context& context) const { return leads && context.leads(); }
  /// Returns the listeners of this program and the addresses of this machine, as they are now.
  OwnListeners own_now();
};

OwnListeners GatewayController::Implementation::own_now() {
  OwnListeners now{.machine = machine_addresses()};
  const std::scoped_lock lock(own_mutex);
  for (const auto& [flag, listener] : own_listeners) now.listeners.push_back(listener);
  return now;
}

bool GatewayController::Implementation::differs_by_own_words(const Change& change, const Clock& clock) {
  const auto& [before, now] = change;
  // Objects of other kinds affect addresses and Ready.
  if (!pass || !before || !now || !now->kind().ends_with("Route") || now->uid() != before->uid() ||
      now->generation() != before->generation() || now->generation() < 1)
    return false;
  if (reports.empty()) {
    for (const Report& report : pass->reports) reports.emplace(report.object, &report);
  }
  const auto found = reports.find(before.get());
  if (found == reports.end()) return false;
  Report of_now = *found->second;
  of_now.object = now.get();
  return is_written(of_now, clock);
}

bool GatewayController::Implementation::is_hidden(std::size_t informer) const {
  const k8s::GroupVersionKind& kind = informers[informer].first.kind;
  return std::any_of(informers.begin(), informers.begin() + static_cast<std::ptrdiff_t>(informer),
                     [&](const auto& earlier) {
                       return earlier.first.kind.kind == kind.kind &&
                              earlier.first.kind.group == kind.group && earlier.second.is_served();
                     });
}

Result<GatewayController::Implementation::News> GatewayController::Implementation::read_objects(
    const Limits& limits, const Clock& clock) {
  News news = News::none;
  read.resize(informers.size());
  hidden.resize(informers.size(), false);
  std::vector<bool> hidden_before(informers.size());
  for (std::size_t i = 0; i < informers.size(); ++i) hidden_before[i] = is_hidden(i);
  for (std::size_t i = 0; i < informers.size(); ++i) {
    auto list = informers[i].second.list({}, limits);
    if (!list) return fail(list.error());
    // Asked before and after the earlier list was read: otherwise that one may lack what this one has.
    const bool is_hidden_now = hidden_before[i] && is_hidden(i);
    if (is_hidden_now) list->clear();
    if (is_hidden_now != hidden[i]) {
      // An object of both informers would be removed with the one that goes: all are taken anew.
      hidden[i] = is_hidden_now;
      reports.clear();
      pass.reset();
      news = News::any;
    }
    const auto record = [&](Shared before, Shared now) {
      const Change& change = changes.emplace_back(std::move(before), std::move(now));
      if (news != News::any) news = differs_by_own_words(change, clock) ? News::own_words : News::any;
    };
    // Both are in the order of their keys.
    auto was = read[i].begin();
    for (const Shared& one : *list) {
      if (was != read[i].end() && *was == one) {
        ++was;
        continue;
      }
      const k8s::Key key = one->key();
      while (was != read[i].end() && (*was)->key() < key) record(*was++, nullptr);
      const bool is_new = was == read[i].end() || (*was)->key() != key;
      record(is_new ? nullptr : *was++, one);
    }
    while (was != read[i].end()) record(*was++, nullptr);
    read[i] = *std::move(list);
  }
  return news;
}

Objects GatewayController::Implementation::objects_now() {
  Objects objects;
  reports.clear();
  // Until a pass over them has come to its end.
  is_evaluated = false;
  if (pass) {
    objects = std::move(pass->evaluation->objects);
    pass.reset();
    for (const auto& [before, now] : changes) {
      if (now) {
        objects.add(now);
      } else {
        objects.remove(*before);
      }
    }
    // A pass has given them addresses.
    for (std::size_t i = 0; i < informers.size(); ++i) {
      if (informers[i].first.kind.kind != "Gateway") continue;
      for (const Shared& gateway : read[i]) objects.add(gateway);
    }
  } else {
    // The first pass, or the one after a pass that has ended with an exception.
    for (const std::vector<Shared>& list : read) {
      for (const Shared& one : list) objects.add(one);
    }
  }
  changes.clear();
  return objects;
}

Result<bool> GatewayController::Implementation::pass_over(const kube::Context& context) {
  const bool is_retiring = retires;
  const SteadyTime now = context.clock().steady();
  // Before anything is asked: what is said meanwhile calls again.
  const std::uint64_t calls_now = calls;
  const auto news = read_objects(context.limits(), context.clock());
  if (!news) {
    // Some lists may have been read: what was made of the last ones is not of now.
    is_evaluated = false;
    due = now;
    return fail(news.error());
  }
  if (*news != News::none || is_anything_own_new.exchange(false)) is_evaluated = false;
  if (pass && *news != News::any && calls_now == calls_answered && now < due && !is_retiring) return false;
  // Until all is said and done: the next call is no echo.
  due = now;
  ServedEnvoys envoys(*server);
  // Who does not write has said nothing.
  if (!may_write(context)) memory.previous.published.clear();
  // Before Envoy ends, nothing is known to flow any more.
  Probes* const asked = is_retiring ? nullptr : &probes;
  const SteadyTime begun = context.clock().steady();
  std::unique_ptr<Pass> next;
  if (is_evaluated && now < evaluated_at + evaluation_lasts)
    next = run_pass_again(*pass, memory, envoys, asked);
  const bool is_whole = next == nullptr;
  if (is_whole) {
    endpoints.own_listeners = own_now();
    endpoints.families = reachable_families();
    next = run_pass({.objects = objects_now(),
                     .pool = pool,
                     .now = context.now(),
                     .tracing = tracing,
                     .endpoints = endpoints},
                    memory, envoys, asked);
    evaluated_at = context.clock().steady();
  }
  metrics.passed(is_whole, context.clock().steady() - begun);
  metrics.serves(*server);
  pass = std::move(next);
  reports.clear();
  is_evaluated = true;
  calls_answered = calls_now;
  return true;
}

Result<kube::Requeue> GatewayController::Implementation::reconcile(const kube::Context& context) {
  const bool is_last = retires;
  const auto is_new = pass_over(context);
  if (!is_new) return fail(is_new.error());
  const SteadyTime now = context.clock().steady();
  if (!*is_new) return due == SteadyTime::max() ? kube::done() : kube::requeue_after(due - now);
  std::erase_if(waiting_since, [&](const auto& entry) {
    return std::ranges::none_of(pass->waiting,
                                [&](const auto& one) { return one.second.contains(entry.first); });
  });
  std::optional<std::chrono::nanoseconds> again = server->next_lease_end();
  std::optional<Error> failure;
  bool is_outdated = false;
  const auto record = [&](const Result<kube::Requeue>& written) {
    // The others are written all the same.
    if (!written) failure = written.error();
    if (written && written->kind == kube::Requeue::Kind::with_backoff) is_outdated = true;
  };
  std::vector<const Report*> others;
  // Ready must be taken back whatever else is reported, also from objects without another report.
  auto unready = pass->unready;
  for (const Report& report : pass->reports) {
    // Most of them, and nothing is to be written whatever Envoys say.
    if (!may_say_ready(report) && may_write(context) && written.contains(report, context.clock())) {
      unready.erase(report.object);
      continue;
    }
    if (const auto until = deferred_until(*pass, report, now)) {
      again = again ? std::min(*again, *until - now) : *until - now;
      written.keep(*report.object);
      continue;
    }
    unready.erase(report.object);
    if (!may_say_ready(report)) {
      if (may_write(context)) others.push_back(&report);
      continue;
    }
    record(write(context, report));
  }
  written.forget_others();
  for (const auto& [object, parts] : unready) {
    if (const auto taken_back = withdraw(context, *object, parts); !taken_back) failure = taken_back.error();
  }
  std::mutex mutex;
  parallel_for(others.size(), writers, context.limits(), context.clock(), [&](std::size_t i) {
    // Each of them may take a while.
    if (!may_write(context)) return;
    const auto updated = update_status(context, *others[i]);
    const std::scoped_lock lock(mutex);
    record(updated);
  });
  if (may_write(context)) {
    for (const k8s::Dynamic& document : pass->infrastructure) {
      if (const auto applied = apply(context, document); !applied) failure = applied.error();
    }
    const auto kept = finalizers.write(pass->evaluation->objects, context.client(), context.limits());
    if (!kept) failure = kept.error();
  }
  has_published = !memory.previous.published.empty();
  if (failure) return fail(*std::move(failure));
  if (is_outdated) return kube::requeue_with_backoff();
  if (is_last) {
    {
      const std::scoped_lock lock(retired_mutex);
      is_retired = true;
    }
    retired_changed.notify_all();
  }
  due = again ? now + *again : SteadyTime::max();
  return again ? kube::requeue_after(*again) : kube::done();
}

Result<void> GatewayController::Implementation::apply(const kube::Context& context,
                                                      const k8s::Dynamic& document) {
  for (const ApiResource& kind : own_kinds()) {
    if (kind.kind != document.group_version_kind()) continue;
    const auto applied = context.client().apply(kind.group_version_resource(), document,
                                                {.field_manager = "fairway-gateway"}, {}, context.limits());
    if (!applied) return fail(applied.error().within("applying " + describe(document) + " for its Gateway"));
  }
  return {};
}

std::optional<SteadyTime> GatewayController::Implementation::deferred_until(const Pass& pass,
                                                                            const Report& report,
                                                                            SteadyTime now) {
  const auto found = pass.waiting.find(report.object);
  // An object without a status is reported at once, which shows that it has been seen.
  if (found == pass.waiting.end() || (report.own && !report.object->has("status.conditions")))
    return std::nullopt;
  std::optional<SteadyTime> until;
  for (const k8s::Key& gateway : found->second) {
    const SteadyTime end = waiting_since.try_emplace(gateway, now).first->second + ack_timeout;
    if (end > now) until = until ? std::max(*until, end) : end;
  }
  return until;
}

Result<kube::Requeue> GatewayController::Implementation::write(const kube::Context& context,
                                                               const Report& report) {
  if (!may_write(context)) return kube::done();
  const Owner owner = owner_of(*report.object);
  const auto published = memory.previous.published.find(owner);
  const ReadyParts before = published != memory.previous.published.end() ? published->second : ReadyParts{};
  const ReadyParts says = ready_parts_of(report);
  // The last write may not have been read back yet.
  const bool may_say_more =
      (before.itself && !says.itself) || !std::ranges::includes(says.listeners, before.listeners);
  if (!may_say_more && is_written(report, context.clock())) return kube::done();
  const auto remember = [&](ReadyParts parts) {
    if (parts.empty()) {
      memory.previous.published.erase(owner);
    } else {
      memory.previous.published.insert_or_assign(owner, std::move(parts));
    }
  };
  // From here on it may be so: of a call that fails nobody knows whether it was taken.
  ReadyParts both = says;
  both.itself = both.itself || before.itself;
  both.listeners.insert(before.listeners.begin(), before.listeners.end());
  remember(std::move(both));
  // Before it can be read: `withdraw_readiness` may be called as soon as it is.
  if (!memory.previous.published.empty()) has_published = true;
  const auto written = update_status(context, report);
  if (!written) return written;
  remember(written->kind == kube::Requeue::Kind::with_backoff ? before : says);
  return written;
}

Result<void> GatewayController::Implementation::withdraw(const kube::Context& context,
                                                         const k8s::Dynamic& object,
                                                         const ReadyParts& parts) {
  if (!may_write(context)) return {};
  const auto written = update_status(context, object, false,
                                     [&](k8s::Dynamic& now) { withdraw_ready(now, parts, context.clock()); });
  metrics.wrote_status(written.has_value());
  if (!written) return fail(written.error());
  const auto published = memory.previous.published.find(owner_of(object));
  if (published == memory.previous.published.end()) return {};
  if (parts.itself) published->second.itself = false;
  for (const std::string& name : parts.listeners) published->second.listeners.erase(name);
  if (published->second.empty()) memory.previous.published.erase(published);
  // Resources that were held back for it can be sent now, even if the status did not change.
  call();
  return {};
}

Result<kube::Requeue> GatewayController::Implementation::update_status(const kube::Context& context,
                                                                       const Report& report) {
  std::vector<StatusEvent> events;
  auto updated = update_status(context, *report.object, true, [&](k8s::Dynamic& now) {
    Report of_now = report;
    of_now.object = &now;
    k8s::Dynamic next = with_status(of_now, context.clock());
    if (may_say_ready(report)) events = programmed_events(now, next);
    now = std::move(next);
  });
  metrics.wrote_status(updated.has_value());
  if (!updated || updated->kind == kube::Requeue::Kind::with_backoff) return updated;
  for (const StatusEvent& event : events) {
    if (event.is_warning) {
      context.events().warning(*report.object, event.reason, event.message);
    } else {
      context.events().normal(*report.object, event.reason, event.message);
    }
  }
  return updated;
}

Result<kube::Requeue> GatewayController::Implementation::update_status(
    const kube::Context& context, const k8s::Dynamic& object, bool is_of_this_generation,
    const std::function<void(k8s::Dynamic& now)>& mutate) const {
  for (const auto& [kind, informer] : informers) {
    if (kind.kind.group_kind() != object.group_version_kind().group_kind()) continue;
    return is_of_this_generation ? context.update_status(kind, object, mutate)
                                 : context.update_status(kind, object.key(), mutate);
  }
  return kube::done();
}

std::vector<ApiResource> kinds_that_matter() {
  std::vector<ApiResource> kinds = {classes()};
  kinds.insert(kinds.end(), custom_kinds().begin(), custom_kinds().end());
  kinds.insert(kinds.end(), own_kinds().begin(), own_kinds().end());
  return kinds;
}

GatewayController::GatewayController(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
GatewayController::~GatewayController() = default;

Result<std::unique_ptr<GatewayController>> GatewayController::create(const ControllerSettings& settings) {
  auto made = std::make_unique<Implementation>(settings.registry);
  if (!settings.addresses.empty()) {
    const auto pool = AddressPool::parse(settings.addresses);
    if (!pool) return fail(pool.error());
    made->pool = *pool;
  }
  if (!settings.trace_endpoint.empty()) {
    auto tracing = Tracing::parse(settings.trace_endpoint, settings.trace_sampling);
    if (!tracing) return fail(tracing.error().within("--trace-endpoint"));
    made->tracing = *std::move(tracing);
  }
  auto permitted = parse_address_ranges(settings.endpoint_cidrs);
  if (!permitted) return fail(permitted.error().within("--endpoint-cidrs"));
  made->endpoints.permitted = *std::move(permitted);
  made->endpoints.max_connections = settings.max_connections;
  made->endpoints.keepalive = settings.keepalive;
  auto api = xds::EnvoyApi::embedded();
  if (!api) return fail(api.error());
  auto server = xds::DiscoveryServer::start(
      *std::move(api), {.socket = settings.xds_socket,
                        .listen = settings.xds_listen,
                        .tls = settings.xds_tls,
                        .has_others = settings.has_replicas,
                        .on_change =
                            [self = made.get(), also = settings.on_change] {
                              self->call();
                              if (also) also();
                            },
                        .on_refusal = [self = made.get()](xds::Type type) { self->metrics.refused(type); }});
  if (!server) return fail(server.error());
  made->server = *std::move(server);
  std::unique_ptr<GatewayController> controller(new GatewayController(std::move(made)));
  if (!controller->xds_address().empty()) {
    const auto added = controller->add_own_listener("--xds-listen", controller->xds_address());
    if (!added) return fail(added.error());
  }
  return controller;
}

void GatewayController::add_to(kube::Manager& manager) {
  Implementation& self = *implementation_;
  const auto all = [](const k8s::Dynamic& /*object*/) { return std::vector<kube::Key>{everything}; };
  auto builder = manager.controller("gateway", classes());
  builder.if_served();
  self.informers.emplace_back(classes(), manager.informers().get(classes(), {.if_served = true}));
  for (const ApiResource& kind : custom_kinds()) {
    // A ClusterRole of an earlier release does not name them, and a server without them refuses, too.
    const bool if_permitted = kind.kind.group == trust_bundle_group;
    builder.watches(kind, all).if_served();
    if (if_permitted) builder.if_permitted();
    self.informers.emplace_back(
        kind, manager.informers().get(kind, {.if_served = true, .if_permitted = if_permitted}));
  }
  for (const ApiResource& kind : own_kinds()) {
    builder.watches(kind, all);
    self.informers.emplace_back(kind, manager.informers().get(kind));
  }
  builder.on(self.changed)
      .runs(kube::Runs::always)
      .reconcile([&self](const kube::Context& context, const kube::Key& /*key*/,
                         const std::shared_ptr<const k8s::Dynamic>& /*object*/) -> Result<kube::Requeue> {
        return self.reconcile(context);
      });
}

void GatewayController::set_leads(bool leads) {
  implementation_->leads = leads;
  // Statuses that the former leader has not written are written now.
  if (leads) implementation_->call();
}

void GatewayController::withdraw_readiness(const Limits& limits) {
  Implementation& self = *implementation_;
  if (!self.leads || !self.has_published) return;
  self.retires = true;
  self.call();
  std::unique_lock lock(self.retired_mutex);
  self.retired_changed.wait(lock, Clock::system(), limits, [&] { return self.is_retired; });
}

xds::DiscoveryServer& GatewayController::xds_server() const {
  return *implementation_->server;
}

const std::string& GatewayController::xds_address() const {
  return implementation_->server->address();
}

Result<void> GatewayController::add_own_listener(const std::string& flag, const std::string& listen) {
  auto listener = OwnListener::parse(flag, listen);
  if (!listener) return fail(listener.error());
  Implementation& self = *implementation_;
  {
    const std::scoped_lock lock(self.own_mutex);
    auto& known = self.own_listeners[flag];
    if (known == *listener) return {};
    known = *std::move(listener);
    self.is_anything_own_new = true;
  }
  self.call();
  return {};
}

}  // namespace fairway::gateway
