#include "kube/informer/internal/informer_engine.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/json_compact.h"
#include "base/log.h"

namespace fairway::kube {

InformerEngine::InformerEngine(std::shared_ptr<Client> client, EngineOptions options, ObjectType type,
                               std::shared_ptr<SyncSignal> signal)
    : client_(std::move(client)),
      options_(std::move(options)),
      signal_(std::move(signal)),
      metrics_(options_.registry, options_.reflector.resource),
      barrier_(client_->clock(),
               [this](const k8s::Key& key) {
                 const SharedObject object = store_.find(KeyView::of(key));
                 return object ? std::string(object->uid()) : "";
               }),
      deliveries_(options_.max_pending_events),
      reflector_(client_, options_.reflector, *this),
      type_(type),
      listed_as_(type.type) {
  metrics_.informers.add(1);
}

InformerEngine::~InformerEngine() {
  request_stop();
  join();
}

bool InformerEngine::make_as(ObjectType type) {
  const std::lock_guard lock(mutex_);
  if (type.type == type_.type || type.type == typeid(k8s::Dynamic)) return true;
  if (type_.type != typeid(k8s::Dynamic)) return false;
  type_ = type;
  // What was handed out stays what it is; nothing of it reaches those who ask for the view.
  store_.remake([&](const k8s::Dynamic& object) { return type.make(json::compact(object.json())); });
  return true;
}

void InformerEngine::start() {
  const std::lock_guard lock(threads_mutex_);
  if (!threads_.empty() || stop_.stop_requested()) return;
  threads_.emplace_back([this] { reflector_.run(stop_.get_token()); });
  threads_.emplace_back([this] { deliveries_.run(stop_.get_token()); });
  if (options_.resync.count() > 0) {
    threads_.emplace_back([this] { resync(stop_.get_token()); });
  }
}

void InformerEngine::request_stop() {
  stop_.request_stop();
  barrier_.stop();
}

void InformerEngine::join() {
  std::vector<std::jthread> threads;
  {
    const std::lock_guard lock(threads_mutex_);
    threads = std::exchange(threads_, {});
  }
  for (std::jthread& thread : threads) thread.join();
}

HandlerId InformerEngine::add_handler(Handler handler) {
  const std::lock_guard lock(mutex_);
  return deliveries_.add(std::move(handler), store_.list(), synced_);
}

bool InformerEngine::has_synced() const {
  const std::lock_guard lock(mutex_);
  return synced_;
}

Result<void> InformerEngine::wait_for_reads(const k8s::Key* key, const Limits& limits) {
  const auto ready = barrier_.wait(key, limits);
  if (ready) return {};
  const auto problem = reflector_.problem();
  return fail(ready.error().code, "reading " + resource().to_string() + " from its informer: " +
                                      ready.error().message + (problem ? ": " + problem->message : ""));
}

void InformerEngine::note_written(const k8s::Dynamic& object) {
  const ReflectorOptions& which = options_.reflector;
  if (!which.namespace_name.empty() && object.namespace_name() != which.namespace_name) return;
  // An object that the selectors leave out comes only as the end of one that they did not.
  const bool selected = which.labels.matches(object.labels()) && which.fields.matches(object);
  if (!selected && !store_.find(KeyView::of(object))) return;
  barrier_.note_written(object.key(), object.resource_version());
}

void InformerEngine::note_removed(const k8s::Key& key, std::string_view uid) {
  const std::string& own = options_.reflector.namespace_name;
  if (own.empty() || key.namespace_name == own) barrier_.note_removed(key, uid);
}

void InformerEngine::resync(const std::stop_token& stop) {
  Clock& clock = client_->clock();
  // As often as client-go would at most.
  const auto every = std::max(options_.resync, std::chrono::milliseconds(1000));
  SteadyTime next = clock.steady() + every;
  while (clock.wait_until(next, stop) && !stop.stop_requested()) {
    next = std::max(next, clock.steady()) + every;
    const std::lock_guard lock(mutex_);
    if (synced_) deliveries_.push_resync(store_.list());
  }
}

ObjectType InformerEngine::type() const {
  const std::lock_guard lock(mutex_);
  return type_;
}

SharedObject InformerEngine::of_type(SharedObject object, std::type_index made_as) const {
  return made_as == type_.type ? std::move(object) : type_.make(json::compact(object->json()));
}

SharedObject InformerEngine::store_form(k8s::Dynamic object) const {
  if (!options_.managed_fields) object.erase("metadata.managedFields");
  if (options_.transform.apply) {
    struct Kept {
      const char* path;
      std::string text;
    };
    std::vector<Kept> kept;
    for (const char* path : {"apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.uid",
                             "metadata.resourceVersion"}) {
      kept.push_back({path, std::string(object.text(path))});
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
    for (const auto& [path, text] : kept) {
      if (!text.empty() && object.text(path) != text) object.set(path, text);
    }
  }
  return type().make(json::compact(object.json()));
}

void InformerEngine::begin_list() {
  metrics_.lists.add();
  listed_.clear();
  listed_as_ = type().type;
}

void InformerEngine::list_object(k8s::Dynamic object) {
  // What has not changed is kept as it is, so that a new list takes no memory of its own.
  SharedObject known = store_.find(KeyView::of(object));
  const bool same =
      known && known->uid() == object.uid() && known->resource_version() == object.resource_version();
  listed_.put(same ? std::move(known) : store_form(std::move(object)));
}

void InformerEngine::unlist_object(const k8s::Dynamic& object) {
  listed_.erase(KeyView::of(object));
}

void InformerEngine::end_list() {
  {
    const std::lock_guard lock(mutex_);
    if (listed_as_ != type_.type) {
      ObjectMap remade;
      for (const auto& [key, object] : listed_) remade.put(of_type(object, listed_as_));
      listed_ = std::move(remade);
    }
    const auto before = static_cast<double>(store_.size());
    const auto changes = store_.replace(std::exchange(listed_, {}));
    metrics_.objects.add(static_cast<double>(store_.size()) - before);
    if (synced_) {
      for (const StoreChange& change : changes) deliveries_.push(change);
      return;
    }
    deliveries_.push_initial(store_.list());
    synced_ = true;
    metrics_.synced.add(1);
  }
  barrier_.note_synced();
  const std::lock_guard lock(signal_->mutex);
  signal_->changed.notify_all();
}

void InformerEngine::apply(WatchEvent event) {
  metrics_.events.add();
  const KeyView key = KeyView::of(event.object);
  if (event.type == WatchEvent::Type::deleted) {
    // The last that is known of it is what the event says, where anybody knew it.
    if (!store_.find(key)) return;
    const std::type_index made_as = type().type;
    SharedObject last = store_form(std::move(event.object));
    const std::lock_guard lock(mutex_);
    last = of_type(std::move(last), made_as);
    store_.erase(KeyView::of(*last));
    metrics_.objects.add(-1);
    deliveries_.push({std::move(last), nullptr});
    return;
  }
  const SharedObject known = store_.find(key);
  if (known && known->uid() == event.object.uid() &&
      known->resource_version() == event.object.resource_version()) {
    return;  // told of twice
  }
  const std::type_index made_as = type().type;
  SharedObject now = store_form(std::move(event.object));
  const std::lock_guard lock(mutex_);
  now = of_type(std::move(now), made_as);
  SharedObject before = store_.put(now);
  if (!before) metrics_.objects.add(1);
  deliveries_.push({std::move(before), std::move(now)});
}

}  // namespace fairway::kube
