// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/controllers/garbage_collector.h"

#include <algorithm>
#include <utility>

#include "apiserver/internal/controllers/is_gone.h"
#include "apiserver/internal/objects/object_text.h"

namespace fairway::apiserver::controllers {
namespace {

constexpr std::string_view foreground = "foregroundDeletion", orphan = "orphan";

objects::WriteContext context() {
  return {.user = {.name = "system:serviceaccount:kube-system:generic-garbage-collector",
                   .groups = {std::string(access::masters_group)}}};
}

/// Returns whether an object may have a member. Most objects have neither owners nor finalizers: their text
/// says so without being parsed.
bool may_have(const storage::Record& record, std::string_view member) {
  return record.json().find(member) != std::string::npos;
}

/// Number of places that are handled before the changes of the meantime, and of objects that are deleted
/// together.
constexpr std::size_t places_at_once = 256;

bool blocks_any(const k8s::Dynamic& object) {
  const auto owners = object.owners();
  return std::ranges::any_of(owners, &k8s::OwnerReference::blocks_owner_deletion);
}

}  // namespace

void GarbageCollector::forget(const Place& place) {
  const auto found = owners_.find(place);
  if (found == owners_.end()) return;
  for (const std::string& uid : found->second) {
    const auto entry = dependents_.find(uid);
    if (entry == dependents_.end()) continue;
    entry->second.erase(place);
    if (entry->second.empty()) dependents_.erase(entry);
  }
  owners_.erase(found);
}

void GarbageCollector::observe(const Observed& observed) {
  const storage::Record& record = *observed.record;
  Place place{observed.resource, std::string(record.namespace_name()), std::string(record.name())};
  const auto had = owners_.find(place);
  const std::set<std::string> before = had != owners_.end() ? had->second : std::set<std::string>();
  forget(place);
  if (observed.deleted) {
    due_.erase(place);
    // Owners that wait for it go on.
    for (const std::string& uid : before) {
      if (const auto entry = waiting_.find(uid); entry != waiting_.end()) due_.insert(entry->second);
    }
    if (dependents_.empty() && waiting_.empty()) return;
    const k8s::Dynamic object = resources::parse(record);
    const std::string uid(object.uid());
    waiting_.erase(uid);
    const auto entry = dependents_.find(uid);
    if (entry != dependents_.end()) due_.insert(entry->second.begin(), entry->second.end());
    return;
  }
  const bool is_owned = may_have(record, "\"ownerReferences\""),
             is_marked = may_have(record, "\"foregroundDeletion\"") || may_have(record, "\"orphan\"");
  if (!is_owned && !is_marked && before.empty()) return;
  const k8s::Dynamic object = resources::parse(record);
  for (const k8s::OwnerReference& owner : object.owners()) {
    const std::string uid(owner.uid());
    dependents_[uid].insert(place);
    owners_[place].insert(uid);
  }
  for (const std::string& uid : before) {
    if (const auto entry = waiting_.find(uid); entry != waiting_.end()) due_.insert(entry->second);
  }
  const bool begins =
      object.is_being_deleted() && (object.has_finalizer(foreground) || object.has_finalizer(orphan));
  if (begins) waiting_[std::string(object.uid())] = place;
  if (begins || !object.owners().empty()) due_.insert(std::move(place));
}

void GarbageCollector::resync(const std::string& resource) {
  // Any of them may have lost an owner, or a dependent that it waits for.
  for (const auto& [place, uids] : owners_) due_.insert(place);
  for (const auto& [uid, place] : waiting_) due_.insert(place);
  const Place first{resource, "", ""};
  for (auto at = owners_.lower_bound(first); at != owners_.end() && at->first.resource == resource;
       at = owners_.lower_bound(first)) {
    forget(Place(at->first));
  }
  std::erase_if(waiting_, [&](const auto& entry) { return entry.second.resource == resource; });
}

WorkLeft GarbageCollector::work(const std::stop_token& stop) {
  for (std::size_t done = 0; done < places_at_once && !due_.empty() && !stop.stop_requested(); ++done) {
    const Place place = *due_.begin();
    due_.erase(due_.begin());
    if (!settle(place)) failed_.insert(place);
  }
  remove_all();
  due_.merge(later_);
  later_.clear();
  if (!due_.empty()) return WorkLeft::more;
  due_ = std::exchange(failed_, {});
  return due_.empty() ? WorkLeft::none : WorkLeft::failed;
}

void GarbageCollector::remove_all() {
  std::vector<objects::Objects::Removal> removals;
  removals.reserve(removals_.size());
  for (auto& [place, removal] : removals_) removals.push_back(std::move(removal));
  const auto done = objects_.remove_all(removals, context());
  for (std::size_t i = 0; i < done.size(); ++i) {
    // Of an object that has changed there will be news.
    if (!done[i] && !is_gone(done[i].error())) failed_.insert(removals_[i].first);
  }
  removals_.clear();
}

resources::ServedResourcePtr GarbageCollector::resource_of(const Place& place) const {
  resources::ServedResourcePtr found;
  for (const resources::ServedResourcePtr& resource : objects_.registry().all()) {
    if (resource->storage != place.resource) continue;
    if (resource->kind == resource->storage_kind) return resource;
    found = resource;
  }
  return found;
}

storage::ReadResult<std::optional<k8s::Dynamic>> GarbageCollector::read(const Place& place) {
  auto record = objects_.storage().get({place.resource, place.namespace_name, place.name});
  if (!record) return std::unexpected(std::move(record.error()));
  if (*record == nullptr) return std::nullopt;
  return resources::parse(**record);
}

bool GarbageCollector::settle(const Place& place) {
  const resources::ServedResourcePtr resource = resource_of(place);
  if (resource == nullptr) return true;
  const auto found = read(place);
  if (!found) return false;
  const std::optional<k8s::Dynamic>& object = *found;
  if (!object) return true;
  if (object->is_being_deleted() && object->has_finalizer(orphan))
    return settle_orphaning(place, *object, *resource);
  if (object->is_being_deleted() && object->has_finalizer(foreground)) {
    return settle_foreground(*object, *resource);
  }
  return settle_dependent(place, *object, resource);
}

std::optional<GarbageCollector::Ownership> GarbageCollector::ownership(const k8s::OwnerReference& owner,
                                                                       const k8s::Dynamic& dependent) {
  const auto group_version = k8s::GroupVersion::parse(owner.api_version());
  if (!group_version) return std::nullopt;
  const resources::ServedResourcePtr resource = objects_.registry().find_kind(
      {group_version->group, group_version->version, std::string(owner.kind())});
  if (resource == nullptr) return std::nullopt;
  // An owner is in the namespace of what it owns, or in none.
  if (resource->is_namespaced() && dependent.namespace_name().empty()) return std::nullopt;
  const auto there =
      read({resource->storage, resource->is_namespaced() ? std::string(dependent.namespace_name()) : "",
            std::string(owner.name())});
  if (!there) return Ownership::unreadable;
  const std::optional<k8s::Dynamic>& found = *there;
  if (!found || found->uid() != owner.uid()) return Ownership::absent;
  return found->is_being_deleted() && found->has_finalizer(foreground) ? Ownership::waits_for_dependents
                                                                       : Ownership::solid;
}

bool GarbageCollector::settle_dependent(const Place& place, const k8s::Dynamic& object,
                                        const resources::ServedResourcePtr& resource) {
  if (object.is_being_deleted()) return true;
  std::set<std::string> absent, waiting;
  bool solid = false;
  for (const k8s::OwnerReference& owner : object.owners()) {
    const auto found = ownership(owner, object);
    if (found == Ownership::unreadable) return false;
    // Not to know is no reason to delete.
    if (!found || *found == Ownership::solid) {
      solid = true;
    } else {
      (*found == Ownership::absent ? absent : waiting).insert(std::string(owner.uid()));
    }
  }
  if (absent.empty() && waiting.empty()) return true;
  if (solid) {
    absent.merge(waiting);
    return remove_owners(place, absent);
  }
  const bool has_dependents = dependents_.contains(std::string(object.uid()));
  if (!waiting.empty() && has_dependents) {
    const auto is_circle = owns_what_waits(object);
    if (!is_circle) return false;
    // A circle: this object waits for dependents that wait for it. It no longer blocks its owners; that is a
    // change, which leads here again.
    if (*is_circle && blocks_any(object)) return unblock_owners(object, *resource);
    return remove(place, object, resource, k8s::Propagation::foreground);
  }
  const k8s::Propagation propagation = object.has_finalizer(orphan)       ? k8s::Propagation::orphan
                                       : object.has_finalizer(foreground) ? k8s::Propagation::foreground
                                                                          : k8s::Propagation::background;
  return remove(place, object, resource, propagation);
}

std::optional<bool> GarbageCollector::owns_what_waits(const k8s::Dynamic& object) {
  const auto found = dependents_.find(std::string(object.uid()));
  if (found == dependents_.end()) return false;
  for (const Place& place : found->second) {
    const auto dependent = read(place);
    if (!dependent) return std::nullopt;
    const std::optional<k8s::Dynamic>& there = *dependent;
    if (there && there->is_being_deleted() && there->has_finalizer(foreground)) return true;
  }
  return false;
}

bool GarbageCollector::settle_foreground(const k8s::Dynamic& object,
                                         const resources::ServedResource& resource) {
  const auto found = dependents_.find(std::string(object.uid()));
  bool blocked = false;
  if (found != dependents_.end()) {
    for (const Place& place : found->second) {
      const auto read_dependent = read(place);
      if (!read_dependent) return false;
      const std::optional<k8s::Dynamic>& dependent = *read_dependent;
      // An object that owns itself does not wait for itself.
      if (!dependent || dependent->uid() == object.uid()) continue;
      const auto owners = dependent->owners();
      blocked |= std::ranges::any_of(owners, [&](const k8s::OwnerReference& owner) {
        return owner.uid() == object.uid() && owner.blocks_owner_deletion();
      });
      if (!dependent->is_being_deleted()) due_.insert(place);
    }
  }
  return blocked || remove_finalizer(object, resource, foreground);
}

bool GarbageCollector::settle_orphaning(const Place& place, const k8s::Dynamic& object,
                                        const resources::ServedResource& resource) {
  const std::string uid(object.uid());
  if (const auto found = dependents_.find(uid); found != dependents_.end()) {
    std::size_t released = 0;
    for (const Place& dependent : found->second) {
      if (++released > places_at_once) {
        // Dependents that are released no longer count when the owner is processed again.
        later_.insert(place);
        return true;
      }
      if (!remove_owners(dependent, {uid})) return false;
    }
  }
  return remove_finalizer(object, resource, orphan);
}

bool GarbageCollector::remove_finalizer(const k8s::Dynamic& object, const resources::ServedResource& resource,
                                        std::string_view finalizer) {
  const objects::Objects::UpdateRequest request{
      .key = object.key(), .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic changed = *current;
        changed.remove_finalizer(finalizer);
        return changed;
      }};
  const auto done = objects_.update(resource, request, context());
  return done || is_gone(done.error());
}

