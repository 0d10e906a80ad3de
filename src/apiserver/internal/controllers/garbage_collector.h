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

namespace fairway::apiserver {

/// By owner references, as kube-controller-manager's garbage collector: an object goes when all its owners
/// are gone; an owner that is deleted in the foreground waits for those that block it; one that is orphaned
/// leaves them without it. Used by one thread.
class GarbageCollector {
 public:
  explicit GarbageCollector(Objects& objects) : objects_(objects) {}

  void observe(const Observed& observed);
  /// As `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// Does some of what has become due.
  WorkLeft work(const std::stop_token& stop);

 private:
  /// An object, wherever it is stored.
  struct Place {
    std::string resource, namespace_name, name;
    auto operator<=>(const Place&) const = default;
  };
  enum class Ownership { solid, absent, waits_for_dependents, unreadable };

  void forget(const Place& place);
  /// False: it could not be done, and has to be tried again.
  bool settle(const Place& place);
  bool settle_dependent(const Place& place, const k8s::Dynamic& object, const ServedResourcePtr& resource);
  bool settle_foreground(const k8s::Dynamic& object, const ServedResource& resource);
  bool settle_orphaning(const Place& place, const k8s::Dynamic& object, const ServedResource& resource);
  /// std::nullopt: its kind is not served, so that nobody knows.
  std::optional<Ownership> ownership(const k8s::OwnerReference& owner, const k8s::Dynamic& dependent);
  /// std::nullopt: it is not there. Only that is a reason to delete what it owns; an error is none.
  storage::ReadResult<std::optional<k8s::Dynamic>> read(const Place& place);
  /// Whether a dependent waits for its own dependents, of which this is perhaps one. std::nullopt: it could
  /// not be read.
  std::optional<bool> owns_what_waits(const k8s::Dynamic& object);
  ServedResourcePtr resource_of(const Place& place) const;
  bool remove_finalizer(const k8s::Dynamic& object, const ServedResource& resource,
                        std::string_view finalizer);
  /// Removes the references to these owners.
  bool remove_owners(const Place& dependent, const std::set<std::string>& uids);
  /// Its owners no longer wait for it.
  bool unblock_owners(const k8s::Dynamic& object, const ServedResource& resource);
  /// With the next `remove_all`.
  bool remove(const Place& place, const k8s::Dynamic& object, const ServedResourcePtr& resource,
              k8s::Propagation propagation);
  void remove_all();

  Objects& objects_;
  /// By the owner's uid.
  std::map<std::string, std::set<Place>> dependents_;
  /// The uids of an object's owners.
  std::map<Place, std::set<std::string>> owners_;
  /// Owners that wait for their dependents, by uid.
  std::map<std::string, Place> waiting_;
  /// To look at now; at the end of this `work`; soon.
  std::set<Place> due_, later_, failed_;
  std::vector<std::pair<Place, Objects::Removal>> removals_;
};

}  // namespace fairway::apiserver
