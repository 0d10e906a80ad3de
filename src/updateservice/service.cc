#include "updateservice/service.h"

#include <sys/resource.h>
#include <unistd.h>

#include <mutex>
#include <thread>

#include "base/backoff.h"
#include "base/log.h"
#include "base/timed_condition.h"
#include "updateservice/internal/api.h"
#include "updateservice/internal/publisher.h"
#include "updateservice/internal/service_metrics.h"
#include "updateservice/internal/serving_state.h"

namespace fairway::updateservice {
namespace {

using std::chrono::milliseconds;

/// Files of one change come one after another: wait until none came for a while, but not for ever.
constexpr milliseconds debounce{60};
constexpr milliseconds longest_debounce{600};
/// While there is nothing to serve, a failed refresh is tried again soon, and then less and less soon.
constexpr milliseconds first_retry{1000};

/// Lets the threads that answer go first: the calling thread, and all that it starts from now on (Linux keeps
/// this for each thread), builds with what they leave.
void step_behind() {
  constexpr int behind = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), behind);
}

}  // namespace

struct Service::Implementation {
  Implementation(const ServiceOptions& its_options, MakeBuilder its_make_builder, Clock& its_clock)
      : options(its_options),
        make_builder(std::move(its_make_builder)),
        clock(its_clock),
        serving(its_clock),
        metrics(options.path_prefix, options.version),
        api({options.path_prefix, options.signatures_directory, options.max_age, options.show_sources},
            serving, metrics, its_clock),
        publisher(options, serving, metrics, its_clock) {}
  ~Implementation() { stop(milliseconds(0)); }

  Result<void> start();
  void reload();
  void stop(milliseconds limit);

 private:
  friend class Service;

  void refresh_loop(const std::stop_token& stop);
  void graph_data_loop(const std::stop_token& stop);
  void take_up_sources();
  void use(const std::shared_ptr<Builder>& next);
  void refresh();
  void refresh_graph_data(const std::stop_token& stop);
  void account(const Result<BuildOutcome>& outcome, SteadyTime start, bool with_releases,
               std::uint64_t number);

  /// The builder in use and which one it is; a reload puts another in its place.
  std::pair<std::shared_ptr<Builder>, std::uint64_t> current() {
    const std::lock_guard lock(mutex);
    return {builder, builder_number};
  }

  const ServiceOptions options;
  const MakeBuilder make_builder;
  Clock& clock;
  ServingState serving;
  ServiceMetrics metrics;
  Api api;
  Publisher publisher;

  std::shared_ptr<Builder> builder;
  std::uint64_t builder_number = 0;
  std::stop_source watch_stop, refresh_stop;
  bool reload_wanted = false, refresh_wanted = false, stopped = false;
  std::size_t graph_data_events = 0;

 public:
  mutable std::mutex mutex;
  mutable TimedCondition changed;
  std::size_t refreshes = 0;
  std::unique_ptr<http::Server> server, status_server;

 private:
  std::jthread refresher, graph_data_refresher;
};

Result<void> Service::Implementation::start() {
  if (auto ok = publisher.load_settings(); !ok) return ok;
  auto made = make_builder();
  if (!made) return fail(made.error());
  publisher.restore_responses();

  auto opened = http::Server::start(options.server, api.router());
  if (!opened) return fail(opened.error().within("opening the public port"));
  server = std::move(*opened);
  auto status =
      http::Server::start({.listen = options.status_listen, .io_threads = 1, .blocking_threads = 2},
                          status_router(serving, [this] { return metrics.text(serving, server.get()); }));
  if (!status) return fail(status.error().within("opening the status port"));
  status_server = std::move(*status);

  refresher =
      std::jthread([this, first = std::shared_ptr<Builder>(std::move(*made))](const std::stop_token& stop) {
        publisher.rebuild_stored();
        use(first);
        refresh_loop(stop);
      });
  graph_data_refresher = std::jthread([this](const std::stop_token& stop) { graph_data_loop(stop); });
  return {};
}

void Service::Implementation::reload() {
  const auto settings = publisher.load_settings();
  publisher.reloaded("the rules for private channels or the descriptions", settings);
  const auto tls = options.server.tls ? server->reload_tls() : Result<void>{};
  publisher.reloaded("the certificate", tls);
  publisher.publish_again();
  metrics.reloaded(settings && tls);
  const std::lock_guard lock(mutex);
  reload_wanted = true;
  // A scrape may take minutes, and would be of the old sources.
  refresh_stop.request_stop();
  changed.notify_all();
}

void Service::Implementation::stop(milliseconds limit) {
  {
    const std::lock_guard lock(mutex);
    if (std::exchange(stopped, true)) return;
    refresh_stop.request_stop();
    watch_stop.request_stop();
  }
  serving.set_draining();
  refresher.request_stop();
  graph_data_refresher.request_stop();
  changed.notify_all();
  if (server) server->drain(limit);
  if (refresher.joinable()) refresher.join();
  if (graph_data_refresher.joinable()) graph_data_refresher.join();
}

