// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/definitions.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "apiserver/internal/definitions/approval.h"
#include "apiserver/internal/definitions/custom_strategy.h"
#include "apiserver/internal/definitions/definition_strategy.h"
#include "apiserver/internal/definitions/names.h"
#include "apiserver/internal/definitions/own_context.h"
#include "apiserver/internal/kinds/resources.h"
#include "apiserver/internal/objects/object_text.h"
#include "apiserver/internal/objects/status_condition.h"
#include "base/backoff.h"
#include "base/log.h"

namespace fairway::apiserver::definitions {

namespace {

const k8s::GroupVersionResource definitions_resource{"apiextensions.k8s.io", "v1",
                                                     "customresourcedefinitions"};
/// Time until writes that the storage refused are retried.
constexpr BackoffSchedule retries{.first = std::chrono::milliseconds(200),
                                  .longest = std::chrono::seconds(10)};

/// Returns the part of a definition that its registered resources are made from: while it does not change,
/// they stay.
json::Value served_part(const k8s::CustomResourceDefinition& definition) {
  const auto part = [&view = static_cast<const k8s::View&>(definition)](std::string_view path) {
    const json::Value* value = view.find(path);
    return value == nullptr ? json::Value() : *value;
  };
  return json::Array{part("spec.versions"), part("spec.scope"), part("spec.conversion"),
                     part("status.acceptedNames")};
}

/// Returns whether a group is built in. Its paths are then the server's own, in all versions, and so are the
/// objects stored under it.
bool is_built_in(std::string_view group) {
  return std::ranges::any_of(kinds::built_in_resources(),
                             [&](const kinds::BuiltInResource& known) { return known.kind.group == group; });
}

}  // namespace

Definitions::Definitions(objects::Objects& objects, resources::ResourceRegistry& registry)
    : objects_(objects), registry_(registry), resource_(registry.find(definitions_resource)) {}

Definitions::~Definitions() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  if (watch_ != nullptr) watch_->on_ready({});
  removals_.clear();
}

Result<void> Definitions::start() {
  if (auto listed = list_and_watch(); !listed) return listed;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  return {};
}

bool Definitions::wait_until_current(const std::stop_token& stop) {
  const storage::Revision wanted = objects_.storage().revision();
  // Writes of other resources wake nobody: the thread looks how far its watch is.
  wake();
  std::unique_lock lock(mutex_);
  return changed_.wait(lock, objects_.clock(), {.stop = stop},
                       [&] { return current_ >= wanted && settled_; });
}

void Definitions::wake() {
  {
    const std::lock_guard lock(mutex_);
    awake_ = true;
  }
  changed_.notify_all();
}

void Definitions::run(const std::stop_token& stop) {
  Clock& clock = objects_.clock();
  Backoff pauses(retries, clock);
  while (!stop.stop_requested()) {
    {
      const std::lock_guard lock(mutex_);
      awake_ = false;
    }
    bool failed = !follow();
    failed |= !reconcile_due();
    bool more = false;
    std::vector<std::string> names;
    for (const auto& [name, removal] : removals_) names.push_back(name);
    for (const std::string& name : names) {
      if (stop.stop_requested()) return;
      const Removal::Step step = remove_objects(name, stop);
      failed |= step == Removal::Step::failed;
      more |= step == Removal::Step::more;
    }
    publish(0);
    if (more) continue;
    Limits limits{.stop = stop};
    if (failed) {
      limits = Limits::within(clock, pauses.next(), stop);
    } else {
      pauses.reset();
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, clock, limits, [&] { return awake_; });
  }
}

/// Reads all stored definitions, and watches from there.
Result<void> Definitions::list_and_watch() {
  auto list = objects_.storage().list({.resource = resource_->storage});
  if (!list) return fail(list.error().error.within("reading the CustomResourceDefinitions"));
  std::map<std::string, k8s::Dynamic> stored;
  for (const storage::RecordPtr& record : list->records)
    stored.emplace(record->name(), resources::parse(*record));
  std::vector<std::string> gone;
  for (const auto& [name, definition] : known_) {
    if (!stored.contains(name)) gone.push_back(name);
  }
  for (const std::string& name : gone) withdraw(name);
  // All stored definitions must be known before the first is reconciled, so that nobody is given a name that
  // another one has.
  for (const auto& [name, definition] : stored) {
    const auto known = known_.find(name);
    if (known != known_.end() && known->second.uid() != definition.uid()) withdraw(name);
    known_.insert_or_assign(name, definition);
  }
  for (const auto& [name, definition] : stored) reconcile(definition);
  auto watch = objects_.storage().watch({.resource = resource_->storage, .from = list->revision});
  if (!watch) return fail(watch.error().error.within("watching the CustomResourceDefinitions"));
  watch_ = std::move(*watch);
  return {};
}

