// A translation as the resources that Envoys are served, and what each port of a Gateway needs of them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "gateway/internal/translate.h"
#include "xds/resource.h"

namespace fairway::gateway {

/// Endpoints become resources of their own, so that they change without their clusters.
xds::Resources discovery_resources(Translation translation);

/// By the name of a listener: all that has to be served for it. Clusters that are never there are not in it.
std::map<std::string, std::set<xds::ResourceName>> needs_of_listeners(const Translation& translation);

}  // namespace fairway::gateway
