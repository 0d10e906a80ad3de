// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/invalid_spec.h"

#include <string_view>

#include "base/text.h"

namespace fairway::adm {

InvalidSpec invalid_spec(const openshift::ClusterVersion& cluster) {
  InvalidSpec found;
  const auto condition = cluster.condition("Invalid");
  if (!condition || !condition->is_true()) return found;
  // One error follows the words; several are a list.
  constexpr std::string_view words = "The cluster version is invalid:";
  std::string_view message = condition->message();
  if (message.starts_with(words)) message.remove_prefix(words.size());
  for (std::string_view error : split(message, '\n')) {
    while (error.starts_with(' ') || error.starts_with('*')) error.remove_prefix(1);
    if (error.empty()) continue;
    if (!error.starts_with("spec.desiredUpdate")) {
      found.has_others = true;
      continue;
    }
    if (!found.of_request.empty()) found.of_request += "; ";
    found.of_request += error;
  }
  found.has_others = found.has_others || found.of_request.empty();
  return found;
}

}  // namespace fairway::adm
