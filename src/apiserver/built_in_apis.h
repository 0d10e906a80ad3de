// SPDX-License-Identifier: Apache-2.0

// The group versions of built-in kinds.
#pragma once

#include <string>
#include <vector>

namespace fairway::apiserver {

struct BuiltInApi {
  /// Name in discovery: "apps/v1", or "v1" for the core group.
  std::string group_version;
  /// True if the server works by its objects, so that `ServerOptions::disabled_apis` cannot have it.
  bool is_needed = false;
};

/// Returns all group versions of built-in kinds that a server serves, in the order of their names.
std::vector<BuiltInApi> built_in_apis();

}  // namespace fairway::apiserver