/// Handles all changes of definitions so far. Returns false if they cannot be read now.
bool Definitions::follow() {
  while (true) {
    if (watch_ == nullptr) {
      if (auto listed = list_and_watch(); !listed) {
        if (!std::exchange(is_reported_, true)) {
          log::error("CustomResourceDefinitions cannot be followed", {{"why", listed.error().message}});
        }
        return false;
      }
      is_reported_ = false;
    }
    const bool may_have_more = watch_->may_block();
    const storage::WatchBatch batch = watch_->poll();
    for (const storage::EventPtr& event : batch.events) handle(*event);
    if (batch.end) {
      watch_->on_ready({});
      watch_.reset();
      continue;
    }
    publish(batch.revision);
    if (batch.events.empty() && !may_have_more) break;
  }
  watch_->on_ready([this] { wake(); });
  return true;
}

/// Publishes the revision up to which changes are handled, to those who wait for it.
void Definitions::publish(storage::Revision revision) {
  {
    const std::lock_guard lock(mutex_);
    current_ = std::max(current_, revision);
    settled_ = std::ranges::all_of(removals_, [](const auto& entry) { return entry.second->is_marked(); });
  }
  changed_.notify_all();
}

void Definitions::handle(const storage::Event& event) {
  if (event.type == storage::EventType::deleted) {
    withdraw(std::string(event.record->name()));
    // A name that it had is free now.
    const auto others = known_;
    for (const auto& [name, definition] : others) give_names(definition);
  } else {
    reconcile(resources::parse(*event.record));
  }
}

void Definitions::reconcile(const k8s::Dynamic& document) {
  const std::string name(document.name());
  known_.insert_or_assign(name, document);
  if (document.is_being_deleted()) {
    const k8s::CustomResourceDefinition definition(document.json());
    // It is still served: clients whose finalizers hold objects must reach these.
    serve(definition);
    begin_removal(definition);
    return;
  }
  give_names(document);
  serve(k8s::CustomResourceDefinition(known_.at(name).json()));
}

/// Handles what could not be written before. Returns false if the storage fails again.
bool Definitions::reconcile_due() {
  for (const std::string& name : std::exchange(due_, {})) {
    if (const auto known = known_.find(name); known != known_.end()) reconcile(k8s::Dynamic(known->second));
  }
  return due_.empty();
}

/// Writes the names and conditions of a definition if they have changed.
void Definitions::give_names(const k8s::Dynamic& document) {
  if (document.is_being_deleted()) return;
  const std::string group(document.text("spec.group"));
  std::vector<const json::Object*> others;
  for (const auto& [name, other] : known_) {
    if (name != document.name() && other.text("spec.group") == group) others.push_back(&other.json());
  }
  const auto give = [&](k8s::Dynamic& definition) {
    const bool names = accept_names(definition.json(), others, objects_.clock().now());
    const bool approval = set_approval_condition(definition.json(), objects_.clock().now());
    return names || approval;
  };
  k8s::Dynamic wanted = document;
  if (!give(wanted)) return;
  // Who sees it established finds it.
  serve(k8s::CustomResourceDefinition(wanted.json()));
  if (!write_status(document, give)) due_.insert(std::string(document.name()));
}

