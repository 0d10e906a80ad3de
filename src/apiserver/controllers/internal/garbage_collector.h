// Deletes what depends on objects that are gone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apiserver/controllers/internal/change_feed.h"
#include "apiserver/objects/internal/objects.h"

namespace fairway::apiserver {

/// By owner references, as kube-controller-manager's garbage collector: an object goes when all its owners
/// are gone; an owner that is deleted in the foreground waits for those that block it; one that is orphaned
/// leaves them without it. Used by one thread.
class GarbageCollector {
 public:
  explicit GarbageCollector(Objects& objects) : objects_(objects) {}

  void observe(const Observed& observed);
  /// Does what has become due; whether some of it failed, and has to be tried again.
  bool work();

 private:
  /// An object, wherever it is stored.
  struct Place {
    std::string resource, namespace_name, name;
    auto operator<=>(const Place&) const = default;
  };
  enum class Ownership { solid, absent, waits_for_dependents };

  void forget(const Place& place);
  bool settle(const Place& place);
  bool settle_dependent(const Place& place, const k8s::Dynamic& object, const ServedResource& resource);
  bool settle_foreground(const k8s::Dynamic& object, const ServedResource& resource);
  bool settle_orphaning(const k8s::Dynamic& object, const ServedResource& resource);
  /// std::nullopt: its kind is not served, so that nobody knows.
  std::optional<Ownership> ownership(const k8s::OwnerReference& owner, const k8s::Dynamic& dependent);
  std::optional<k8s::Dynamic> read(const Place& place);
  ServedResourcePtr resource_of(const Place& place) const;
  bool remove_finalizer(const k8s::Dynamic& object, const ServedResource& resource,
                        std::string_view finalizer);
  /// Removes the references to these owners.
  bool remove_owners(const Place& dependent, const std::set<std::string>& uids);
  bool remove(const k8s::Dynamic& object, const ServedResource& resource, k8s::Propagation propagation);

  Objects& objects_;
  /// By the owner's uid.
  std::map<std::string, std::set<Place>> dependents_;
  /// The uids of an object's owners.
  std::map<Place, std::set<std::string>> owners_;
  /// Owners that wait for their dependents, by uid.
  std::map<std::string, Place> waiting_;
  std::set<Place> due_;
};

}  // namespace fairway::apiserver
