#include "gateway/controller.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gateway/internal/pass.h"
#include "gateway/internal/status.h"
#include "kube/controller/trigger.h"

namespace fairway::gateway {

namespace {

using k8s::ApiResource;
using k8s::Scope;

/// How long a status waits for Envoy's answer: then it says that there is none yet.
constexpr std::chrono::seconds patience{2};

/// What all events lead to: the configuration is made of everything.
const kube::Key everything{"", "*"};

ApiResource of_gateway_api(const char* version, const char* kind, const char* plural,
                           Scope scope = Scope::namespaced) {
  return {{std::string(gateway_group), version, kind}, plural, scope};
}

const ApiResource& classes() {
  static const ApiResource kind = of_gateway_api("v1", "GatewayClass", "gatewayclasses", Scope::cluster);
  return kind;
}

/// Kinds whose CRDs may not be there.
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
  explicit ServedEnvoys(xds::Server& server) : server_(server) {}
  void set(const xds::Resources& resources) override { server_.set(resources); }
  xds::Agreement agreement(const xds::ResourceName& name) const override { return server_.agreement(name); }

 private:
  xds::Server& server_;
};

}  // namespace

struct GatewayController::Implementation {
  AddressPool pool;
  kube::Trigger changed;
  std::atomic<bool> leads = false;
  std::vector<std::pair<ApiResource, kube::Informer<k8s::Dynamic>>> informers;
  Memory memory;
  /// Since when Gateways wait for an answer of Envoy.
  std::map<k8s::Key, SteadyTime> waiting_since;
  /// The last: it calls the trigger.
  std::unique_ptr<xds::Server> server;

  Result<kube::Requeue> reconcile(const kube::Context& context);
  /// Applies what a Gateway has in the cluster.
  static Result<void> apply(const kube::Context& context, const k8s::Dynamic& document);
  /// When the report is to be written at the latest, if it waits for an answer of Envoy.
  std::optional<SteadyTime> deferred_until(const Pass& pass, const Report& report, SteadyTime now);
  Result<kube::Requeue> write(const kube::Context& context, const Report& report) const;
};

Result<kube::Requeue> GatewayController::Implementation::reconcile(const kube::Context& context) {
  std::vector<k8s::Dynamic> objects;
  for (const auto& [kind, informer] : informers) {
    const auto list = informer.list({}, context.limits());
    if (!list) return fail(list.error());
    for (const auto& object : *list) objects.push_back(*object);
  }
  ServedEnvoys envoys(*server);
  const auto pass = run_pass(std::move(objects), pool, memory, context.now(), envoys);
  const SteadyTime now = context.clock().steady();
  std::erase_if(waiting_since, [&](const auto& entry) {
    return std::ranges::none_of(pass->waiting,
                                [&](const auto& one) { return one.second.contains(entry.first); });
  });
  std::optional<std::chrono::nanoseconds> again = server->next_lease_end();
  std::optional<Error> failure;
  bool is_outdated = false;
  for (const Report& report : pass->reports) {
    if (const auto until = deferred_until(*pass, report, now)) {
      again = again ? std::min(*again, *until - now) : *until - now;
      continue;
    }
    const auto written = write(context, report);
    // The others are written all the same.
    if (!written) failure = written.error();
    if (written && written->kind == kube::Requeue::Kind::with_backoff) is_outdated = true;
  }
  if (leads && context.leads()) {
    for (const k8s::Dynamic& document : pass->infrastructure) {
      if (const auto applied = apply(context, document); !applied) failure = applied.error();
    }
  }
  if (failure) return fail(*std::move(failure));
  if (is_outdated) return kube::requeue_with_backoff();
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
  // What has no status yet is told at once that it has been seen.
  if (found == pass.waiting.end() || (report.own && !report.object->has("status.conditions")))
    return std::nullopt;
  std::optional<SteadyTime> until;
  for (const k8s::Key& gateway : found->second) {
    const SteadyTime end = waiting_since.try_emplace(gateway, now).first->second + patience;
    if (end > now) until = until ? std::max(*until, end) : end;
  }
  return until;
}

Result<kube::Requeue> GatewayController::Implementation::write(const kube::Context& context,
                                                               const Report& report) const {
  const auto status_of = [](const k8s::Dynamic& object) {
    const json::Value* status = object.find("status");
    return status != nullptr ? *status : json::Value();
  };
  if (!leads || !context.leads() ||
      status_of(with_status(report, context.clock())) == status_of(*report.object))
    return kube::done();
  for (const auto& [kind, informer] : informers) {
    if (kind.kind.group_kind() != report.object->group_version_kind().group_kind()) continue;
    return context.update_status(kind, *report.object, [&](k8s::Dynamic& now) {
      Report of_now = report;
      of_now.object = &now;
      now = with_status(of_now, context.clock());
    });
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
  auto made = std::make_unique<Implementation>();
  if (!settings.addresses.empty()) {
    const auto pool = AddressPool::parse(settings.addresses);
    if (!pool) return fail(pool.error());
    made->pool = *pool;
  }
  auto api = xds::EnvoyApi::embedded();
  if (!api) return fail(api.error());
  auto server = xds::Server::start(
      *std::move(api),
      {.listen = settings.xds_listen, .on_change = [trigger = made->changed] { trigger.fire(everything); }});
  if (!server) return fail(server.error());
  made->server = *std::move(server);
  return std::unique_ptr<GatewayController>(new GatewayController(std::move(made)));
}

void GatewayController::add_to(kube::Manager& manager) {
  Implementation& self = *implementation_;
  const auto all = [](const k8s::Dynamic& /*object*/) { return std::vector<kube::Key>{everything}; };
  auto builder = manager.controller("gateway", classes());
  builder.if_served();
  self.informers.emplace_back(classes(), manager.informers().get(classes(), {.if_served = true}));
  for (const ApiResource& kind : custom_kinds()) {
    builder.watches(kind, all).if_served();
    self.informers.emplace_back(kind, manager.informers().get(kind, {.if_served = true}));
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
  // What the former leader has not written is written now.
  if (leads) implementation_->changed.fire(everything);
}

const std::string& GatewayController::xds_address() const {
  return implementation_->server->address();
}

}  // namespace fairway::gateway
