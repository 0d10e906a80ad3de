// SPDX-License-Identifier: Apache-2.0

#include "kube/controller/manager.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "kube/controller/status_server.h"

namespace fairway::kube {

namespace {

InformersOptions counted_in(metrics::Registry* registry, InformersOptions options) {
  if (options.registry == nullptr) options.registry = registry;
  return options;
}

}  // namespace

void register_at(Manager& manager, std::unique_ptr<Controller> controller) {
  manager.add(std::move(controller));
}

Manager::Manager(std::shared_ptr<Client> client, ManagerOptions options)
    : options_(std::move(options)),
      client_(client),
      environment_{client->with_hooks(write_hooks()), nullptr, nullptr,
                   options_.registry != nullptr ? options_.registry : &own_registry_},
      informers_(client, counted_in(environment_.registry, options_.informers)),
      events_(std::move(client), options_.events, environment_.registry) {
  environment_.informers = &informers_;
  environment_.events = &events_;
  environment_.mapper = std::make_shared<ResourceMapper>(client_);
  environment_.leads = [this] { return may_write().has_value(); };
}

Manager::~Manager() = default;

/// Throws if `run` was called: its threads read controllers, work and checks without a lock.
void Manager::check_not_run() const {
  const std::lock_guard lock(mutex_);
  if (run_called_) throw std::logic_error("a controller, work or a check was added to a manager that runs");
}

void Manager::add(std::unique_ptr<Controller> controller) {
  check_not_run();
  for (const auto& other : controllers_) {
    if (other->name() == controller->name()) {
      throw std::logic_error("two controllers are called " + controller->name());
    }
  }
  controllers_.push_back(std::move(controller));
}

void Manager::add(std::string name, std::function<Result<void>(const std::stop_token&)> work, Runs runs) {
  check_not_run();
  works_.push_back({std::move(name), std::move(work), runs});
}

void Manager::add_live_check(Check check) {
  check_not_run();
  live_checks_.push_back(std::move(check));
}

void Manager::add_ready_check(Check check) {
  check_not_run();
  ready_checks_.push_back(std::move(check));
}

void Manager::add_start_check(Check check) {
  check_not_run();
  start_checks_.push_back(std::move(check));
}

bool Manager::leads() const {
  const std::lock_guard lock(mutex_);
  if (phase_ != Phase::running) return false;
  return !elector_ || elector_->leads();
}

/// Fails if this process does not lead: after leadership is lost, a reconcile in flight would write beside
/// another leader.
Result<void> Manager::may_write() const {
  const std::lock_guard lock(mutex_);
  if (!elector_ || elector_->leads()) return {};
  return fail(ErrorCode::cancelled, "nothing is written: this process does not lead (lease " +
                                        options_.lease.namespace_name + "/" + options_.lease.name + ")");
}

/// Returns the write hooks for the client of contexts. They tell informers what it writes, so that reads wait
/// for it.
WriteHooks Manager::write_hooks() {
  return {
      .may_write = [this] { return may_write(); },
      .written = [this](const auto& resource,
                        const auto& object) { informers_.record_written(resource, object); },
      .removed = [this](const auto& resource, const auto& key,
                        std::string_view uid) { informers_.record_removed(resource, key, uid); },
  };
}

std::string Manager::status_address() const {
  const std::lock_guard lock(mutex_);
  return status_server_ ? status_server_->address() : "";
}

std::string Manager::metrics_text() {
  for (const auto& controller : controllers_) controller->update_metrics();
  {
    const std::lock_guard lock(mutex_);
    if (elector_) elector_->update_metrics();
  }
  std::string text = environment_.registry->text();
  for (const auto& more : more_metrics_) text += more();
  return text;
}

std::optional<std::string> Manager::first_fault(const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    if (auto fault = check()) return fault;
  }
  return std::nullopt;
}

std::optional<std::string> Manager::not_ready() const {
  Phase phase{};
  {
    const std::lock_guard lock(mutex_);
    phase = phase_;
  }
  switch (phase) {
    case Phase::starting:
      return first_fault(start_checks_).value_or("starting");
    case Phase::syncing:
      return "waiting for the first lists: " + join(informers_.unsynced(), "; ");
    case Phase::running:
      return first_fault(ready_checks_);
    case Phase::stopping:
      return "stopping";
  }
  return std::nullopt;
}

void Manager::record_failure(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = error;
  }
  stop_all_.request_stop();
}

