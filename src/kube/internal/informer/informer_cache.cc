// SPDX-License-Identifier: Apache-2.0

#include "kube/internal/informer/informer_cache.h"

#include <exception>
#include <utility>
#include <vector>

#include "base/json_compact.h"
#include "base/log.h"

namespace fairway::kube {

InformerCache::InformerCache(CacheOptions options, ObjectType type, std::size_t watches,
                             InformerMetrics& metrics)
    : options_(std::move(options)),
      metrics_(metrics),
      deliveries_(options_.max_pending_events),
      type_(type),
      unsynced_watches_(watches) {}

HandlerId InformerCache::add_handler(Handler handler) {
  const std::lock_guard lock(mutex_);
  return deliveries_.add(std::move(handler), store_.list(), unsynced_watches_ == 0);
}

bool InformerCache::has_synced() const {
  const std::lock_guard lock(mutex_);
  return unsynced_watches_ == 0;
}

void InformerCache::resync() {
  const std::lock_guard lock(mutex_);
  if (unsynced_watches_ == 0) deliveries_.push_resync(store_.list());
}

bool InformerCache::make_as(ObjectType type) {
  const std::lock_guard lock(mutex_);
  if (type.type == type_.type || type.type == typeid(k8s::Dynamic)) return true;
  if (type_.type != typeid(k8s::Dynamic)) return false;
  type_ = type;
  // Objects that were handed out stay unchanged, and share nothing with those of the new view.
  store_.remake([&](const k8s::Dynamic& object) { return type.make(json::compact(object.json())); });
  return true;
}

ObjectType InformerCache::current_type() const {
  const std::lock_guard lock(mutex_);
  return type_;
}

std::type_index InformerCache::type() const {
  return current_type().type;
}

SharedObject InformerCache::of_type(SharedObject object, std::type_index made_as) const {
  return made_as == type_.type ? std::move(object) : type_.make(json::compact(object->json()));
}

void InformerCache::run_transform(k8s::Dynamic& object) const {
  std::vector<std::pair<const char*, json::Value>> kept;
  for (const char* path : preserved_fields) {
    const json::Value* value = object.find(path);
    if (value != nullptr && !value->is_null()) kept.emplace_back(path, *value);
  }
  k8s::Dynamic changed = object;
  try {
    options_.transform.apply(changed);
    object = std::move(changed);
  } catch (const std::exception& fault) {
    log::error("an informer's transform has thrown; the object is kept as it came",
               {{"transform", options_.transform.name},
                {"object", object.key().to_string()},
                {"what", fault.what()}});
  }
  for (auto& [path, value] : kept) {
    const json::Value* now = object.find(path);
    if (now == nullptr || *now != value) object.set(path, std::move(value));
  }
}

SharedObject InformerCache::store_form(k8s::Dynamic object) const {
  if (!options_.managed_fields) object.erase("metadata.managedFields");
  if (options_.transform.apply) run_transform(object);
  return current_type().make(json::compact(object.json()));
}

void InformerCache::replace(std::string_view namespace_name, ObjectMap objects, std::type_index made_as,
                            bool first) {
  const std::lock_guard lock(mutex_);
  if (made_as != type_.type) {
    ObjectMap remade;
    for (const auto& [key, object] : objects) remade.put(of_type(object, made_as));
    objects = std::move(remade);
  }
  const auto before = static_cast<double>(store_.size());
  const auto changes = store_.replace(std::move(objects), namespace_name);
  metrics_.objects.add(static_cast<double>(store_.size()) - before);
  if (first) {
    if (--unsynced_watches_ == 0) metrics_.synced.add(1);
    deliveries_.push_initial(store_.list(namespace_name), unsynced_watches_ == 0);
    return;
  }
  for (const StoreChange& change : changes) deliveries_.push(change);
}

void InformerCache::put(k8s::Dynamic object) {
  const SharedObject known = store_.find(KeyView::of(object));
  // Already known: the server may repeat an event.
  if (known && known->uid() == object.uid() && known->resource_version() == object.resource_version()) return;
  const std::type_index made_as = type();
  SharedObject now = store_form(std::move(object));
  const std::lock_guard lock(mutex_);
  now = of_type(std::move(now), made_as);
  SharedObject before = store_.put(now);
  if (!before) metrics_.objects.add(1);
  deliveries_.push({std::move(before), std::move(now)});
}

void InformerCache::erase(k8s::Dynamic last) {
  if (!store_.find(KeyView::of(last))) return;
  const std::type_index made_as = type();
  SharedObject object = store_form(std::move(last));
  const std::lock_guard lock(mutex_);
  object = of_type(std::move(object), made_as);
  store_.erase(KeyView::of(*object));
  metrics_.objects.add(-1);
  deliveries_.push({std::move(object), nullptr});
}

}  // namespace fairway::kube
