// SPDX-License-Identifier: Apache-2.0

// The server of Envoys, as passes see it.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "xds/resource.h"

namespace fairway::gateway {

/// An interface to a server of resources that knows which Envoys have them: `xds::DiscoveryServer`, or a
/// stand-in of a test.
class Envoys {
 public:
  virtual ~Envoys() = default;
  virtual void set(const xds::Resources& resources) = 0;
  virtual xds::Acknowledgement acknowledgement(const xds::ResourceName& name) const = 0;
  /// Returns a number that changes with each Envoy that connects or leaves.
  virtual std::uint64_t session() const { return 0; }
  /// Returns the names of RouteConfigurations that Envoys ask for.
  virtual std::set<std::string> routes_asked_for() const { return {}; }
};

}  // namespace fairway::gateway
