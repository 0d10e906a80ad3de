// SPDX-License-Identifier: Apache-2.0

// Matching of the entries of a rule of RBAC.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::k8s::internal {

/// Returns whether one of `texts` is `text`.
inline bool has(const std::vector<std::string>& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

/// Returns "*/scale" for "deployments/scale"; empty for a resource without subresource.
inline std::string any_parent(std::string_view combined) {
  const std::size_t slash = combined.find('/');
  return slash == std::string_view::npos ? std::string() : "*" + std::string(combined.substr(slash));
}

/// Returns whether `paths` allow `path`. A path of a rule is exact, or a prefix that ends with "*".
inline bool has_path(const std::vector<std::string>& paths, std::string_view path) {
  return std::ranges::any_of(paths, [&](std::string_view allowed) {
    if (allowed == "*" || allowed == path) return true;
    if (!allowed.ends_with('*')) return false;
    allowed.remove_suffix(allowed.size() - 1 - allowed.find_last_not_of('*'));
    return path.starts_with(allowed);
  });
}

}  // namespace fairway::k8s::internal
