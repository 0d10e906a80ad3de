// SPDX-License-Identifier: Apache-2.0

#include "updateservice/service.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/backoff.h"
#include "base/log.h"
#include "base/timed_condition.h"
#include "console/console.h"
#include "graph/snapshot_id.h"
#include "http/status_options.h"
#include "updateservice/internal/api/api.h"
#include "updateservice/internal/console_switch.h"
#include "updateservice/internal/file_watch.h"
#include "updateservice/internal/guarded.h"
#include "updateservice/internal/peers/peer_endpoint.h"
#include "updateservice/internal/peers/peer_token.h"
#include "updateservice/internal/peers/peers.h"
#include "updateservice/internal/publisher.h"
#include "updateservice/internal/service_metrics.h"
#include "updateservice/internal/serving_state.h"

namespace fairway::updateservice {
namespace {

using std::chrono::milliseconds;

/// Time without a change after which graph data is read, and its limit: files of one change arrive one after
/// another.
constexpr milliseconds debounce{60};
constexpr milliseconds longest_debounce{600};
/// Longest part of the time to stop that is reserved for the refresh threads to end.
constexpr milliseconds longest_join{2000};
/// Pause before the first retry of a failed refresh while there is nothing to serve; later ones grow.
constexpr milliseconds first_retry{1000};
/// Time that a refresh waits for its sources before it builds from their last good results.
constexpr std::chrono::seconds source_timeout{5};
/// Time that a reload waits for the replaced builder to end. One that has not ended by then hangs in the
/// kernel or in a resolver, where it takes no more memory; if more than a few hang at once, the reload waits
/// for them.
constexpr std::chrono::seconds farewell{10};
constexpr std::size_t most_hanging = 2;

/// Lowers the priority of the calling thread, and of all that it starts from now on (Linux keeps it for each
/// thread), so that builds use the time that the answering threads leave.
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
        api({options.path_prefix, options.signatures_directory, options.max_age, options.show_sources,
             options.updates_at_once},
            serving, metrics, its_clock),
        publisher(options, serving, metrics, its_clock),
        reloadable(its_options.reloadable) {}
  ~Implementation() {
    stop(milliseconds(0));
    // Threads of builders tell this object what came late.
    retired.clear();
    builder.reset();
  }

  Result<void> start();
  void reload(const std::optional<Result<ReloadableOptions>>& wanted);
  void stop(milliseconds limit);

 private:
  friend class Service;

  Result<void> reload_certificate();
  void watch_files();
  /// Sets a flag that requests work, and wakes the thread that refreshes.
  void tell(bool Implementation::* what) {
    const std::lock_guard lock(mutex);
    this->*what = true;
    changed.notify_all();
  }
  void refresh_loop(const std::stop_token& stop);
  void graph_data_loop(const std::stop_token& stop);
  void take_up_sources(const std::stop_token& stop);
  void use(std::shared_ptr<Builder> next, const std::stop_token& stop);
  void retire_builder(const std::stop_token& stop);
  void refresh();
  Result<void> meet_peers();
  std::optional<PeerAnswer> what_is_held();
  bool ask_peers(const std::stop_token& stop);
  bool wait_for_work(std::unique_lock<std::mutex>& lock, const Limits& limits, const std::stop_token& stop);
  void rebuild(bool with_releases);
  void refresh_graph_data(const std::stop_token& stop);
  void account(const Result<BuildOutcome>& outcome, SteadyTime start, bool with_releases,
               std::uint64_t number);

  /// Returns the builder in use and its number; a reload replaces it. Null at first, and while the previous
  /// one ends. Threads other than the one that refreshes must `let_go` of it.
  std::pair<std::shared_ptr<Builder>, std::uint64_t> current() {
    const std::lock_guard lock(mutex);
    return {builder, builder_number};
  }

  void let_go(std::shared_ptr<Builder>& used) {
    const std::lock_guard lock(mutex);
    used.reset();
    changed.notify_all();
  }

