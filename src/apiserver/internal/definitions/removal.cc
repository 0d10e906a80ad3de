// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/definitions/removal.h"

#include <utility>
#include <vector>

#include "apiserver/internal/definitions/own_context.h"
#include "apiserver/internal/objects/object_text.h"

namespace fairway::apiserver::definitions {

namespace {

/// Number of objects in a batch. Those without finalizers are deleted in one transaction.
constexpr std::size_t objects_at_once = 256;

resources::ServedResource resource_of(const k8s::CustomResourceDefinition& definition) {
  resources::ServedResource resource;
  resource.kind = {std::string(definition.group()), "", std::string(definition.defined_kind())};
  resource.plural = definition.plural();
  resource.scope = definition.scope();
  resource.storage = storage_of(definition);
  resource.is_custom = true;
  return resource;
}

}  // namespace

std::string storage_of(const k8s::CustomResourceDefinition& definition) {
  return std::string(definition.group()) + "/" + std::string(definition.plural());
}

Removal::Removal(objects::Objects& objects, const k8s::CustomResourceDefinition& definition)
    : objects_(objects), resource_(resource_of(definition)) {}

Removal::~Removal() {
  if (watch_ != nullptr) watch_->on_ready({});
}

Removal::Step Removal::step(const std::stop_token& stop, const std::function<void()>& wake) {
  return marked_ ? look(wake) : mark_some(stop);
}

/// Removes an object as a client's DELETE does. Returns false if the storage failed.
bool Removal::remove(const storage::Record& record) {
  const k8s::Dynamic object = resources::parse(record);
  if (object.is_being_deleted() && !object.finalizers().empty()) return true;
  resources::ServedResource resource = resource_;
  resource.kind.version = object.group_version_kind().version;
  resource.storage_kind = resource.kind;
  const k8s::Key key{std::string(record.namespace_name()), std::string(record.name())};
  const auto removed = objects_.remove(resource, key, {}, own_context());
  return removed || removed.error().is_failure(k8s::reason::not_found);
}

Removal::Step Removal::mark_some(const std::stop_token& stop) {
  storage::Storage& storage = objects_.storage();
  const auto list = storage.list({.resource = resource_.storage, .after = after_, .limit = objects_at_once});
  if (!list) return Step::failed;
  std::vector<storage::RecordPtr> free;
  for (const storage::RecordPtr& record : list->records) {
    if (record->json().find("\"finalizers\"") == std::string::npos) {
      free.push_back(record);
      continue;
    }
    if (stop.stop_requested()) return Step::more;
    if (!remove(*record)) return Step::failed;
  }
  std::vector<storage::Change> changes;
  for (const storage::RecordPtr& record : free) {
    storage::Key key{resource_.storage, std::string(record->namespace_name()), std::string(record->name())};
    changes.push_back({std::move(key), storage::Precondition::at(record->revision()), std::nullopt});
  }
  if (!changes.empty()) {
    const auto written = storage.write(std::move(changes));
    if (!written) return Step::failed;
    if (!written->conflict) free.clear();
  }
  // Where somebody has changed one of them.
  for (const storage::RecordPtr& record : free) {
    if (stop.stop_requested()) return Step::more;
    if (!remove(*record)) return Step::failed;
  }
  if (!list->records.empty()) after_ = list->records.back()->path();
  marked_ = list->remaining == 0;
  return Step::more;
}

Removal::Step Removal::look(const std::function<void()>& wake) {
  storage::Storage& storage = objects_.storage();
  if (watch_ == nullptr) {
    auto watch = storage.watch({.resource = resource_.storage, .from = storage.revision()});
    if (!watch) return Step::failed;
    watch_ = *std::move(watch);
  }
  // Skips the changes so far: only later ones shall wake it.
  while (true) {
    const bool may_have_more = watch_->may_block();
    const storage::WatchBatch batch = watch_->poll();
    if (batch.end) {
      // It was overtaken: what it has missed is seen in the list.
      watch_.reset();
      return Step::more;
    }
    if (batch.events.empty() && !may_have_more) break;
  }
  const auto left = storage.list({.resource = resource_.storage, .limit = 1});
  if (!left) return Step::failed;
  if (left->records.empty()) return Step::empty;
  watch_->on_ready(wake);
  return Step::waiting;
}

}  // namespace fairway::apiserver::definitions
