// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/disabled_apis.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace fairway::apiserver::resources {
namespace {

/// Groups by whose objects the server itself works.
constexpr std::array<std::string_view, 7> needed_groups{"",
                                                        "rbac.authorization.k8s.io",
                                                        "apiextensions.k8s.io",
                                                        "admissionregistration.k8s.io",
                                                        "authentication.k8s.io",
                                                        "authorization.k8s.io",
                                                        "policy"};

std::unexpected<Error> refuse(const std::string& text, std::string_view why) {
  return fail(ErrorCode::invalid, "disabling the API " + text + ": " + std::string(why));
}

}  // namespace

Result<DisabledApis> DisabledApis::of(const std::vector<std::string>& texts) {
  DisabledApis made;
  for (const std::string& text : texts) {
    const std::vector<std::string_view> parts = split(text, '/');
    if (parts.size() < 2 || parts.size() > 3 || std::ranges::count(parts, "") != 0) {
      return refuse(text, "it is no GROUP/VERSION or GROUP/VERSION/RESOURCE");
    }
    if (is_needed(parts[0])) {
      return refuse(text, "the server itself needs it");
    }
    made.disabled_.push_back({std::string(parts[0]), std::string(parts[1]),
                              parts.size() == 3 ? std::string(parts[2]) : std::string()});
  }
  return made;
}

bool DisabledApis::is_needed(std::string_view group) {
  return std::ranges::find(needed_groups, group) != needed_groups.end();
}

bool DisabledApis::has(const k8s::GroupVersionResource& resource) const {
  return std::ranges::any_of(disabled_, [&](const k8s::GroupVersionResource& disabled) {
    return disabled.group == resource.group && disabled.version == resource.version &&
           (disabled.resource.empty() || disabled.resource == resource.resource);
  });
}

}  // namespace fairway::apiserver::resources
