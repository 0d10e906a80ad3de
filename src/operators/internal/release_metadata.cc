// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/release_metadata.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "graph/cincinnati_reply.h"
#include "operators/internal/service_url.h"

namespace fairway::operators {

ListedRelease release_of(const payload::ReleaseImage& image) {
  ListedRelease release{.version = image.version.to_string(), .image = image.image};
  release.multi = image.arch == "multi";
  if (const auto url = image.metadata.find("url");
      url != image.metadata.end() && refusal_of_go(url->second).empty())
    release.url = url->second;
  if (const auto listed = image.metadata.find(std::string(graph::channels_key));
      listed != image.metadata.end()) {
    std::set<std::string, std::less<>> channels;
    for (const std::string_view channel : split(listed->second, ',')) {
      if (!channel.empty()) channels.emplace(channel);
    }
    release.channels.assign(channels.begin(), channels.end());
  }
  return release;
}

void add_listed(ListedRelease& release, const openshift::ClusterVersion& cluster) {
  std::vector<openshift::ReleaseView> listed = cluster.available_updates();
  for (const auto& update : cluster.conditional_updates()) listed.push_back(update.release());
  auto found = std::ranges::find_if(listed, [&](const auto& one) { return one.image() == release.image; });
  if (found == listed.end())
    found = std::ranges::find_if(listed, [&](const auto& one) { return one.version() == release.version; });
  if (found == listed.end()) return;
  if (release.url.empty()) release.url = found->url();
  if (release.channels.empty())
    for (const std::string_view channel : found->channels()) release.channels.emplace_back(channel);
  release.multi =
      release.multi || (found->image() == release.image && found->text("architecture") == "Multi");
}

bool is_multi(const openshift::ClusterVersion& cluster, std::string_view version, std::string_view image) {
  const openshift::ReleaseView desired = cluster.desired();
  if (desired.image() == image && desired.text("architecture") == "Multi") return true;
  const auto accepted = cluster.condition("ReleaseAccepted");
  return accepted && accepted->is_true() &&
         accepted->message() == payload::loaded_message(version, image, "multi");
}

payload::LoadStatus loaded_status(const payload::ReleaseImage& image, const std::string& version,
                                  std::string accepted_risks, bool local) {
  return {.step = payload::LoadStep::payload_loaded,
          .message = payload::loaded_message(version, image.image, image.arch),
          .failed = false,
          .image = image.image,
          .accepted_risks = std::move(accepted_risks),
          .local = local};
}

}  // namespace fairway::operators
