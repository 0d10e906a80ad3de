// The controllers of a process, and what they need: informers, events, a lease, a status port.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "http/server.h"
#include "kube/controller/controller_builder.h"
#include "kube/election/leader_elector.h"

namespace fairway::kube {

struct ManagerOptions {
  /// With a name, controllers run only while this process leads.
  LeaseOptions lease;
  /// Where /livez, /readyz and /metrics are served: "127.0.0.1:8081", ":8081"; empty: nowhere.
  std::string status_listen;
  /// How long the first lists may take; then `run` ends with an error.
  std::chrono::nanoseconds sync_timeout = std::chrono::minutes(2);
  /// How long to wait at the end for events that are not sent, by the machine's clock.
  std::chrono::nanoseconds flush_events = std::chrono::seconds(2);
  InformersOptions informers;
  EventOptions events;
  /// Where metrics are counted, if not in the manager's own; it outlives the manager. The client may count
  /// there too.
  metrics::Registry* registry = nullptr;
};

/// Built up on one thread, and run once. Time comes from the client's clock.
class Manager {
 public:
  explicit Manager(std::shared_ptr<Client> client, ManagerOptions options = {});
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  /// A new controller for objects of `T`; its name is its own in this process, and what metrics, logs and
  /// events call it. Nothing is registered before `reconcile` is called on what is returned.
  template <class T>
  ControllerBuilder<T> controller(std::string name) {
    return ControllerBuilder<T>(*this, environment_, std::move(name));
  }
  void add(std::unique_ptr<Controller> controller);

  enum class Runs {
    as_leader,  ///< beside the controllers, once informers have synced
    always,     ///< whoever leads, from the beginning: servers, webhooks that the first lists may need
  };
  /// Other work: called on a thread of its own, and expected to return when the token is asked to stop. An
  /// error of it ends the manager.
  void add(std::string name, std::function<Result<void>(const std::stop_token& stop)> work,
           Runs runs = Runs::as_leader);
  /// Nothing where all is well, or else why not. Called by the status port's threads.
  using Check = std::function<std::optional<std::string>()>;
  void add_live_check(Check check);
  void add_ready_check(Check check);
  /// Only what always runs begins before this check says nothing: no lists are asked for, and this process
  /// does not lead. It is asked once a second; /readyz says why. Later it is not asked any more.
  void add_start_check(Check check);

  /// Not the client that contexts have: that one refuses to write once this process does not lead any more.
  Client& client() const { return *client_; }
  Informers& informers() { return informers_; }
  EventRecorder events(std::string component) { return {events_, std::move(component)}; }
  metrics::Registry& registry() { return *environment_.registry; }

  /// Starts servers and informers, waits for the lists, waits to lead where there is a lease, and runs the
  /// controllers until `stop`. At the end: reconciles under way are let finish (their `Context::stop` is
  /// asked for; where leadership is lost, their client does not write any more), then informers stop, then
  /// the lease is given back. Errors: options that are wrong, a status port that cannot be opened, informers
  /// that do not sync in time, work that failed, and leadership that was lost: end the process then, another
  /// may lead.
  Result<void> run(const std::stop_token& stop);

  /// Whether controllers run: where there is a lease, whether this process leads.
  bool leads() const;
  /// The bound address of the status port; empty where there is none, or not yet.
  std::string status_address() const;
  /// The text of /metrics.
  std::string metrics_text();

 private:
  struct Work {
    std::string name;
    std::function<Result<void>(const std::stop_token& stop)> function;
    Runs runs;
  };
  enum class Phase { starting, syncing, running, stopping };

  bool wait_to_begin(const std::stop_token& stop);
  Result<void> sync(const std::stop_token& stop);
  Result<void> run_all(const std::stop_token& stop);
  void run_controllers(const std::stop_token& stop);
  void run_work(const Work& work, const std::stop_token& stop);
  void note_failure(const Error& error);
  Result<void> may_write() const;
  std::optional<std::string> not_ready() const;
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
  std::unique_ptr<LeaderElector> elector_;
  mutable std::mutex mutex_;
  Phase phase_ = Phase::starting;
  std::optional<Error> failure_;
  std::stop_source stop_all_;
  std::unique_ptr<http::Server> status_server_;  ///< the last member: it asks the others
};

}  // namespace fairway::kube
