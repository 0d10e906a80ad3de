// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/informer_set.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "k8s/quarantine.h"

namespace fairway::kube {

/// The lease of an engine, owned jointly by the handles of one informer.
class InformerSet::Lease {
 public:
  Lease(std::shared_ptr<InformerEngine> engine, std::weak_ptr<InformerSet> set)
      : engine_(std::move(engine)), set_(std::move(set)) {}
  ~Lease() {
    if (const auto set = set_.lock()) set->record_released(*engine_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  InformerEngine* engine() const { return engine_.get(); }

 private:
  const std::shared_ptr<InformerEngine> engine_;
  const std::weak_ptr<InformerSet> set_;
};

InformerSet::InformerSet(std::shared_ptr<Client> client, InformersOptions options)
    : client_(std::move(client)), options_(std::move(options)) {}

InformerSet::Identity InformerSet::identify(const k8s::GroupVersionResource& resource,
                                            const InformerOptions& options, Content content) {
  if (options.transform.apply && options.transform.name.empty()) {
    throw std::logic_error("the transform of an informer of " + resource.to_string() +
                           " needs a name: without one, others who want whole objects would share it");
  }
  std::vector<std::string> namespaces = options.namespaces;
  std::ranges::sort(namespaces);
  const auto repeated = std::ranges::unique(namespaces);
  namespaces.erase(repeated.begin(), repeated.end());
  if (!namespaces.empty() && namespaces.front().empty()) {
    throw std::logic_error("an informer of " + resource.to_string() +
                           " is given an empty namespace: for all namespaces, give none");
  }
  return {.resource = resource,
          .namespaces = std::move(namespaces),
          .labels = options.labels.to_string(),
          .fields = options.fields.to_string(),
          .transform = options.transform.name,
          .managed_fields = options.managed_fields,
          .if_served = options.if_served,
          .if_permitted = options.if_permitted,
          .leave_out_quarantined = options.leave_out_quarantined,
          .include_quarantined = options.include_quarantined,
          .content = content};
}

/// Returns how to tell the quarantined objects that an informer leaves out; empty: it leaves out none.
IsQuarantined InformerSet::left_out(const Identity& identity) const {
  // Where only metadata is read, nobody knows whether there is content besides.
  if (identity.include_quarantined || identity.content != Content::objects ||
      !k8s::may_be_quarantined(identity.resource.group)) {
    return {};
  }
  IsQuarantined of_program = options_.quarantined ? options_.quarantined(identity.resource) : IsQuarantined();
  if (of_program) return of_program;
  if (!identity.leave_out_quarantined) return {};
  return [](const k8s::Dynamic& object) { return k8s::has_only_marks(object); };
}

std::shared_ptr<InformerEngine> InformerSet::make_engine(const Identity& identity,
                                                         const InformerOptions& options,
                                                         ObjectType type) const {
  EngineOptions engine;
  engine.reflector = {.resource = identity.resource,
                      .labels = options.labels,
                      .fields = options.fields,
                      .content = identity.content,
                      .streaming_list = options_.streaming_list,
                      .if_served = options.if_served,
                      .if_permitted = options.if_permitted,
                      .timings = options_.timings,
                      .random = options_.random};
  engine.namespaces = identity.namespaces;
  engine.cache = {.transform = options.transform,
                  .managed_fields = options.managed_fields,
                  .max_pending_events = options_.max_pending_events,
                  .leaves_out = left_out(identity)};
  engine.resync = options_.resync;
  // The registry may be gone before an informer that nobody stops any more.
  engine.registry = stopped_ ? nullptr : options_.registry;
  return std::make_shared<InformerEngine>(client_, std::move(engine), type, signal_);
}

/// Returns the existing handle, or a new one. Call it with the lock.
std::shared_ptr<InformerEngine> InformerSet::lease(Entry& entry) {
  if (auto handle = entry.handle.lock()) return handle;
  const auto made = std::make_shared<Lease>(entry.engine, weak_from_this());
  std::shared_ptr<InformerEngine> handle(made, made->engine());
  entry.handle = handle;
  entry.unused_until.reset();
  return handle;
}

std::shared_ptr<InformerEngine> InformerSet::get(const k8s::GroupVersionResource& resource,
                                                 const InformerOptions& options, ObjectType type,
                                                 Content content) {
  Identity identity = identify(resource, options, content);
  const std::lock_guard lock(mutex_);
  if (options.unused_timeout && !stopped_ && !ending_.joinable()) {
    ending_ = std::jthread([this](const std::stop_token& stop) { end_unused(stop); });
  }
  for (Entry& entry : entries_) {
    if (entry.identity != identity || !entry.engine->cache().make_as(type)) continue;
    if (entry.unused_timeout && options.unused_timeout) {
      entry.unused_timeout = std::max(*entry.unused_timeout, *options.unused_timeout);
    } else {
      entry.unused_timeout.reset();
    }
    return lease(entry);
  }
  auto engine = make_engine(identity, options, type);
  if (stopped_) engine->request_stop();
  if (started_) engine->start();
  entries_.push_back({.identity = std::move(identity),
                      .engine = std::move(engine),
                      .handle = {},
                      .unused_timeout = options.unused_timeout,
                      .unused_until = {}});
  return lease(entries_.back());
}

void InformerSet::record_released(const InformerEngine& engine) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    // Somebody may have got a new handle meanwhile.
    if (entry.engine.get() != &engine || !entry.handle.expired() || !entry.unused_timeout) continue;
    entry.unused_until = Limits::within(client_->clock(), *entry.unused_timeout).deadline;
    ++releases_;
    released_.notify_all();
  }
}

/// Returns whether an informer is unused: it has no handle and no handlers. Without a handle nobody can
/// remove its handlers, so they keep it in use.
bool InformerSet::is_unused(const Entry& entry) {
  return entry.unused_until && entry.handle.expired() && !entry.engine->cache().deliveries().has_handlers();
}

std::vector<std::shared_ptr<InformerEngine>> InformerSet::take_unused() {
  const SteadyTime now = client_->clock().steady();
  std::vector<std::shared_ptr<InformerEngine>> unused;
  for (auto at = entries_.begin(); at != entries_.end();) {
    if (is_unused(*at) && at->unused_until <= now) {
      unused.push_back(std::move(at->engine));
      at = entries_.erase(at);
    } else {
      ++at;
    }
  }
  return unused;
}

SteadyTime InformerSet::next_end() const {
  SteadyTime next = SteadyTime::max();
  for (const Entry& entry : entries_) {
    if (is_unused(entry)) next = std::min(next, *entry.unused_until);
  }
  return next;
}

void InformerSet::end_unused(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    auto unused = take_unused();
    if (!unused.empty()) {
      // Engines that are destroyed here may hold handles of other informers: not with the lock.
      lock.unlock();
      for (const auto& engine : unused) engine->request_stop();
      for (const auto& engine : unused) engine->join();
      unused.clear();
      signal_->notify();
      lock.lock();
      continue;
    }
    released_.wait(lock, client_->clock(), {.deadline = next_end(), .stop = stop},
                   [this, seen = releases_] { return releases_ != seen; });
  }
}

std::vector<std::shared_ptr<InformerEngine>> InformerSet::engines() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<InformerEngine>> result;
  result.reserve(entries_.size());
  for (const Entry& entry : entries_) result.push_back(entry.engine);
  return result;
}

void InformerSet::start() {
  const std::lock_guard lock(mutex_);
  started_ = true;
  for (const Entry& entry : entries_) entry.engine->start();
}

bool InformerSet::is_known(const InformerEngine& engine) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.engine.get() == &engine; });
}

bool InformerSet::wait_for_sync(const Limits& limits) {
  const auto wanted = engines();
  std::unique_lock lock(signal_->mutex);
  return signal_->changed.wait(lock, client_->clock(), limits, [&] {
    return std::ranges::all_of(
        wanted, [this](const auto& engine) { return engine->has_synced() || !is_known(*engine); });
  });
}

void InformerSet::stop() {
  std::jthread ending;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    ending = std::move(ending_);
  }
  const auto all = engines();
  for (const auto& engine : all) engine->request_stop();
  if (ending.joinable()) {
    ending.request_stop();
    ending.join();
  }
  for (const auto& engine : all) engine->join();
}

}  // namespace fairway::kube
