// Searches other channels for the cluster's release.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "adm/answer.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// A channel that gave no answer.
struct SilentChannel {
  std::string name, why;
};

/// What the update service said about its channels.
struct ChannelSearch {
  /// The channels that have the release, in the order of `is_named_before`.
  std::vector<std::string> found;
  /// How many answered.
  std::size_t asked = 0;
  /// The descriptions of channels, as far as they are known.
  std::map<std::string, std::string> descriptions;
  /// Those that did not answer, in the same order.
  std::vector<SilentChannel> silent;
  /// What else may be missing, each as a sentence without its full stop.
  std::vector<std::string> left_out;
  /// Why none was asked; empty: some were, or there is none.
  std::string problem;
};

/// The order that channels are named and asked in: descending, so that stable-4.6 comes before fast-4.6 and
/// candidate-4.6 (the example of channel-metadata, docs/api.md).
inline bool is_named_before(const std::string& a, const std::string& b) {
  return b < a;
}

/// Returns whether the operator says that the release is not in the channel (RetrievedUpdates=False,
/// VersionNotFound).
bool is_outside_channel(const openshift::ClusterVersion& cluster);

/// The architecture that the update service knows the cluster's release by: "amd64", "multi"; empty if the
/// ClusterVersion does not say.
std::string architecture_of(const openshift::ClusterVersion& cluster);

/// Says where the release is (channel-metadata of docs/api.md, section Recovering from unknown
/// versions), and on standard error which channels were not searched, and why. `channelSearch` holds the same
/// for programs.
void add_other_channels(const ChannelSearch& search, const openshift::ClusterVersion& cluster,
                        CommandResult& answer);

}  // namespace fairway::adm
