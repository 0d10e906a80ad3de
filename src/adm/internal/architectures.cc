// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/architectures.h"

#include <string>

namespace fairway::adm {

Architectures architectures_of(const openshift::ClusterVersion& cluster, std::string_view image) {
  const openshift::ReleaseView desired = cluster.desired();
  if (desired.image() == image && desired.text("architecture") == "Multi") return Architectures::several;
  const auto accepted = cluster.condition("ReleaseAccepted");
  if (!accepted || !accepted->is_true() ||
      !accepted->message().contains("image=\"" + std::string(image) + "\""))
    return Architectures::unknown;
  for (const std::string_view several : {"architecture=\"Multi\"", "architecture=\"multi\""})
    if (accepted->message().contains(several)) return Architectures::several;
  const bool is_named =
      accepted->message().contains("architecture=\"") && !accepted->message().contains("architecture=\"\"");
  return is_named ? Architectures::one : Architectures::unknown;
}

bool asks_for_several_architectures(const k8s::View& update) {
  return update.text("architecture") == "Multi" && update.text("image").empty();
}

}  // namespace fairway::adm
