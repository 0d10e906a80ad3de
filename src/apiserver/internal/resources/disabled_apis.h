// SPDX-License-Identifier: Apache-2.0

// Built-in APIs that a server is asked not to serve.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::resources {

class DisabledApis {
 public:
  /// Reads "GROUP/VERSION" and "GROUP/VERSION/RESOURCE". Errors: `invalid` for another text, and for an API
  /// that the server itself needs.
  static Result<DisabledApis> of(const std::vector<std::string>& texts);

  /// Returns whether the server itself needs a group.
  static bool is_needed(std::string_view group);

  /// Returns whether a resource is not to be served.
  bool has(const k8s::GroupVersionResource& resource) const;

 private:
  /// Disabled resources; an empty plural stands for all of the group version.
  std::vector<k8s::GroupVersionResource> disabled_;
};

}  // namespace fairway::apiserver::resources
