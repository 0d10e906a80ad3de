// SPDX-License-Identifier: Apache-2.0

// The manager of a process's controllers, with shared informers, events, leader election and status port.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/metrics.h"
#include "http/server.h"
#include "kube/controller/controller_builder.h"
#include "kube/controller/status_server.h"
#include "kube/election/leader_elector.h"

namespace fairway::kube {

struct ManagerOptions {
  /// Lease of the leader election. If it has a name, controllers run only while this process leads.
  LeaseOptions lease = {};
  /// The address of /livez, /readyz and /metrics: "127.0.0.1:8081", ":8081"; empty: none.
  std::string status_listen = {};
  /// Timeout of the initial sync of informers; then `run` fails.
  std::chrono::nanoseconds sync_timeout = std::chrono::minutes(2);
  /// Maximum time to wait for unsent events at shutdown, by the machine's clock.
  std::chrono::nanoseconds flush_events = std::chrono::seconds(2);
  InformersOptions informers = {};
  EventOptions events = {};
  /// The metrics registry, if not the manager's own; must outlive the manager. The client may share
  /// it.
  metrics::Registry* registry = nullptr;
};

/// Runs controllers, informers and servers. Configured on one thread, and run once: adding a controller, work
/// or a check after `run` was called throws std::logic_error. Add a controller of a kind that is served later
/// before `run`, with `if_served`. Uses the client's clock.
class Manager {
 public:
  explicit Manager(std::shared_ptr<Client> client, ManagerOptions options = {});
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  /// Returns the builder of a new controller for objects of `T`. The name must be unique in the process; it
  /// is used in metrics, logs and events. The controller is registered when `reconcile` is called on the
  /// builder.
  template <class T>
  ControllerBuilder<T> controller(std::string name) {
    return ControllerBuilder<T>(*this, environment_, std::move(name), T::resource);
  }
  /// Returns the builder of a controller for a kind that is known only at run time: from `mapper()`, or given
  /// in full.
  ControllerBuilder<k8s::Dynamic> controller(std::string name, k8s::ApiResource kind) {
    return {*this, environment_, std::move(name), std::move(kind)};
  }
  void add(std::unique_ptr<Controller> controller);

  using Runs = kube::Runs;
  /// Adds other work: it is called on its own thread, and must return on a stop request. Its error ends the
  /// manager. `as_leader`: it starts with the controllers, after informers have synced. `always`: it runs
  /// from the start, on every replica, such as servers and webhooks that the initial lists may need.
  void add(std::string name, std::function<Result<void>(const std::stop_token& stop)> work,
           Runs runs = Runs::as_leader);
  /// Returns why not all is well; std::nullopt: it is. A live check runs on an I/O thread, and must not
  /// block.
  using Check = std::function<std::optional<std::string>()>;
  void add_live_check(Check check);
  void add_ready_check(Check check);
  /// Delays the start of informers and leader election (but not work with `Runs::always`) until the check
  /// passes. It is called once per second until then; /readyz reports the reason.
  void add_start_check(Check check);

  /// Adds to /metrics: text in Prometheus's format, of metrics that are not in the registry. Call it before
  /// `run`.
  void add_metrics(std::function<std::string()> text) { more_metrics_.push_back(std::move(text)); }
  /// Adds a page to the status port, on every replica. Call it before `run`.
  void add_status_page(StatusPage page) { pages_.push_back(std::move(page)); }
  /// Adds other routes to the status port, on every replica: `add` is called once with its router, when the
  /// port is opened. Call it before `run`.
  void add_status_routes(std::function<Result<void>(http::Router&)> add) {
    status_routes_.push_back(std::move(add));
  }

  /// Returns the client. Unlike the client of contexts, it does not refuse writes after leadership is lost.
  Client& client() const { return *client_; }
  Informers& informers() { return informers_; }
  /// Returns the mapper of kinds to resources, shared by the whole process.
  const std::shared_ptr<ResourceMapper>& mapper() const { return environment_.mapper; }
  EventRecorder events(std::string component) { return {events_, std::move(component)}; }
  metrics::Registry& registry() { return *environment_.registry; }

  /// Starts servers and informers, waits for them to sync, waits for leadership if there is a lease,
  /// and runs the controllers until `stop`. Shutdown: reconciles in flight finish (their
  /// `Context::stop` is requested; if leadership was lost, their client refuses writes), then informers
  /// stop, then the lease is released. Errors: invalid options, a status port that cannot be bound,
  /// informers that do not sync in time, failed work, and lost leadership: exit the process then,
  /// another may lead.
  Result<void> run(const std::stop_token& stop);

  /// Returns whether controllers run: with a lease, whether this process leads.
  bool leads() const;
  /// Returns the address of the status port as the options have it: ":8081"; empty: there is none.
  const std::string& status_listen() const { return options_.status_listen; }
  /// Returns the bound address of the status port; empty if there is none, or before it is bound.
  std::string status_address() const;
  /// Returns the reason that /readyz gives; std::nullopt: controllers run, or wait to lead.
  std::optional<std::string> not_ready() const;
  /// Returns the reason that /livez gives; std::nullopt: no check finds a fault. Call it during `run`.
  std::optional<std::string> not_alive() const { return first_fault(live_checks_); }
  /// Returns the text of /metrics.
  std::string metrics_text();

 private:
  struct Work {
    std::string name = {};
    std::function<Result<void>(const std::stop_token& stop)> function = {};
    Runs runs = {};
  };
  enum class Phase { starting, syncing, running, stopping };

  void check_not_run() const;
  bool wait_to_begin(const std::stop_token& stop);
  Result<void> sync(const std::stop_token& stop);
  Result<void> run_all(const std::stop_token& stop);
  void run_controllers(const std::stop_token& stop);
  void run_controller(Controller& controller, const std::stop_token& stop);
  void run_work(const Work& work, const std::stop_token& stop);
  void record_failure(const Error& error);
  Result<void> may_write() const;
  WriteHooks write_hooks();
  static std::optional<std::string> first_fault(const std::vector<Check>& checks);

  const ManagerOptions options_;
  const std::shared_ptr<Client> client_;
  metrics::Registry own_registry_;
  Environment environment_;
  Informers informers_;
  EventSink events_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::vector<Work> works_;
  std::vector<Check> live_checks_, ready_checks_, start_checks_;
  std::vector<StatusPage> pages_;
  std::vector<std::function<Result<void>(http::Router&)>> status_routes_;
  std::vector<std::function<std::string()>> more_metrics_;
  std::unique_ptr<LeaderElector> elector_;
  mutable std::mutex mutex_;
  Phase phase_ = Phase::starting;
  bool run_called_ = false;
  std::optional<Error> failure_;
  std::stop_source stop_all_;
  std::unique_ptr<http::Server> status_server_;  ///< the last member: it asks the others
};

}  // namespace fairway::kube
