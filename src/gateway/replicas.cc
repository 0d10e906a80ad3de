// SPDX-License-Identifier: Apache-2.0

#include "gateway/replicas.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "base/log.h"
#include "base/timed_condition.h"
#include "gateway/internal/replicas/replica_leases.h"
#include "gateway/internal/replicas/report_receiver.h"
#include "gateway/internal/replicas/report_sender.h"
#include "http/server.h"

namespace fairway::gateway {

namespace {

constexpr std::chrono::seconds renew_every{10}, call_limit{5}, pause_after_failure{1};
/// Largest report that is accepted: it may cover thousands of routes, each with a name and a hash.
constexpr std::size_t most_report_bytes = std::size_t{64} << 20;

const k8s::GroupVersionResource& leases() {
  static const k8s::GroupVersionResource resource = k8s::Lease::resource.group_version_resource();
  return resource;
}

}  // namespace

struct Replicas::Implementation {
  Implementation(const std::shared_ptr<kube::Client>& with, ReplicasOptions given)
      : client(with->without_rate_limit()),
        options(std::move(given)),
        seen(options.election.name, options.identity),
        sender(options.identity) {}

  Clock& clock() const { return client->clock(); }
  /// Listens, and writes the Lease for the first time. Returns the reason why that is not done yet;
  /// std::nullopt: it is.
  std::optional<std::string> join();
  /// Makes server and client use the current certificates.
  Result<void> use_certificates();
  Result<void> listen(const ReplicaCertificates& certificates);
  Result<void> renew(const std::stop_token& stop);
  Result<void> keep_lease(const std::stop_token& stop);
  Result<void> tell(xds::DiscoveryServer& server, const kube::Informer<k8s::Lease>& informer,
                    const std::stop_token& stop);
  void remove_leftovers(const std::stop_token& stop);
  /// Waits until something has changed, or the limits expire.
  void wait(const Limits& limits);
  void wake();

  const std::shared_ptr<kube::Client> client;
  const ReplicasOptions options;
  std::unique_ptr<ReportReceiver> receiver;

  /// Guards the members up to `has_ended`: threads call `join` and `use_certificates` at the same time.
  std::mutex joining;
  std::unique_ptr<http::Server> server;
  ReplicaCertificates shown;
  std::shared_ptr<http::Client> asks;
  /// The address in this replica's Lease.
  std::string address;
  /// True once no reports are received any more.
  bool has_ended = false;

  std::mutex mutex;  ///< guards the two below
  TimedCondition changed;
  bool has_changed = false, is_joined = false;

