// The server of Envoys, as passes see it.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "xds/resource.h"

namespace fairway::gateway {

/// A server of resources that says who has them: `xds::DiscoveryServer`, or a stand-in of a test.
class Envoys {
 public:
  virtual ~Envoys() = default;
  virtual void set(const xds::Resources& resources) = 0;
  virtual xds::Agreement agreement(const xds::ResourceName& name) const = 0;
  /// Another number after each Envoy that has connected or left.
  virtual std::uint64_t session() const { return 0; }
  /// The names of RouteConfigurations that Envoys ask for.
  virtual std::set<std::string> routes_asked_for() const { return {}; }
};

}  // namespace fairway::gateway
