// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/served_resource.h"

#include <algorithm>

namespace fairway::apiserver::resources {

bool ServedResource::has_verb(std::string_view verb) const {
  return std::ranges::find(verbs, verb) != verbs.end();
}

const Subresource* ServedResource::find_subresource(std::string_view name) const {
  const auto found = std::ranges::find(subresources, name, &Subresource::name);
  return found == subresources.end() ? nullptr : &*found;
}

}  // namespace fairway::apiserver::resources
