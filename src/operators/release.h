// SPDX-License-Identifier: Apache-2.0

// A release as ClusterVersion lists it.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace fairway::operators {

struct ListedRelease {
  std::string version, image;
  std::string url;                    ///< "" without one
  bool multi = false;                 ///< an image of several architectures
  std::vector<std::string> channels;  ///< sorted, each once

  /// Returns `version` and `image`, and the other members that are not empty.
  json::Object to_json() const;
  friend bool operator==(const ListedRelease&, const ListedRelease&) = default;
};

}  // namespace fairway::operators
