#include <algorithm>
#include <stdexcept>

#include "kube/informer/informer.h"

namespace fairway::kube {

Informers::Informers(std::shared_ptr<Client> client, InformersOptions options)
    : client_(std::move(client)), options_(std::move(options)) {}

Informers::~Informers() {
  stop();
}

std::shared_ptr<InformerEngine> Informers::engine(const k8s::GroupVersionResource& resource,
                                                  const InformerOptions& options, ObjectType type) {
  if (options.transform.apply && options.transform.name.empty()) {
    throw std::logic_error("the transform of an informer of " + resource.to_string() +
                           " needs a name: without one, others who want whole objects would share it");
  }
  Known wanted{resource,
               options.namespace_name,
               options.labels.to_string(),
               options.fields.to_string(),
               options.transform.name,
               options.managed_fields,
               options.if_served,
               nullptr};
  const auto same = [&wanted](const Known& known) {
    return known.resource == wanted.resource && known.namespace_name == wanted.namespace_name &&
           known.labels == wanted.labels && known.fields == wanted.fields &&
           known.transform == wanted.transform && known.managed_fields == wanted.managed_fields &&
           known.if_served == wanted.if_served;
  };
  const std::lock_guard lock(mutex_);
  for (const Known& known : known_) {
    if (same(known) && known.engine->make_as(type)) return known.engine;
  }
  EngineOptions engine_options;
  engine_options.reflector = {.resource = resource,
                              .namespace_name = options.namespace_name,
                              .labels = options.labels,
                              .fields = options.fields,
                              .streaming_list = options_.streaming_list,
                              .if_served = options.if_served,
                              .timings = options_.timings,
                              .random = options_.random};
  engine_options.transform = options.transform;
  engine_options.managed_fields = options.managed_fields;
  engine_options.resync = options_.resync;
  engine_options.max_pending_events = options_.max_pending_events;
  engine_options.registry = options_.registry;
  wanted.engine = std::make_shared<InformerEngine>(client_, std::move(engine_options), type, signal_);
  if (stopped_) wanted.engine->request_stop();
  if (started_) wanted.engine->start();
  known_.push_back(wanted);
  return wanted.engine;
}

std::vector<std::shared_ptr<InformerEngine>> Informers::engines() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<InformerEngine>> result;
  result.reserve(known_.size());
  for (const Known& known : known_) result.push_back(known.engine);
  return result;
}

std::vector<std::shared_ptr<InformerEngine>> Informers::engines_of(
    const k8s::GroupVersionResource& resource) const {
  auto result = engines();
  std::erase_if(result, [&](const auto& engine) {
    return engine->resource().group != resource.group || engine->resource().resource != resource.resource;
  });
  return result;
}

void Informers::note_written(const k8s::GroupVersionResource& resource, const k8s::Dynamic& object) {
  for (const auto& engine : engines_of(resource)) engine->note_written(object);
}

void Informers::note_removed(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                             std::string_view uid) {
  for (const auto& engine : engines_of(resource)) engine->note_removed(key, uid);
}

void Informers::start() {
  const std::lock_guard lock(mutex_);
  started_ = true;
  for (const Known& known : known_) known.engine->start();
}

bool Informers::wait_for_sync(const Limits& limits) {
  const auto wanted = engines();
  std::unique_lock lock(signal_->mutex);
  return signal_->changed.wait(lock, client_->clock(), limits, [&] {
    return std::ranges::all_of(wanted, [](const auto& engine) { return engine->has_synced(); });
  });
}

std::vector<std::string> Informers::unsynced() const {
  std::vector<std::string> result;
  for (const auto& engine : engines()) {
    if (engine->has_synced()) continue;
    const auto problem = engine->problem();
    result.push_back(engine->resource().to_string() + ": " +
                     (problem ? problem->message : "the server has not answered yet"));
  }
  return result;
}

void Informers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  const auto all = engines();
  for (const auto& engine : all) engine->request_stop();
  for (const auto& engine : all) engine->join();
}

}  // namespace fairway::kube
