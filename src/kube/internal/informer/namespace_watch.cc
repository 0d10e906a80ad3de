// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/namespace_watch.h"

#include <utility>

namespace fairway::kube {

NamespaceWatch::NamespaceWatch(const std::shared_ptr<Client>& client, const ReflectorOptions& options,
                               InformerCache& cache, InformerMetrics& metrics,
                               std::shared_ptr<SyncSignal> signal)
    : options_(options),
      cache_(cache),
      metrics_(metrics),
      signal_(std::move(signal)),
      barrier_(client->clock(),
               [this](const k8s::Key& key) {
                 const SharedObject object = cache_.store().find(KeyView::of(key));
                 return object ? std::string(object->uid()) : "";
               }),
      reflector_(client, options_, *this),
      listed_{.made_as = cache_.type()} {}

Result<void> NamespaceWatch::wait_for_reads(const k8s::Key* key, const Limits& limits) {
  const auto ready = barrier_.wait(key, limits);
  if (ready) return {};
  const auto problem = reflector_.problem();
  return fail(ready.error().code, "reading " + described() + " from its informer: " + ready.error().message +
                                      (problem ? ": " + problem->message : ""));
}

void NamespaceWatch::record_written(const k8s::Dynamic& object) {
  // An object that the selectors leave out comes only as the end of one that they did not.
  const bool selected = options_.labels.matches(object.labels()) && options_.fields.matches(object);
  if (!selected && !cache_.store().find(KeyView::of(object))) return;
  barrier_.record_written(object.key(), object.resource_version());
}

void NamespaceWatch::begin_list() {
  metrics_.lists.add();
  barrier_.record_list_begins();
  listed_ = {.made_as = cache_.type()};
}

void NamespaceWatch::list_object(k8s::Dynamic object) {
  cache_.add_to(listed_, std::move(object));
}

void NamespaceWatch::unlist_object(const k8s::Dynamic& object) {
  listed_.erase(object);
}

void NamespaceWatch::end_list() {
  cache_.replace(namespace_name(), std::exchange(listed_, {.made_as = listed_.made_as}), !synced_);
  if (synced_) return;
  synced_ = true;
  barrier_.record_synced();
  signal_->notify();
}

void NamespaceWatch::not_served() {
  listed_ = {.made_as = cache_.type()};
  end_list();
  barrier_.record_not_served();
}

void NamespaceWatch::apply(WatchEvent event) {
  metrics_.events.add();
  if (event.type == WatchEvent::Type::deleted) {
    cache_.erase(std::move(event.object));
  } else {
    cache_.put(std::move(event.object));
  }
}

}  // namespace fairway::kube
