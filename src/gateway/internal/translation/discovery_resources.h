// SPDX-License-Identifier: Apache-2.0

// A translation as the resources that Envoys are served, and what each port of a Gateway needs of them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "gateway/internal/translation/translate.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// The resources of the last translation. A resource with the same contents is reused, so that it costs no
/// further work.
class ResourceCache {
 public:
  /// The names of other resources in one.
  struct Named {
    std::set<std::string> clusters, secrets;
  };

  /// Returns the last resource of this name if its contents are the same, else `made`.
  xds::Resource same(const xds::ResourceName& name, xds::Resource made);
  /// Returns the names in the resource of this name.
  const Named& named(const xds::ResourceName& name);
  /// Forgets the resources that have not been used since the last call.
  void forget_others();

 private:
  struct Cached {
    xds::Resource resource;
    /// The names in it, once they have been looked up.
    std::optional<Named> named;
    bool is_used = false;
  };
  std::map<xds::ResourceName, Cached> cache_;
};

struct DiscoveryResources {
  xds::Resources resources = {};
  /// All resources that have to be served for a listener, by the listener's name. Clusters that never exist
  /// are not in it.
  std::map<std::string, std::set<xds::ResourceName>> needs = {};
};

/// Returns the resources of a translation. Endpoints become resources of their own, so that they can change
/// without their clusters, and large RouteConfigurations become shards (shards.h). Connections from before a
/// table became shards, or one table again, use the former resources until they end. `asked_for` has the
/// names of RouteConfigurations that Envoys ask for; these are served in their former form, too.
DiscoveryResources discovery_resources(Translation translation, const std::set<std::string>& asked_for,
                                       ResourceCache& cached);

}  // namespace fairway::gateway