/// Makes a builder the one in use: it knows what the last one knew, and its graph data is watched.
void Service::Implementation::use(const std::shared_ptr<Builder>& next) {
  const Served built = serving.served();
  if (built.snapshot) {
    next->restore(built.inputs, built.snapshot);
  } else if (const auto stored = publisher.stored_inputs()) {
    next->restore(stored);
  }
  std::stop_source watching;
  {
    const std::lock_guard lock(mutex);
    watch_stop.request_stop();
    watch_stop = watching;
    if (stopped) watching.request_stop();
    builder = next;
    ++builder_number;
  }
  next->graph_data_source().watch(
      [this] {
        const std::lock_guard lock(mutex);
        ++graph_data_events;
        changed.notify_all();
      },
      watching.get_token());
}

void Service::Implementation::take_up_sources() {
  auto made = make_builder();
  publisher.reloaded("the settings of the sources", made ? Result<void>{} : fail(made.error()));
  if (made) {
    use(std::move(*made));
  } else {
    metrics.reloaded(false);
  }
  publisher.publish_again();
}

void Service::Implementation::refresh_loop(const std::stop_token& stop) {
  Backoff retry({.first = first_retry, .longest = options.interval}, clock);
  while (!stop.stop_requested()) {
    bool reloading = false;
    {
      const std::lock_guard lock(mutex);
      reloading = std::exchange(reload_wanted, false);
      refresh_wanted = false;
      refresh_stop = std::stop_source();
      if (stopped) return;
    }
    if (reloading) take_up_sources();
    refresh();
    if (serving.served().snapshot) step_behind();
    const std::chrono::nanoseconds pause = serving.served().snapshot ? options.interval : retry.next();
    std::unique_lock lock(mutex);
    changed.wait(lock, clock, Limits::within(clock, pause, stop),
                 [this] { return reload_wanted || refresh_wanted; });
  }
}

void Service::Implementation::graph_data_loop(const std::stop_token& stop) {
  step_behind();
  std::unique_lock lock(mutex);
  std::size_t seen = 0;
  const auto has_changed = [&] { return graph_data_events != seen; };
  while (changed.wait(lock, clock, {.stop = stop}, has_changed)) {
    const Limits longest = Limits::within(clock, longest_debounce, stop);
    do {
      seen = graph_data_events;
    } while (!longest.expired(clock) &&
             changed.wait(lock, clock, longest.at_most(clock, debounce), has_changed));
    if (stop.stop_requested()) return;
    lock.unlock();
    refresh_graph_data(stop);
    lock.lock();
  }
}

void Service::Implementation::refresh() {
  const auto [used, number] = current();
  std::stop_token stop;
  {
    const std::lock_guard lock(mutex);
    stop = refresh_stop.get_token();
  }
  const SteadyTime start = clock.steady();
  account(used->refresh({stop, {}}), start, true, number);
}

void Service::Implementation::refresh_graph_data(const std::stop_token& stop) {
  const auto [used, number] = current();
  const SteadyTime start = clock.steady();
  if (serving.served().snapshot) {
    account(used->refresh_graph_data({stop, {}}), start, false, number);
    return;
  }
  // Nothing was ever built: the new graph data may be what was missing.
  const std::lock_guard lock(mutex);
  refresh_wanted = true;
  changed.notify_all();
}

void Service::Implementation::account(const Result<BuildOutcome>& outcome, SteadyTime start,
                                      bool with_releases, std::uint64_t number) {
  if (outcome) {
    metrics.held(outcome->held);
    const bool is_new = publisher.publish(*outcome, number, with_releases);
    metrics.refreshed(is_new ? RefreshResult::changed : RefreshResult::unchanged, clock.steady() - start,
                      with_releases, outcome->upstream_errors);
  } else if (outcome.error().code != ErrorCode::cancelled) {
    publisher.failed(outcome.error());
    metrics.refreshed(RefreshResult::failed, clock.steady() - start, with_releases, 1);
  }
  const std::lock_guard lock(mutex);
  ++refreshes;
  changed.notify_all();
}

Service::Service(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::start(const ServiceOptions& options, MakeBuilder make_builder,
                                                Clock& clock) {
  auto implementation = std::make_unique<Implementation>(options, std::move(make_builder), clock);
  if (auto ok = implementation->start(); !ok) return fail(ok.error());
  return std::unique_ptr<Service>(new Service(std::move(implementation)));
}

std::string Service::address() const {
  return implementation_->server->address();
}

std::string Service::status_address() const {
  return implementation_->status_server->address();
}

void Service::reload() {
  implementation_->reload();
}

void Service::stop() {
  implementation_->stop(implementation_->options.drain_limit);
}

bool Service::wait_for_refreshes(std::size_t count, milliseconds limit) const {
  std::unique_lock lock(implementation_->mutex);
  Clock& clock = implementation_->clock;
  return implementation_->changed.wait(lock, clock, Limits::within(clock, limit),
                                       [&] { return implementation_->refreshes >= count; });
}

}  // namespace fairway::updateservice
