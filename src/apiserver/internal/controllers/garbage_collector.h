// SPDX-License-Identifier: Apache-2.0

// Deletes what depends on objects that are gone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/internal/controllers/change_feed.h"
#include "apiserver/internal/objects/objects.h"

namespace fairway::apiserver::controllers {

/// Deletes objects by their owner references, as kube-controller-manager's garbage collector. An object is
/// deleted when all its owners are gone. An owner that is deleted in the foreground waits for the dependents
/// that block it. An owner that is deleted with orphaning is removed from its dependents' references. Used by
/// one thread.
class GarbageCollector {
 public:
  explicit GarbageCollector(objects::Objects& objects) : objects_(objects) {}

  void observe(const Observed& observed);
  /// Implements `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// Does some of the work that is due.
  WorkLeft work(const std::stop_token& stop);

 private:
  /// The place where an object is stored.
  struct Place {
    std::string resource, namespace_name, name;
    auto operator<=>(const Place&) const = default;
  };
  enum class Ownership { solid, absent, waits_for_dependents, unreadable };

  void forget(const Place& place);
  /// Handles a place. Returns false if that failed and has to be retried.
  bool settle(const Place& place);
  bool settle_dependent(const Place& place, const k8s::Dynamic& object,
                        const resources::ServedResourcePtr& resource);
  bool settle_foreground(const k8s::Dynamic& object, const resources::ServedResource& resource);
  bool settle_orphaning(const Place& place, const k8s::Dynamic& object,
                        const resources::ServedResource& resource);
  /// Returns the state of an owner; std::nullopt: it is unknown, as its kind is not served.
  std::optional<Ownership> ownership(const k8s::OwnerReference& owner, const k8s::Dynamic& dependent);
  /// Reads an object; std::nullopt: it does not exist. Only that is a reason to delete its dependents, an
  /// error is not.
  storage::ReadResult<std::optional<k8s::Dynamic>> read(const Place& place);
  /// Returns whether a dependent of `object` waits for its own dependents, of which `object` may be one.
  /// std::nullopt: it could not be read.
  std::optional<bool> owns_what_waits(const k8s::Dynamic& object);
  resources::ServedResourcePtr resource_of(const Place& place) const;
  bool remove_finalizer(const k8s::Dynamic& object, const resources::ServedResource& resource,
                        std::string_view finalizer);
  /// Removes the references to these owners.
  bool remove_owners(const Place& dependent, const std::set<std::string>& uids);
  /// Changes the object so that its owners no longer wait for it.
  bool unblock_owners(const k8s::Dynamic& object, const resources::ServedResource& resource);
  /// Removes an object with the next `remove_all`.
  bool remove(const Place& place, const k8s::Dynamic& object, const resources::ServedResourcePtr& resource,
              k8s::Propagation propagation);
  void remove_all();

  objects::Objects& objects_;
  /// Dependents by the owner's uid.
  std::map<std::string, std::set<Place>> dependents_;
  /// The uids of an object's owners.
  std::map<Place, std::set<std::string>> owners_;
  /// Owners that wait for their dependents, by uid.
  std::map<std::string, Place> waiting_;
  /// Places to handle now, at the end of this `work`, and soon.
  std::set<Place> due_, later_, failed_;
  std::vector<std::pair<Place, objects::Objects::Removal>> removals_;
};

}  // namespace fairway::apiserver::controllers
