#include "apiserver/definitions/internal/definitions.h"

#include <algorithm>
#include <utility>

#include "apiserver/definitions/internal/custom_strategy.h"
#include "apiserver/definitions/internal/definition_strategy.h"
#include "apiserver/definitions/internal/names.h"
#include "apiserver/objects/internal/object_text.h"
#include "base/log.h"

namespace fairway::apiserver::definitions {

namespace {

const k8s::GroupVersionResource definitions_resource{"apiextensions.k8s.io", "v1",
                                                     "customresourcedefinitions"};

WriteContext own_context() {
  return {.user = {.name = "system:apiserver", .groups = {std::string(access::masters_group)}},
          .field_manager = "kube-apiserver"};
}

/// What the registered resources are made of: if it is the same, they stay.
json::Value served_part(const k8s::CustomResourceDefinition& definition) {
  const auto part = [&view = static_cast<const k8s::View&>(definition)](std::string_view path) {
    const json::Value* value = view.find(path);
    return value == nullptr ? json::Value() : *value;
  };
  return json::Array{part("spec.versions"), part("spec.scope"), part("spec.conversion"),
                     part("status.acceptedNames")};
}

}  // namespace

Definitions::Definitions(Objects& objects, ResourceRegistry& registry)
    : objects_(objects), registry_(registry), resource_(registry.find(definitions_resource)) {}

Definitions::~Definitions() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  if (watch_ != nullptr) watch_->on_ready({});
  for (const auto& [name, watch] : terminating_) watch->on_ready({});
}

Result<void> Definitions::start() {
  if (auto listed = list_and_watch(); !listed) return listed;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  return {};
}

bool Definitions::wait_until_current(const std::stop_token& stop) {
  const storage::Revision wanted = objects_.storage().revision();
  std::unique_lock lock(mutex_);
  return changed_.wait(lock, stop, [&] { return current_ >= wanted; });
}

void Definitions::wake() {
  {
    const std::lock_guard lock(mutex_);
    awake_ = true;
  }
  changed_.notify_all();
}

void Definitions::run(const std::stop_token& stop) {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [&] { return awake_; })) return;
      awake_ = false;
    }
    follow();
    std::vector<std::string> names;
    for (const auto& [name, watch] : terminating_) names.push_back(name);
    for (const std::string& name : names) remove_objects(name);
  }
}

/// Takes everything that is stored into account, and watches from there.
Result<void> Definitions::list_and_watch() {
  auto list = objects_.storage().list({.resource = resource_->storage});
  if (!list) return fail(list.error().error.within("reading the CustomResourceDefinitions"));
  std::map<std::string, k8s::Dynamic> stored;
  for (const storage::RecordPtr& record : list->records) stored.emplace(record->name(), parse(*record));
  std::vector<std::string> gone;
  for (const auto& [name, definition] : known_) {
    if (!stored.contains(name)) gone.push_back(name);
  }
  for (const std::string& name : gone) withdraw(name);
  // Those that have their names first, so that nobody else is given one of them.
  for (const auto& [name, definition] : stored) known_.insert_or_assign(name, definition);
  for (const auto& [name, definition] : stored) reconcile(definition);
  auto watch = objects_.storage().watch({.resource = resource_->storage, .from = list->revision});
  if (!watch) return fail(watch.error().error.within("watching the CustomResourceDefinitions"));
  watch_ = std::move(*watch);
  return {};
}

/// All changes of definitions that have come.
void Definitions::follow() {
  while (true) {
    storage::WatchBatch batch = watch_->poll();
    for (const storage::EventPtr& event : batch.events) handle(*event);
    if (batch.end == storage::WatchEnd::closed) return;
    if (batch.end) {
      if (auto listed = list_and_watch(); !listed) {
        log::error("CustomResourceDefinitions are no longer followed", {{"why", listed.error().message}});
        return;
      }
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      current_ = std::max(current_, batch.revision);
    }
    changed_.notify_all();
    if (batch.events.empty()) break;
  }
  watch_->on_ready([this] { wake(); });
}

void Definitions::handle(const storage::Event& event) {
  if (event.type == storage::EventType::deleted) {
    withdraw(std::string(event.record->name()));
    // A name that it had is free now.
    const auto others = known_;
    for (const auto& [name, definition] : others) give_names(definition);
  } else {
    reconcile(parse(*event.record));
  }
}