  /// Used by the thread of `tell`, and by `leave` once that has ended.
  ReplicaLeases seen;
  ReportSender sender;
  std::optional<ReplicaLeases::Leader> leader;
};

Result<void> Replicas::Implementation::listen(const ReplicaCertificates& certificates) {
  // The port that was free at first stays.
  const std::string where = address.empty() || !options.address.empty() ? options.listen : address;
  server.reset();
  http::Router router;
  router.blocking(report_path, "POST",
                  [this](const http::Request& request) { return receiver->receive(request); });
  http::ServerOptions settings{.listen = where, .io_threads = 1, .blocking_threads = 2};
  settings.max_body_bytes = most_report_bytes;
  settings.tls = http::TlsServerOptions{.certificate = certificates.server.certificate,
                                        .key = certificates.server.key,
                                        .client_ca = certificates.authorities,
                                        .require_client_certificate = true};
  auto started = http::Server::start(settings, std::move(router));
  if (!started) return fail(started.error().within("listening for reports of other replicas"));
  server = *std::move(started);
  address = options.address.empty() ? server->address() : options.address;
  if (options.on_listen) options.on_listen(server->address());
  return {};
}

Result<void> Replicas::Implementation::use_certificates() {
  const std::scoped_lock lock(joining);
  if (has_ended) return fail(ErrorCode::cancelled, "this replica ends");
  auto now = options.certificates();
  if (!now) return fail(now.error());
  if (server && *now == shown) return {};
  // A server keeps the CAs that it began with.
  const bool is_served = server != nullptr && now->authorities == shown.authorities;
  const auto served =
      is_served ? server->use_certificate(now->server.certificate, now->server.key) : listen(*now);
  if (!served) return served;
  auto made = http::Client::create({.system_cas = false,
                                    .ca_texts = {{now->authorities, "the CA of replicas"}},
                                    .certificate = now->client.certificate,
                                    .key = now->client.key,
                                    .tls_server_name = replica_name,
                                    .proxy_environment = false,
                                    .user_agent = "fairway-gateway",
                                    .clock = &clock()});
  if (!made) return fail(made.error());
  asks = *std::move(made);
  shown = *std::move(now);
  return {};
}

Result<void> Replicas::Implementation::renew(const std::stop_token& stop) {
  std::string published_address;
  {
    const std::scoped_lock lock(joining);
    published_address = address;
  }
  const auto written = client->apply(leases(),
                                     lease_of_replica(options.election.name, options.election.namespace_name,
                                                      options.identity, published_address, clock().now()),
                                     {.field_manager = "fairway-gateway", .force = true}, {},
                                     Limits::within(clock(), call_limit, stop));
  if (!written) return fail(written.error().within("renewing the Lease of this replica"));
  return {};
}

std::optional<std::string> Replicas::Implementation::join() {
  {
    const std::scoped_lock lock(mutex);
    if (is_joined) return std::nullopt;
  }
  if (const auto used = use_certificates(); !used) return used.error().message;
  if (const auto renewed = renew({}); !renewed) return renewed.error().message;
  {
    const std::scoped_lock lock(mutex);
    is_joined = true;
  }
  wake();
  return std::nullopt;
}

Result<void> Replicas::Implementation::keep_lease(const std::stop_token& stop) {
  const auto pause = [&](const Limits& limits, bool until_joined) {
    std::unique_lock lock(mutex);
    changed.wait(lock, clock(), limits, [&] { return until_joined && is_joined; });
  };
  pause({.stop = stop}, true);
  while (!stop.stop_requested()) {
    pause(Limits::within(clock(), renew_every, stop), false);
    while (!stop.stop_requested()) {
      const auto renewed = renew(stop);
      if (renewed) break;
      log::warning("other replicas may take this one for gone", {{"error", renewed.error().message}});
      pause(Limits::within(clock(), pause_after_failure, stop), false);
    }
  }
  return {};
}

void Replicas::Implementation::remove_leftovers(const std::stop_token& stop) {
  if (!seen.is_leader()) return;
  for (const std::string& name : seen.leftovers(clock().steady())) {
    const auto removed = client->remove(leases(), {options.election.namespace_name, name}, {},
                                        Limits::within(clock(), call_limit, stop));
    if (!removed && !removed.error().is_not_found())
      log::warning("removing the Lease of a replica that is gone",
                   {{"lease", name}, {"error", removed.error().message}});
  }
}

Result<void> Replicas::Implementation::tell(xds::DiscoveryServer& server_of_envoys,
                                            const kube::Informer<k8s::Lease>& informer,
                                            const std::stop_token& stop) {
  bool has_failed = false, has_led = false;
  while (!stop.stop_requested()) {
    bool is_here = false;
    {
      const std::scoped_lock lock(mutex);
      has_changed = false;
      is_here = is_joined;
    }
    // The first list may be still to come.
    const auto all = is_here ? informer.list({}, Limits::within(clock(), call_limit, stop))
                             : fail(ErrorCode::unavailable, "this replica has no Lease yet");
    Result<void> sent;
    if (all) {
      const SteadyTime now = clock().steady();
      seen.update(*all, now);
      server_of_envoys.set_peers(seen.others(now));
      // Who leads again must not go by what it heard when it led before.
      const bool leads = seen.is_leader();
      if (has_led && !leads) receiver->forget_all();
      has_led = leads;
      receiver->forget_silent();
      remove_leftovers(stop);
      sent = use_certificates();
      leader = seen.leader(now);
      if (sent && leader) {
        {
          const std::scoped_lock lock(joining);
          sender.use(asks);
        }
        sent = sender.send(*leader, server_of_envoys.report(), Limits::within(clock(), call_limit, stop));
      }
    }
    if (!sent && !has_failed && !stop.stop_requested())
      log::warning("the leader does not hear of this replica's Envoys", {{"error", sent.error().message}});
    if (sent && has_failed) log::info("the leader hears of this replica's Envoys again");
    has_failed = !sent;
    if (!sent) {
      std::unique_lock lock(mutex);
      changed.wait(lock, clock(), Limits::within(clock(), pause_after_failure, stop), [] { return false; });
      continue;
    }
    Limits limits = Limits::within(clock(), report_every, stop);
    limits.deadline = std::min(limits.deadline, seen.next_end(clock().steady()));
    wait(limits);
  }
  // The manager's informers and servers end after this: nobody is heard any more.
  std::unique_ptr<http::Server> last;
  {
    const std::scoped_lock lock(joining);
    has_ended = true;
    last = std::move(server);
  }
  return {};
}

void Replicas::Implementation::wait(const Limits& limits) {
  std::unique_lock lock(mutex);
  changed.wait(lock, clock(), limits, [&] { return has_changed; });
}

void Replicas::Implementation::wake() {
  {
    const std::scoped_lock lock(mutex);
    has_changed = true;
  }
  changed.notify_all();
}

Replicas::Replicas(const std::shared_ptr<kube::Client>& client, ReplicasOptions options)
    : implementation_(std::make_unique<Implementation>(client, std::move(options))) {}
Replicas::~Replicas() = default;

void Replicas::add_to(kube::Manager& manager, xds::DiscoveryServer& server) {
  Implementation& self = *implementation_;
  self.receiver = std::make_unique<ReportReceiver>(self.options.identity, server, self.clock());
  auto informer = manager.informers().get<k8s::Lease>({.namespaces = {self.options.election.namespace_name}});
  const auto wake = [&self](const auto&...) { self.wake(); };
  informer.add_handler({.added = wake, .updated = wake, .deleted = wake});
  manager.add_start_check([&self] { return self.join(); });
  manager.add(
      "the Lease of this replica", [&self](const std::stop_token& stop) { return self.keep_lease(stop); },
      kube::Runs::always);
  manager.add(
      "reports to the leader",
      [&self, &server, informer](const std::stop_token& stop) { return self.tell(server, informer, stop); },
      kube::Runs::always);
}

void Replicas::report_changed() {
  implementation_->wake();
}

void Replicas::leave(const Limits& limits) {
  Implementation& self = *implementation_;
  const auto lease = lease_of_replica(self.options.election.name, self.options.election.namespace_name,
                                      self.options.identity, "", self.clock().now());
  const auto removed = self.client->remove(leases(), lease.key(), {}, limits);
  if (!removed && !removed.error().is_not_found())
    log::warning("the Lease of this replica stays until it ends", {{"error", removed.error().message}});
  // The leader has heard of Envoys here that are no more.
  if (!self.leader) return;
  if (const auto sent = self.sender.send(*self.leader, {}, limits); !sent)
    log::warning("the leader does not hear that this replica ends", {{"error", sent.error().message}});
}

}  // namespace fairway::gateway
