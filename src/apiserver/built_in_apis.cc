// SPDX-License-Identifier: Apache-2.0

#include "apiserver/built_in_apis.h"

#include <map>

#include "apiserver/internal/resources/built_in.h"
#include "apiserver/internal/resources/disabled_apis.h"

namespace fairway::apiserver {

std::vector<BuiltInApi> built_in_apis() {
  std::map<std::string, bool> found;
  const auto add = [&](const resources::ServedResource& resource) {
    found.emplace(resource.kind.api_version(), resources::DisabledApis::is_needed(resource.kind.group));
  };
  for (const resources::ServedResource& resource : resources::stored_built_in_resources()) add(resource);
  for (const resources::ServedResourcePtr& review : resources::built_in_reviews()) add(*review);
  std::vector<BuiltInApi> apis;
  for (const auto& [group_version, is_needed] : found) apis.push_back({group_version, is_needed});
  return apis;
}

}  // namespace fairway::apiserver
