// SPDX-License-Identifier: Apache-2.0

// Versions as people and clusters write them in questions.
#pragma once

#include <string_view>

namespace fairway::graph {

/// Returns the version as releases are named here: "4.7.4+amd64", as graph data and expressions of blocked
/// edges have it, without "+amd64" where `arch` is amd64. Anything else is returned unchanged.
inline std::string_view without_architecture(std::string_view version, std::string_view arch) {
  if (arch.empty() || version.size() <= arch.size() + 1 || !version.ends_with(arch)) return version;
  const auto rest = version.substr(0, version.size() - arch.size());
  return rest.ends_with('+') ? rest.substr(0, rest.size() - 1) : version;
}

}  // namespace fairway::graph
