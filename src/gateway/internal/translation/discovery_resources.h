// A translation as the resources that Envoys are served, and what each port of a Gateway needs of them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "gateway/internal/translation/translate.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// The resources of the last time: what says the same is the same, and costs nothing further.
class ResourceCache {
 public:
  /// Names of resources in another.
  struct Named {
    std::set<std::string> clusters, secrets;
  };

  /// The one that was known by this name, if it says what this one says.
  xds::Resource same(const xds::ResourceName& name, xds::Resource made);
  /// What the one that is known by this name refers to.
  const Named& named(const xds::ResourceName& name);
  /// Forgets those that have not been asked for since the last call.
  void forget_others();

 private:
  struct Known {
    xds::Resource resource;
    /// Once it has been looked for.
    std::optional<Named> named;
    bool is_used = false;
  };
  std::map<xds::ResourceName, Known> known_;
};

struct DiscoveryResources {
  xds::Resources resources = {};
  /// By the name of a listener: all that has to be served for it. Clusters that are never there are not in
  /// it.
  std::map<std::string, std::set<xds::ResourceName>> needs = {};
};

/// Endpoints become resources of their own, so that they change without their clusters, and large
/// RouteConfigurations become shards (shards.h). Connections that were there before a table became shards, or
/// one again, go on with what it was until they end: `asked_for`, the names of RouteConfigurations that
/// Envoys ask for, are served so, too.
DiscoveryResources discovery_resources(Translation translation, const std::set<std::string>& asked_for,
                                       ResourceCache& known);

}  // namespace fairway::gateway