/// Changes the status of a stored definition, and its finalizers. Returns false if it could not be written.
bool Definitions::write_status(const k8s::Dynamic& definition,
                               const std::function<void(k8s::Dynamic& definition)>& change) {
  const std::string name(definition.name()), uid(definition.uid());
  const objects::Objects::UpdateRequest request{
      .key = {"", name},
      .part = resources::Part::status,
      .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic next = *current;
        // Another one may have its name by now.
        if (next.uid() == uid) change(next);
        return next;
      }};
  const auto written = objects_.update(*resource_, request, own_context());
  if (!written) {
    if (written.error().is_failure(k8s::reason::not_found)) return true;
    log::warning("the status of a CustomResourceDefinition could not be written",
                 {{"name", name}, {"why", std::string(written.error().message())}});
    return false;
  }
  auto parsed = k8s::Dynamic::parse(*written->text);
  if (parsed && parsed->uid() == uid) known_.insert_or_assign(name, std::move(*parsed));
  return true;
}

void Definitions::serve(const k8s::CustomResourceDefinition& definition) {
  if (!definition.is_established() || is_built_in(definition.group())) return;
  const std::string name(definition.name());
  json::Value part = served_part(definition);
  Served& served = served_[name];
  if (served.part == part) return;
  const bool is_change = !served.resources.empty();
  std::stop_source before = std::exchange(served.retired, std::stop_source());
  std::vector<k8s::GroupVersionResource> now;
  for (resources::ServedResource& resource : resources_of(definition, objects_)) {
    resource.retired = served.retired.get_token();
    resource.creation_gate = served.gate;
    const k8s::GroupVersionResource key = resource.group_version_resource();
    if (registry_.put(std::move(resource))) now.push_back(key);
  }
  for (const k8s::GroupVersionResource& resource : served.resources) {
    if (std::ranges::find(now, resource) == now.end()) registry_.remove(resource);
  }
  served.part = std::move(part);
  served.resources = std::move(now);
  before.request_stop();
  // Values that were computed from the objects by the old definition must no longer be used.
  if (!is_change) return;
  [[maybe_unused]] const auto invalidated = objects_.storage().invalidate(storage_of(definition));
}

void Definitions::withdraw(const std::string& name) {
  known_.erase(name);
  removals_.erase(name);
  const auto served = served_.find(name);
  if (served == served_.end()) return;
  for (const k8s::GroupVersionResource& resource : served->second.resources) registry_.remove(resource);
  served->second.gate->close();
  served->second.retired.request_stop();
  served_.erase(served);
}

void Definitions::begin_removal(const k8s::CustomResourceDefinition& definition) {
  const std::string name(definition.name());
  if (const auto served = served_.find(name); served != served_.end()) served->second.gate->close();
  if (!definition.has_finalizer(cleanup_finalizer)) {
    removals_.erase(name);
  } else if (!removals_.contains(name)) {
    removals_.emplace(name, std::make_unique<Removal>(objects_, definition));
  }
}

/// Deletes some of the objects of a definition that is being deleted, and releases it after the last one.
Removal::Step Definitions::remove_objects(const std::string& name, const std::stop_token& stop) {
  const k8s::CustomResourceDefinition definition(known_.at(name).json());
  Removal::Step step = Removal::Step::empty;
  if (!is_built_in(definition.group())) {
    if (!definition.condition_is_true("Terminating") && !write_status(definition, [&](k8s::Dynamic& next) {
          objects::set_status_condition(next, "Terminating", true, "InstanceDeletionInProgress",
                                        "CustomResource deletion is in progress", objects_.clock().now());
        })) {
      return Removal::Step::failed;
    }
    step = removals_.at(name)->step(stop, [this] { wake(); });
  }
  if (step != Removal::Step::empty) return step;
  if (!release(name)) return Removal::Step::failed;
  removals_.erase(name);
  return step;
}

/// Removes the server's finalizer from the definition. Returns false if it could not be written.
bool Definitions::release(const std::string& name) {
  const k8s::CustomResourceDefinition definition(known_.at(name).json());
  std::string_view reason = "InstanceDeletionCompleted", message = "removed all instances";
  if (is_built_in(definition.group())) {
    reason = "OverlappingBuiltInResource";
    message = "instances overlap with built-in resources in storage";
  } else if (!definition.is_established()) {
    reason = "NeverEstablished";
    message = "resource was never established";
  }
  return write_status(definition, [&](k8s::Dynamic& next) {
    next.remove_finalizer(cleanup_finalizer);
    objects::set_status_condition(next, "Terminating", false, reason, message, objects_.clock().now());
  });
}

}  // namespace fairway::apiserver::definitions