  const ServiceOptions options;
  const MakeBuilder make_builder;
  Clock& clock;
  ServingState serving;
  ServiceMetrics metrics;
  Api api;
  Publisher publisher;

  const std::string instance = new_instance();  ///< id that distinguishes this process from the other
                                                ///< replicas
  std::atomic<bool> memory_read = false;        ///< true after the data on disk has been read
  std::unique_ptr<Peers> peers;                 ///< client of the other replicas; null: there are none
  // Of the thread that refreshes:
  std::string peers_said;
  bool peers_hold = false;

  std::shared_ptr<Builder> builder;
  std::uint64_t builder_number = 0;
  std::stop_source watch_stop, refresh_stop;
  bool reload_wanted = false, refresh_wanted = false, late_answer = false, entry_accepted = false,
       stopped = false;
  ReloadableOptions reloadable;  ///< written by reloads only
  std::size_t graph_data_events = 0;

 public:
  mutable std::mutex mutex;
  mutable TimedCondition changed;
  std::size_t refreshes = 0;
  std::unique_ptr<http::Server> server, status_server, peer_server;

 private:
  std::jthread refresher, graph_data_refresher;
  /// A builder that a reload has replaced; one of its sources may take its time to end.
  struct Retired {
    bool gone = false;  ///< under `mutex`
    std::jthread thread;
  };
  std::list<Retired> retired;  ///< replaced builders; used by the thread that refreshes only
  std::optional<FileWatch> certificate_watch, accepted_watch;
};

/// Opens the port for the other replicas, and prepares to ask them.
Result<void> Service::Implementation::meet_peers() {
  if (!options.peers.listen.empty()) {
    if (auto token = read_peer_token(options.peers.token_file); !token) return fail(token.error());
    auto opened = http::Server::start(peer_server_options(options.peers),
                                      peer_router([this] { return what_is_held(); }));
    if (!opened) return fail(opened.error().within("opening the port for other replicas"));
    peer_server = std::move(*opened);
  }
  if (!options.peers.peers.empty()) {
    auto created = Peers::create(options.peers, instance, options.problem_url, clock);
    if (!created) return fail(created.error());
    peers = std::move(*created);
  }
  return {};
}

/// Returns the inputs that other replicas may compare with: those that are served, or else those from disk.
std::optional<PeerAnswer> Service::Implementation::what_is_held() {
  if (!memory_read) return std::nullopt;
  // In this order: publishing forgets what was stored.
  std::shared_ptr<const BuiltInputs> stored = publisher.stored_inputs();
  const Served now = serving.served();
  if (now.inputs) return PeerAnswer{instance, now.inputs};
  if (stored) return PeerAnswer{instance, std::move(stored)};
  if (now.responses) return std::nullopt;
  return PeerAnswer{instance, nullptr};
}

Result<void> Service::Implementation::start() {
  if (auto ok = publisher.load_settings(options.reloadable); !ok) return ok;
  auto made = make_builder();
  if (!made) return fail(made.error());
  publisher.restore_responses();

  http::Router router = api.router();
  const console::Options page{.part = console::Part::service,
                              .api_prefix = options.path_prefix,
                              .version = options.version,
                              .hosts = options.console_hosts,
                              .name_advice = "start it with --console --public-url https://NAME",
                              .is_on = console_switch(options, serving)};
  if (auto added = console::add_routes(router, page); !added) return added;
  auto opened = http::Server::start(options.server, std::move(router));
  if (!opened) return fail(opened.error().within("opening the public port"));
  server = std::move(*opened);
  auto status =
      http::Server::start(http::status_server_options(options.status_listen),
                          status_router(serving, [this] { return metrics.text(serving, server.get()); }));
  if (!status) return fail(status.error().within("opening the status port"));
  status_server = std::move(*status);
  if (auto met = meet_peers(); !met) return met;

  refresher = std::jthread([this, first = std::move(*made)](const std::stop_token& stop) mutable {
    // The graph on disk was good once; if it cannot be used again, the sources still can.
    const auto restored = guarded("restoring the last good graph", [&]() -> Result<void> {
      publisher.rebuild_stored(stop);
      return {};
    });
    if (!restored) log::error(restored.error().message);
    memory_read = true;
    use(std::move(first), stop);
    refresh_loop(stop);
  });
  graph_data_refresher = std::jthread([this](const std::stop_token& stop) { graph_data_loop(stop); });
  watch_files();
  return {};
}

void Service::Implementation::reload(const std::optional<Result<ReloadableOptions>>& wanted) {
  bool readable = true;
  if (wanted) {
    readable = wanted->has_value();
    publisher.reloaded("the settings", readable ? Result<void>{} : fail(wanted->error()));
    const std::lock_guard lock(mutex);
    if (readable) reloadable = **wanted;
  }
  const Result<void> settings = publisher.load_settings(reloadable);
  publisher.reloaded("the rules for private channels or the descriptions", settings);
  const Result<void> tls = reload_certificate();
  publisher.publish_with_new_settings();
  metrics.reloaded(readable && settings && tls);
  const std::lock_guard lock(mutex);
  reload_wanted = true;
  // A scrape may take minutes, and would be of the old sources.
  refresh_stop.request_stop();
  changed.notify_all();
}

/// Reads the certificate again, logs the result, and reports a failure.
Result<void> Service::Implementation::reload_certificate() {
  if (!options.server.tls) return {};
  Result<void> done = server->reload_tls();
  publisher.reloaded("the certificate", done);
  if (done) log::info("the certificate was read again", {{"file", options.server.tls->certificate_file}});
  metrics.reloaded(done.has_value());
  return done;
}

/// Watches the files of the certificate. They arrive one after another, and Kubernetes swaps a link: they are
/// read when nothing changes any more.
void Service::Implementation::watch_files() {
  std::vector<std::string> files;
  if (options.server.tls) {
    files = {options.server.tls->certificate_file, options.server.tls->key_file};
    std::erase(files, "");
  }
  if (!files.empty()) {
    certificate_watch.emplace(std::move(files), [this] {
      [[maybe_unused]] const auto done = reload_certificate();
      publisher.publish_with_new_settings();
    });
  }
  if (!options.data_directory.empty()) {
    // Something may have to be accepted before anything is kept there.
    std::error_code ignored;
    std::filesystem::create_directories(options.data_directory, ignored);
    accepted_watch.emplace(std::vector<std::string>{accepted_path(options.data_directory)},
                           [this] { tell(&Implementation::entry_accepted); });
  }
}

void Service::Implementation::stop(milliseconds limit) {
  {
    const std::lock_guard lock(mutex);
    if (std::exchange(stopped, true)) return;
    refresh_stop.request_stop();
    watch_stop.request_stop();
  }
  serving.set_draining();
  certificate_watch.reset();
  accepted_watch.reset();
  refresher.request_stop();
  graph_data_refresher.request_stop();
  changed.notify_all();
  // A source may have been asked by a refresh before this one.
  if (auto used = current().first) {
    used->stop();
    let_go(used);
  }
  // A part of the time is left for the threads that refresh.
  if (server) server->drain(limit - std::min(limit / 10, longest_join));
  if (refresher.joinable()) refresher.join();
  if (graph_data_refresher.joinable()) graph_data_refresher.join();
}

/// Ends the builder in use. Its reading is stopped before the next builder reads: together they would use
/// more memory with each reload.
void Service::Implementation::retire_builder(const std::stop_token& stop) {
  std::shared_ptr<Builder> last;
  {
    const std::lock_guard lock(mutex);
    watch_stop.request_stop();
    last.swap(builder);
  }
  if (!last) return;
  last->stop();
  Retired& one = retired.emplace_back();
  one.thread = std::jthread([this, &one, last = std::move(last)]() mutable {
    {
      // Nobody gets hold of it any more, and whoever had must not be the one that waits for its sources.
      std::unique_lock lock(mutex);
      changed.wait(lock, clock, {}, [&last] { return last.use_count() == 1; });
    }
    last.reset();
    const std::lock_guard lock(mutex);
    one.gone = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  const auto are_left = [this](std::size_t most) {
    return std::cmp_less_equal(std::ranges::count(retired, false, &Retired::gone), most);
  };
  if (!changed.wait(lock, clock, Limits::within(clock, farewell, stop), [&] { return are_left(0); })) {
    lock.unlock();
    if (!stop.stop_requested()) log::warning("a source that a reload has replaced does not end");
    lock.lock();
    changed.wait(lock, clock, {.stop = stop}, [&] { return are_left(most_hanging); });
  }
  // The threads of these have nothing left to lock.
  std::list<Retired> ended;
  for (auto each = retired.begin(); each != retired.end();) {
    const auto next = std::next(each);
    if (each->gone) ended.splice(ended.end(), retired, each);
    each = next;
  }
  lock.unlock();
}

/// Makes a builder the one in use: it gets the memory of the last one, and its graph data is watched.
void Service::Implementation::use(std::shared_ptr<Builder> next, const std::stop_token& stop) {
  retire_builder(stop);
  const auto restored = guarded("taking over what is served", [&]() -> Result<void> {
    const Served built = serving.served();
    if (built.snapshot) {
      next->restore(built.inputs, built.snapshot);
    } else if (const auto stored = publisher.stored_inputs()) {
      next->restore(stored, nullptr, stop);
    }
    return {};
  });
  if (!restored) log::error(restored.error().message);
  std::stop_source watching;
  {
    const std::lock_guard lock(mutex);
    watch_stop = watching;
    if (stopped) {
      watching.request_stop();
      next->stop();
    }
    builder = std::move(next);
    ++builder_number;
  }
  builder->on_late([this] { tell(&Implementation::late_answer); });
  builder->graph_data_source().watch(
      [this] {
        const std::lock_guard lock(mutex);
        ++graph_data_events;
        changed.notify_all();
      },
      watching.get_token());
}

void Service::Implementation::take_up_sources(const std::stop_token& stop) {
  auto made = make_builder();
  publisher.reloaded("the settings of the sources", made ? Result<void>{} : fail(made.error()));
  if (made) {
    use(std::move(*made), stop);
  } else {
    metrics.reloaded(false);
  }
  publisher.publish_with_new_settings();
}

void Service::Implementation::refresh_loop(const std::stop_token& stop) {
  Backoff retry({.first = first_retry, .longest = options.reloadable.interval}, clock);
  while (!stop.stop_requested()) {
    bool reloading = false;
    {
      const std::lock_guard lock(mutex);
      reloading = std::exchange(reload_wanted, false);
      refresh_wanted = false;
      refresh_stop = std::stop_source();
      if (stopped) return;
    }
    if (reloading) take_up_sources(stop);
    ask_peers(stop);
    refresh();
    if (serving.served().snapshot) step_behind();
    std::unique_lock lock(mutex);
    const Limits limits =
        Limits::within(clock, serving.served().snapshot ? reloadable.interval : retry.next(), stop);
    while (wait_for_work(lock, limits, stop) && !reload_wanted && !refresh_wanted) {
      entry_accepted = false;
      const bool answered = std::exchange(late_answer, false);
      lock.unlock();
      rebuild(answered);
      lock.lock();
    }
  }
}

/// Waits until there is something to build again from; false when the limits expire before. While there is
/// nothing to compare with, the other replicas are asked periodically.
bool Service::Implementation::wait_for_work(std::unique_lock<std::mutex>& lock, const Limits& limits,
                                            const std::stop_token& stop) {
  const auto something = [this] { return reload_wanted || refresh_wanted || late_answer || entry_accepted; };
  const auto lacks_memory = [&] {
    if (!peers) return false;
    // `lacks_memory` waits for a build to end.
    lock.unlock();
    const bool lacks = builder->lacks_memory();
    lock.lock();
    return lacks;
  };
  while (lacks_memory()) {
    // A peer whose answer is known already is asked less often, while sources fail.
    const auto pause = options.peers.pause * (peers_hold ? 12 : 1);
    if (changed.wait(lock, clock, limits.at_most(clock, pause), something)) return true;
    if (limits.expired(clock)) return false;
    lock.unlock();
    const bool know_more = ask_peers(stop);
    lock.lock();
    if (know_more) return true;
  }
  return changed.wait(lock, clock, limits, something);
}

/// Asks the other replicas, if there is nothing to compare with. Returns true if their replies have changed.
bool Service::Implementation::ask_peers(const std::stop_token& stop) {
  const auto used = current().first;
  if (!peers || !used || !used->lacks_memory()) return false;
  PeerMemory memory = peers->remember(stop);
  if (stop.stop_requested()) return false;
  const std::string said = memory.why + (memory.may_begin ? "; --first-start" : "") +
                           (memory.snapshot ? "; graph " + graph::snapshot_id(*memory.snapshot) : "");
  const bool news = said != peers_said;
  if (news) log::info("asked the other replicas", {{"answers", said}});
  peers_said = said;
  peers_hold = memory.inputs != nullptr;
  used->learn(std::move(memory));
  return news;
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
  std::chrono::nanoseconds its_interval;
  {
    const std::lock_guard lock(mutex);
    stop = refresh_stop.get_token();
    its_interval = reloadable.interval;
    late_answer = entry_accepted = false;
  }
  const SteadyTime start = clock.steady();
  const Waits waits{.source_timeout = std::min<std::chrono::nanoseconds>(its_interval, source_timeout),
                    .overdue = its_interval};
  account(guarded("refreshing", [&] { return used->refresh({stop, {}}, waits); }), start, true, number);
}

/// Rebuilds from the present answers. `with_releases`: a source has answered late, so this counts as a
/// refresh of all.
void Service::Implementation::rebuild(bool with_releases) {
  const auto [used, number] = current();
  const SteadyTime start = clock.steady();
  account(guarded("building the graph", [&] { return used->rebuild(); }), start, with_releases, number);
}

void Service::Implementation::refresh_graph_data(const std::stop_token& stop) {
  // Where nothing was ever built, the new graph data may be what was missing.
  if (!serving.served().snapshot) return tell(&Implementation::refresh_wanted);
  auto [used, number] = current();
  // The next one reads everything anyway.
  if (!used) return;
  const SteadyTime start = clock.steady();
  const auto outcome = guarded("refreshing graph data", [&] { return used->refresh_graph_data({stop, {}}); });
  let_go(used);
  account(outcome, start, false, number);
}

void Service::Implementation::account(const Result<BuildOutcome>& outcome, SteadyTime start,
                                      bool with_releases, std::uint64_t number) {
  Result<bool> published = fail(outcome ? Error{} : outcome.error());
  if (outcome) {
    metrics.held(outcome->held ? outcome->held->lifted.size() : 0);
    published = guarded("publishing the graph", [&]() -> Result<bool> {
      return publisher.publish(*outcome, number, with_releases && outcome->complete);
    });
  }
  if (published) {
    metrics.refreshed(*published ? RefreshResult::changed : RefreshResult::unchanged, clock.steady() - start,
                      with_releases, outcome->upstream_errors);
  } else if (published.error().code != ErrorCode::cancelled) {
    publisher.failed(published.error());
    metrics.refreshed(RefreshResult::failed, clock.steady() - start, with_releases, 1);
  }
  // Data that was read and is not served leaves holes in the heap as well (see Publisher).
  if (!published || !*published) malloc_trim(0);
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

std::string Service::peer_address() const {
  return implementation_->peer_server ? implementation_->peer_server->address() : "";
}

std::string Service::status_address() const {
  return implementation_->status_server->address();
}

void Service::reload() {
  implementation_->reload(std::nullopt);
}

void Service::reload(const Result<ReloadableOptions>& settings) {
  implementation_->reload(settings);
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
