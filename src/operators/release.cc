// SPDX-License-Identifier: Apache-2.0

#include "operators/release.h"

namespace fairway::operators {

json::Object ListedRelease::to_json() const {
  json::Object release;
  if (multi) release["architecture"] = "Multi";
  release["version"] = version;
  release["image"] = image;
  if (!url.empty()) release["url"] = url;
  if (!channels.empty()) {
    json::Array& list = release["channels"].emplace_array();
    for (const std::string& channel : channels) list.emplace_back(channel);
  }
  return release;
}

}  // namespace fairway::operators
