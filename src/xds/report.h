// SPDX-License-Identifier: Apache-2.0

// A report of the answers of one server's Envoys, for servers in other processes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "xds/resource.h"

namespace fairway::xds {

/// The answer of all Envoys of a server about one version of a resource: they serve it, or the message of one
/// that refuses it.
struct Ack {
  std::string version;
  std::optional<std::string> refusal = std::nullopt;
  /// Parts of it that they refuse, if they serve the rest.
  std::vector<RefusedPart> parts = {};
  bool operator==(const Ack&) const = default;
};

/// The answers of one server's Envoys. Versions are hashes of the contents of resources, so servers with the
/// same resource have the same version.
struct Report {
  /// True if an Envoy is connected, or has left so lately that it counts as one that has not answered.
  bool has_envoys = false;
  /// The answers on the resources that are served. A resource that is not in it has not been answered by all.
  std::map<ResourceName, Ack> said;
  bool operator==(const Report&) const = default;
};

}  // namespace fairway::xds
