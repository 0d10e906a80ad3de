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

void InformerCache::add_to(Listed& listed, k8s::Dynamic object) const {
  SharedObject known = store_.find(KeyView::of(object));
  const bool is_known = known && known->uid() == object.uid();
  if (leaves_out(object)) {
    listed.objects.erase(KeyView::of(object));
    listed.quarantined.insert(object.key());
    if (is_known) listed.objects.put(std::move(known));
    return;
  }
  // Of a streaming list an object may come again, changed.
  if (!listed.quarantined.empty()) listed.quarantined.erase(object.key());
  // An unchanged object is kept as it is, so that a new list takes no memory of its own.
  const bool is_same = is_known && known->resource_version() == object.resource_version();
  listed.objects.put(is_same ? std::move(known) : store_form(std::move(object)));
}

void InformerCache::replace(std::string_view namespace_name, Listed listed, bool first) {
  const std::lock_guard lock(mutex_);
  ObjectMap objects = std::move(listed.objects);
  if (listed.made_as != type_.type) {
    ObjectMap remade;
    for (const auto& [key, object] : objects) remade.put(of_type(object, listed.made_as));
    objects = std::move(remade);
  }
  for (const k8s::Key& key : listed.quarantined) {
    if (!quarantined_.contains(key)) tell_left_out(key);
  }
  const auto quarantined_before = static_cast<double>(quarantined_.size());
  std::erase_if(quarantined_, [&](const k8s::Key& key) {
    return namespace_name.empty() || key.namespace_name == namespace_name;
  });
  quarantined_.merge(listed.quarantined);
  record_quarantined(quarantined_before);
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

bool InformerCache::leaves_out(const k8s::Dynamic& object) const {
  return options_.leaves_out && options_.leaves_out(object);
}

bool InformerCache::is_quarantined(const k8s::Key& key) const {
  const std::lock_guard lock(mutex_);
  return quarantined_.contains(key);
}

std::size_t InformerCache::quarantined() const {
  const std::lock_guard lock(mutex_);
  return quarantined_.size();
}

/// Forgets that an object was quarantined, if it was. Call it with the lock, under which the object changes
/// in the store: a reader in between would take it for one that is not there.
void InformerCache::end_quarantine(const k8s::Dynamic& object) {
  if (!quarantined_.empty() && quarantined_.erase(object.key()) != 0) metrics_.quarantined.add(-1);
}

InformerCache::Found InformerCache::find(const k8s::Key& key) const {
  if (!options_.leaves_out) return {store_.find(KeyView::of(key))};
  const std::lock_guard lock(mutex_);
  return {store_.find(KeyView::of(key)), quarantined_.contains(key)};
}

/// Counts the quarantined objects that have come or gone. Call it with the lock.
void InformerCache::record_quarantined(double before) {
  metrics_.quarantined.add(static_cast<double>(quarantined_.size()) - before);
}

void InformerCache::tell_left_out(const k8s::Key& key) const {
  if (options_.on_left_out) options_.on_left_out(key);
}

void InformerCache::put_quarantined(const k8s::Dynamic& object) {
  const std::lock_guard lock(mutex_);
  const auto before = static_cast<double>(quarantined_.size());
  if (quarantined_.insert(object.key()).second) tell_left_out(object.key());
  record_quarantined(before);
  // The one that was known stays as it was, unless another was created in its place.
  const SharedObject known = store_.find(KeyView::of(object));
  if (!known || known->uid() == object.uid()) return;
  store_.erase(KeyView::of(object));
  metrics_.objects.add(-1);
  deliveries_.push({known, nullptr});
}

void InformerCache::put(k8s::Dynamic object) {
  if (leaves_out(object)) return put_quarantined(object);
  const SharedObject known = store_.find(KeyView::of(object));
  // Already known: the server may repeat an event.
  if (known && known->uid() == object.uid() && known->resource_version() == object.resource_version()) {
    const std::lock_guard lock(mutex_);
    return end_quarantine(*known);
  }
  const std::type_index made_as = type();
  SharedObject now = store_form(std::move(object));
  const std::lock_guard lock(mutex_);
  end_quarantine(*now);
  now = of_type(std::move(now), made_as);
  SharedObject before = store_.put(now);
  if (!before) metrics_.objects.add(1);
  deliveries_.push({std::move(before), std::move(now)});
}

void InformerCache::erase(k8s::Dynamic last) {
  const SharedObject known = store_.find(KeyView::of(last));
  if (!known) {
    const std::lock_guard lock(mutex_);
    return end_quarantine(last);
  }
  const bool stays_as_known = leaves_out(last);
  const std::type_index made_as = type();
  SharedObject object;
  if (!stays_as_known) object = store_form(std::move(last));
  const std::lock_guard lock(mutex_);
  end_quarantine(*known);
  // The last state that handlers may see of a quarantined object is the one that they know.
  object = stays_as_known ? store_.find(KeyView::of(*known)) : of_type(std::move(object), made_as);
  store_.erase(KeyView::of(*known));
  metrics_.objects.add(-1);
  deliveries_.push({std::move(object), nullptr});
}

}  // namespace fairway::kube