/// Waits until all start checks pass; false if stopped.
bool Manager::wait_to_begin(const std::stop_token& stop) {
  Clock& clock = environment_.clock();
  while (first_fault(start_checks_)) {
    if (!clock.wait_until(clock.steady() + std::chrono::seconds(1), stop)) return false;
  }
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::starting) phase_ = Phase::syncing;
  return !stop.stop_requested();
}

/// Waits for the first lists; an error if they do not come in time.
Result<void> Manager::sync(const std::stop_token& stop) {
  informers_.start();
  const Limits limits = Limits::within(environment_.clock(), options_.sync_timeout, stop);
  if (informers_.wait_for_sync(limits) || stop.stop_requested()) return {};
  return fail(ErrorCode::unavailable, "the first lists did not come within " +
                                          format_duration(options_.sync_timeout) + ": " +
                                          join(informers_.unsynced(), "; "));
}

void Manager::run_work(const Work& work, const std::stop_token& stop) {
  try {
    if (const auto done = work.function(stop); !done) record_failure(done.error().within(work.name));
  } catch (const std::exception& thrown) {
    record_failure({ErrorCode::internal, work.name + " threw: " + thrown.what()});
  }
}

void Manager::run_controller(Controller& controller, const std::stop_token& stop) {
  log::info("starting a controller", {{"controller", controller.name()}});
  controller.run(stop);
}

void Manager::run_controllers(const std::stop_token& stop) {
  {
    std::vector<std::jthread> threads;
    for (const auto& controller : controllers_) {
      if (controller->runs() == Runs::as_leader) {
        threads.emplace_back([this, &controller, &stop] { run_controller(*controller, stop); });
      } else {
        controller->enqueue_all(
            "the process leads now");  // what it has not written as long as it did not lead
      }
    }
    for (const Work& work : works_) {
      if (work.runs == Runs::as_leader) threads.emplace_back([this, &work, &stop] { run_work(work, stop); });
    }
    // Without controllers or work, the leader only waits.
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    stopped.wait(lock, stop, [] { return false; });
  }
  // Before the lease is released: handlers must not act on what another leader does.
  informers_.stop();
}

Result<void> Manager::run_all(const std::stop_token& stop) {
  // Servers first: the API server may need this process's webhook for the first lists.
  std::vector<std::jthread> threads;
  for (const Work& work : works_) {
    if (work.runs == Runs::always) threads.emplace_back([this, &work, &stop] { run_work(work, stop); });
  }
  if (!wait_to_begin(stop)) return {};
  if (auto synced = sync(stop); !synced) {
    stop_all_.request_stop();
    return synced;
  }
  if (stop.stop_requested()) return {};
  {
    const std::lock_guard lock(mutex_);
    if (phase_ == Phase::syncing) phase_ = Phase::running;
  }
  for (const auto& controller : controllers_) {
    if (controller->runs() == Runs::always)
      threads.emplace_back([this, &controller, &stop] { run_controller(*controller, stop); });
  }
  Result<void> result;
  if (elector_) {
    result = elector_->run([this](const std::stop_token& token) { run_controllers(token); }, stop);
  } else {
    run_controllers(stop);
  }
  stop_all_.request_stop();  // leadership may be lost without a stop request
  return result;
}

Result<void> Manager::run(const std::stop_token& stop) {
  {
    const std::lock_guard lock(mutex_);
    run_called_ = true;
  }
  if (!options_.lease.name.empty() || !options_.lease.namespace_name.empty()) {
    auto elector = LeaderElector::create(client_, options_.lease, environment_.registry);
    if (!elector) return fail(elector.error());
    const std::lock_guard lock(mutex_);
    elector_ = std::move(*elector);
  }
  if (!options_.status_listen.empty()) {
    auto server = start_status_server(options_.status_listen, {.not_alive = [this] { return not_alive(); },
                                                               .not_ready = [this] { return not_ready(); },
                                                               .metrics = [this] { return metrics_text(); },
                                                               .pages = pages_,
                                                               .routes = status_routes_});
    if (!server) return fail(server.error());
    const std::lock_guard lock(mutex_);
    status_server_ = std::move(*server);
  }
  const std::stop_callback on_stop(stop, [this] {
    {
      const std::lock_guard lock(mutex_);
      phase_ = Phase::stopping;
    }
    stop_all_.request_stop();
  });
  Result<void> result = run_all(stop_all_.get_token());
  informers_.stop();
  if (!events_.flush(options_.flush_events)) log::warning("some events were not sent");
  const std::lock_guard lock(mutex_);
  phase_ = Phase::stopping;
  if (failure_) return fail(*failure_);
  return result;
}

}  // namespace fairway::kube