void Definitions::reconcile(const k8s::Dynamic& document) {
  const k8s::CustomResourceDefinition definition(document.json());
  known_.insert_or_assign(std::string(definition.name()), document);
  if (definition.is_being_deleted()) {
    remove_objects(std::string(definition.name()));
    return;
  }
  give_names(document);
  const k8s::Dynamic& now = known_.at(std::string(definition.name()));
  serve(k8s::CustomResourceDefinition(now.json()));
}

/// Writes the names and conditions, where they are others than before.
void Definitions::give_names(const k8s::Dynamic& document) {
  const std::string group(document.text("spec.group"));
  std::vector<const json::Object*> others;
  for (const auto& [name, other] : known_) {
    if (name != document.name() && other.text("spec.group") == group) others.push_back(&other.json());
  }
  k8s::Dynamic wanted = document;
  if (!accept_names(wanted.json(), others, objects_.clock().now())) return;
  const Objects::UpdateRequest request{
      .key = document.key(),
      .part = Part::status,
      .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic next = *current;
        accept_names(next.json(), others, objects_.clock().now());
        return next;
      }};
  const auto written = objects_.update(*resource_, request, own_context());
  if (!written) {
    if (!written.error().is_failure(k8s::reason::not_found)) {
      log::warning("the names of a CustomResourceDefinition could not be written",
                   {{"name", std::string(document.name())}, {"why", std::string(written.error().message())}});
    }
    return;
  }
  if (auto parsed = k8s::Dynamic::parse(*written->text)) {
    known_.insert_or_assign(std::string(document.name()), std::move(*parsed));
  }
}

void Definitions::serve(const k8s::CustomResourceDefinition& definition) {
  if (!definition.is_established()) return;
  const std::string name(definition.name());
  json::Value part = served_part(definition);
  Served& served = served_[name];
  if (served.part == part) return;
  std::vector<k8s::GroupVersionResource> now;
  for (ServedResource& resource : resources_of(definition)) {
    now.push_back(resource.group_version_resource());
    registry_.put(std::move(resource));
  }
  for (const k8s::GroupVersionResource& resource : served.resources) {
    if (std::ranges::find(now, resource) == now.end()) registry_.remove(resource);
  }
  served = {.part = std::move(part), .resources = std::move(now)};
}

void Definitions::withdraw(const std::string& name) {
  known_.erase(name);
  const auto served = served_.find(name);
  if (served == served_.end()) return;
  for (const k8s::GroupVersionResource& resource : served->second.resources) registry_.remove(resource);
  served_.erase(served);
}

/// Deletes the objects of a definition that is being deleted. Finalizers may hold them: once none is left,
/// the definition goes, and until then this is called after each change of them.
void Definitions::remove_objects(const std::string& name) {
  const auto known = known_.find(name);
  if (known == known_.end() || !known->second.has_finalizer(cleanup_finalizer)) {
    terminating_.erase(name);
    return;
  }
  const auto served = served_.find(name);
  const ServedResourcePtr resource = served == served_.end() || served->second.resources.empty()
                                         ? nullptr
                                         : registry_.find(served->second.resources.front());
  if (resource != nullptr) {
    auto list = objects_.storage().list({.resource = resource->storage});
    if (!list) return;
    if (!terminating_.contains(name)) {
      auto watch = objects_.storage().watch({.resource = resource->storage, .from = list->revision});
      if (!watch) return;
      terminating_.emplace(name, std::move(*watch));
    }
    storage::Watch& watch = *terminating_.at(name);
    while (!list->records.empty()) {
      for (const storage::RecordPtr& record : list->records) {
        const k8s::Key key{std::string(record->namespace_name()), std::string(record->name())};
        static_cast<void>(objects_.remove(*resource, key, {}, own_context()));
      }
      // What a removal has changed comes back as an event; what is left waits for a finalizer of its own.
      bool anything = false;
      for (storage::WatchBatch batch = watch.poll(); !batch.events.empty(); batch = watch.poll())
        anything = true;
      if (!anything) {
        watch.on_ready([this] { wake(); });
        return;
      }
      list = objects_.storage().list({.resource = resource->storage});
      if (!list) return;
    }
  }
  terminating_.erase(name);
  const Objects::UpdateRequest request{
      .key = known->second.key(),
      .transform = [](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic next = *current;
        next.remove_finalizer(cleanup_finalizer);
        return next;
      }};
  if (const auto written = objects_.update(*resource_, request, own_context()); !written) {
    log::warning("a CustomResourceDefinition could not be let go",
                 {{"name", name}, {"why", std::string(written.error().message())}});
  }
}

}  // namespace fairway::apiserver::definitions
