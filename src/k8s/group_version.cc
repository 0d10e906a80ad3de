// SPDX-License-Identifier: Apache-2.0

#include "k8s/group_version.h"

#include "base/text.h"

namespace fairway::k8s {

Result<GroupVersion> GroupVersion::parse(std::string_view api_version) {
  const auto bad = [&](std::string_view why) {
    return fail(ErrorCode::invalid,
                "apiVersion '" + printable(api_version, 80) + "' " + std::string(why) +
                    "; write GROUP/VERSION such as apps/v1, or VERSION for the core group");
  };
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) {
    if (api_version.empty()) return bad("is empty");
    return GroupVersion{"", std::string(api_version)};
  }
  const std::string_view group = api_version.substr(0, slash), version = api_version.substr(slash + 1);
  if (group.empty()) return bad("has no group before the slash");
  if (version.empty()) return bad("has no version behind the slash");
  if (version.find('/') != std::string_view::npos) return bad("has more than one slash");
  return GroupVersion{std::string(group), std::string(version)};
}

std::string GroupVersion::to_string() const {
  return group.empty() ? version : group + "/" + version;
}

std::string GroupKind::to_string() const {
  return group.empty() ? kind : kind + "." + group;
}

std::string GroupResource::to_string() const {
  return group.empty() ? resource : resource + "." + group;
}

std::string GroupVersionKind::to_string() const {
  return api_version() + ", Kind=" + kind;
}

std::string GroupVersionResource::to_string() const {
  return group_version().to_string() + ", Resource=" + resource;
}

std::string GroupVersionResource::root_path() const {
  return group.empty() ? "/api/" + version : "/apis/" + group + "/" + version;
}

GroupVersionKind Resource::group_version_kind() const {
  return {std::string(group), std::string(version), std::string(kind)};
}

GroupVersionResource Resource::group_version_resource() const {
  return {std::string(group), std::string(version), std::string(plural)};
}

}  // namespace fairway::k8s
