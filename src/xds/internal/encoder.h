// SPDX-License-Identifier: Apache-2.0

// Resources to versions and bytes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "xds/envoy_api.h"
#include "xds/resource.h"

namespace fairway::xds {

/// Encodes resources. Virtual hosts are encoded one by one, and cached: if one of thousands changes, the
/// others are not encoded again. Used by one thread.
class Encoder {
 public:
  explicit Encoder(std::shared_ptr<const EnvoyApi> api) : api_(std::move(api)) {}

  /// Returns a hash of the resource, which stays the same after a restart.
  std::string version_of(const ResourceName& name, const Resource& resource);
  /// Returns the bytes of the resource that `version_of` was last called with. Errors: it is no message of
  /// its type.
  Result<std::string> encode(const ResourceName& name, const Resource& resource);
  /// Keeps the cached parts of a resource that has not changed since `version_of` was last called with it.
  void keep(const ResourceName& name);
  /// Forgets the parts of all resources that were neither kept nor given to `version_of` since the last call.
  void forget_others();

 private:
  struct Part {
    /// The virtual host, held so that no other is at its address.
    VirtualHost host;
    std::string hash;
    /// Its encoding; empty while it has not been encoded.
    std::string bytes = {};
  };
  struct Kept {
    std::unordered_map<const json::Object*, Part> parts;
    bool is_used = false;
  };

  const std::shared_ptr<const EnvoyApi> api_;
  std::map<std::string, Kept> kept_;
};

}  // namespace fairway::xds
