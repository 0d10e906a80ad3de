// What the Envoys of one server say, as servers of other processes hear it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "xds/resource.h"

namespace fairway::xds {

/// What all Envoys of a server have said about a resource of one version: that they serve it, or the words of
/// one that refuses it.
struct Ack {
  std::string version;
  std::optional<std::string> refusal = std::nullopt;
  /// What they refuse of it, where they serve the rest.
  std::vector<RefusedPart> parts = {};
  bool operator==(const Ack&) const = default;
};

/// Versions are hashes of what is in a resource: servers that serve the same call it the same.
struct Report {
  /// True if an Envoy is connected, or has left so lately that it counts as one that has not answered.
  bool has_envoys = false;
  /// Of what is served; what is not in it has not been answered by all.
  std::map<ResourceName, Ack> said;
  bool operator==(const Report&) const = default;
};

}  // namespace fairway::xds