bool GarbageCollector::unblock_owners(const k8s::Dynamic& object, const resources::ServedResource& resource) {
  const objects::Objects::UpdateRequest request{
      .key = object.key(), .transform = [](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic changed = *current;
        for (k8s::Editor& owner : changed.edit_items("metadata.ownerReferences")) {
          if (owner.flag("blockOwnerDeletion")) owner.set("blockOwnerDeletion", json::Value(false));
        }
        return changed;
      }};
  const auto done = objects_.update(resource, request, context());
  return done || is_gone(done.error());
}

bool GarbageCollector::remove_owners(const Place& dependent, const std::set<std::string>& uids) {
  const resources::ServedResourcePtr resource = resource_of(dependent);
  if (resource == nullptr) return true;
  const objects::Objects::UpdateRequest request{
      .key = {dependent.namespace_name, dependent.name},
      .transform = [&](const k8s::Dynamic* current) -> k8s::StatusResult<k8s::Dynamic> {
        k8s::Dynamic changed = *current;
        json::Array kept;
        for (const k8s::OwnerReference& owner : current->owners()) {
          if (!uids.contains(std::string(owner.uid()))) kept.emplace_back(owner.json());
        }
        if (kept.empty()) {
          changed.erase("metadata.ownerReferences");
        } else {
          changed.set("metadata.ownerReferences", json::Value(std::move(kept)));
        }
        return changed;
      }};
  const auto done = objects_.update(*resource, request, context());
  return done || is_gone(done.error());
}

bool GarbageCollector::remove(const Place& place, const k8s::Dynamic& object,
                              const resources::ServedResourcePtr& resource, k8s::Propagation propagation) {
  removals_.emplace_back(
      place, objects::Objects::Removal{.resource = resource,
                                       .key = object.key(),
                                       .options = {.uid = std::string(object.uid()),
                                                   .resource_version = std::string(object.resource_version()),
                                                   .propagation = propagation}});
  return true;
}

}  // namespace fairway::apiserver::controllers
