// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/same_request.h"

#include <set>
#include <string>
#include <string_view>

namespace fairway::adm {
namespace {

std::set<std::string_view> accepted_risks_of(const k8s::View& update) {
  std::set<std::string_view> names;
  for (const k8s::View& risk : update.items("acceptRisks")) names.emplace(risk.text("name"));
  return names;
}

/// Returns whether the operator has found the image for the version.
bool has_found(const openshift::ClusterVersion& cluster, std::string_view version, std::string_view image) {
  const auto accepted = cluster.condition("ReleaseAccepted");
  return accepted && accepted->message().contains("version=\"" + std::string(version) + "\" image=\"" +
                                                  std::string(image) + "\"");
}

}  // namespace

bool is_same_request(const openshift::ClusterVersion& before, const openshift::ClusterVersion& now) {
  const k8s::View a = before.desired_update(), b = now.desired_update();
  const std::string_view image = a.text("image"), other = b.text("image");
  const std::string_view version = a.text("version");
  if (version != b.text("version") || a.flag("force") != b.flag("force") ||
      a.text("architecture") != b.text("architecture") || accepted_risks_of(a) != accepted_risks_of(b))
    return false;
  if (image == other) return true;
  if (version.empty() || (!image.empty() && !other.empty())) return false;
  return has_found(before, version, image.empty() ? other : image);
}

}  // namespace fairway::adm
