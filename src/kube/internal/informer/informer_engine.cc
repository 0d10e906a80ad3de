// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/informer_engine.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "k8s/quarantine.h"

namespace fairway::kube {

namespace {

CacheOptions logging(CacheOptions options, LeftOutLog& log) {
  options.on_left_out = [&log](const k8s::Key& key) { log.record(key); };
  return options;
}

}  // namespace

InformerEngine::InformerEngine(std::shared_ptr<Client> client, EngineOptions options, ObjectType type,
                               std::shared_ptr<SyncSignal> signal)
    : client_(std::move(client)),
      options_(std::move(options)),
      metrics_(options_.registry, options_.reflector.resource),
      left_out_log_(options_.reflector.resource.to_string(), client_->clock()),
      cache_(logging(options_.cache, left_out_log_), type,
             std::max<std::size_t>(options_.namespaces.size(), 1), metrics_) {
  const auto add = [&](const std::string& namespace_name) {
    ReflectorOptions watch = options_.reflector;
    watch.namespace_name = namespace_name;
    watches_.push_back(std::make_unique<NamespaceWatch>(client_, watch, cache_, metrics_, signal));
  };
  if (options_.namespaces.empty()) add("");
  for (const std::string& namespace_name : options_.namespaces) add(namespace_name);
  metrics_.informers.add(1);
}

InformerEngine::~InformerEngine() {
  request_stop();
  join();
}

void InformerEngine::start() {
  const std::lock_guard lock(threads_mutex_);
  if (!threads_.empty() || stop_.stop_requested()) return;
  for (const auto& watch : watches_) {
    threads_.emplace_back([this, &watch] { watch->run(stop_.get_token()); });
  }
  threads_.emplace_back([this] { cache_.deliveries().run(stop_.get_token()); });
  if (options_.resync.count() > 0) {
    threads_.emplace_back([this] { resync(stop_.get_token()); });
  }
}

void InformerEngine::request_stop() {
  stop_.request_stop();
  for (const auto& watch : watches_) watch->stop_waits();
}

void InformerEngine::join() {
  std::vector<std::jthread> threads;
  {
    const std::lock_guard lock(threads_mutex_);
    threads = std::exchange(threads_, {});
  }
  for (std::jthread& thread : threads) thread.join();
  const std::lock_guard lock(threads_mutex_);
  if (!std::exchange(retired_, true)) retire_metrics();
}

/// Removes an ended informer from the gauges, so that it is not taken for one that hangs.
void InformerEngine::retire_metrics() {
  metrics_.informers.add(-1);
  if (cache_.has_synced()) metrics_.synced.add(-1);
  metrics_.objects.add(-static_cast<double>(store().size()));
  metrics_.quarantined.add(-static_cast<double>(cache_.quarantined()));
}

NamespaceWatch* InformerEngine::watch_of(std::string_view namespace_name) const {
  const auto found =
      std::ranges::find_if(watches_, [&](const auto& watch) { return watch->covers(namespace_name); });
  return found == watches_.end() ? nullptr : found->get();
}

std::unexpected<Error> InformerEngine::not_watched(std::string_view namespace_name) const {
  return fail(ErrorCode::invalid,
              "reading " + resource().to_string() + " from its informer: it does not watch namespace '" +
                  std::string(namespace_name) + "', only " + fairway::join(options_.namespaces, ", "));
}

Result<void> InformerEngine::wait_for_object(const k8s::Key& key, const Limits& limits) {
  NamespaceWatch* watch = watch_of(key.namespace_name);
  if (watch == nullptr) return not_watched(key.namespace_name);
  return watch->wait_for_reads(&key, limits);
}

Result<void> InformerEngine::wait_for_namespace(std::string_view namespace_name, const Limits& limits) {
  if (!namespace_name.empty()) {
    NamespaceWatch* watch = watch_of(namespace_name);
    if (watch == nullptr) return not_watched(namespace_name);
    return watch->wait_for_reads(nullptr, limits);
  }
  if (watches_.size() == 1) return watches_.front()->wait_for_reads(nullptr, limits);
  // The default timeout is that of the whole call.
  const Limits within =
      limits.has_deadline() ? limits : limits.at_most(client_->clock(), default_call_timeout);
  for (const auto& watch : watches_) {
    if (auto ready = watch->wait_for_reads(nullptr, within); !ready) return ready;
  }
  return {};
}

void InformerEngine::record_written(const k8s::Dynamic& object) {
  if (NamespaceWatch* watch = watch_of(object.namespace_name())) watch->record_written(object);
}

void InformerEngine::record_removed(const k8s::Key& key, std::string_view uid) {
  if (NamespaceWatch* watch = watch_of(key.namespace_name)) watch->record_removed(key, uid);
}

std::vector<std::string> InformerEngine::unsynced() const {
  std::vector<std::string> result;
  for (const auto& watch : watches_) {
    if (watch->has_synced()) continue;
    const auto problem = watch->problem();
    result.push_back(watch->described() + ": " +
                     (problem ? problem->message : "the server has not answered yet"));
  }
  return result;
}

Error InformerEngine::quarantined(const k8s::Key& key) const {
  return {ErrorCode::unavailable, "reading " + resource().to_string() + " " + key.to_string() +
                                      " from its informer: it is quarantined, as it does not convert to this "
                                      "version: its annotation " +
                                      std::string(k8s::quarantined_annotation) + " says why"};
}

std::optional<Error> InformerEngine::problem() const {
  std::optional<Error> all;
  for (const auto& watch : watches_) {
    const auto problem = watch->problem();
    if (!problem) continue;
    if (all) {
      all->message += "; " + problem->message;
    } else {
      all = problem;
    }
  }
  return all;
}

bool InformerEngine::is_served() const {
  return std::ranges::all_of(watches_, [](const auto& watch) { return watch->is_served(); });
}

void InformerEngine::resync(const std::stop_token& stop) {
  Clock& clock = client_->clock();
  // As often as client-go would at most.
  const auto every = std::max(options_.resync, std::chrono::milliseconds(1000));
  SteadyTime next = clock.steady() + every;
  while (clock.wait_until(next, stop) && !stop.stop_requested()) {
    next = std::max(next, clock.steady()) + every;
    cache_.resync();
  }
}

}  // namespace fairway::kube
