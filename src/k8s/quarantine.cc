// SPDX-License-Identifier: Apache-2.0

#include "k8s/quarantine.h"

#include <algorithm>
#include <array>

namespace fairway::k8s {

namespace {

/// The groups of Kubernetes itself that have a dot. Others of k8s.io are those of custom resources.
constexpr std::array<std::string_view, 15> own_groups{"admissionregistration.k8s.io",
                                                      "apiextensions.k8s.io",
                                                      "apiregistration.k8s.io",
                                                      "authentication.k8s.io",
                                                      "authorization.k8s.io",
                                                      "certificates.k8s.io",
                                                      "coordination.k8s.io",
                                                      "discovery.k8s.io",
                                                      "events.k8s.io",
                                                      "networking.k8s.io",
                                                      "node.k8s.io",
                                                      "rbac.authorization.k8s.io",
                                                      "resource.k8s.io",
                                                      "scheduling.k8s.io",
                                                      "storage.k8s.io"};

}  // namespace

bool is_quarantined(const View& object) {
  return object.map("metadata.annotations").contains(quarantined_annotation);
}

bool has_only_marks(const View& object) {
  const auto annotations = object.map("metadata.annotations");
  return annotations.contains(quarantined_annotation) && annotations.contains(original_annotation) &&
         std::ranges::all_of(object.json(), [](const auto& member) {
           return member.key() == "apiVersion" || member.key() == "kind" || member.key() == "metadata";
         });
}

bool may_be_quarantined(std::string_view group) {
  return group.contains('.') && !group.ends_with("apiserver.k8s.io") &&
         std::ranges::find(own_groups, group) == own_groups.end();
}

}  // namespace fairway::k8s
