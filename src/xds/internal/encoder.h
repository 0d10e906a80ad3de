// Resources to versions and bytes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "xds/envoy_api.h"
#include "xds/resource.h"

namespace fairway::xds {

/// Encodes resources. Virtual hosts are encoded one by one, and kept: where one of thousands changes, the
/// others are not encoded again. Used by one thread.
class Encoder {
 public:
  explicit Encoder(std::shared_ptr<const EnvoyApi> api) : api_(std::move(api)) {}

  /// A hash of the resource: the same after a restart.
  std::string version_of(const ResourceName& name, const json::Object& resource);
  /// The bytes of the resource that `version_of` was last called with. Errors: it is no message of its type.
  Result<std::string> encode(const ResourceName& name, const json::Object& resource);
  /// Forgets the parts of all resources that `version_of` has not been called with since the last time.
  void forget_others();

 private:
  /// The virtual hosts of a RouteConfiguration by their hashes, "" while they have not been encoded.
  using Parts = std::map<std::string, std::string, std::less<>>;
  struct Kept {
    Parts parts;
    /// The hashes in the order of the resource.
    std::vector<std::string> order;
    bool is_used = false;
  };

  const std::shared_ptr<const EnvoyApi> api_;
  std::map<std::string, Kept> kept_;
};

}  // namespace fairway::xds
