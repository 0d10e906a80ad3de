// SPDX-License-Identifier: Apache-2.0

// Searches other channels for the cluster's release.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "adm/answer.h"
#include "adm/caller.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// A channel without an answer, and the reason.
struct SilentChannel {
  std::string name, why;
};

/// The result of the search in the service's channels.
struct ChannelSearch {
  /// The channels that have the release, in the order of `is_named_before`.
  std::vector<std::string> found;
  /// Number of channels that answered.
  std::size_t asked = 0;
  /// The descriptions of channels, as far as they are known.
  std::map<std::string, std::string> descriptions;
  /// Channels that did not answer, in the same order.
  std::vector<SilentChannel> silent;
  /// Further data that may be missing, each as a sentence without its full stop.
  std::vector<std::string> left_out;
  /// Reason why no channel was asked; empty: some were, or there is none.
  std::string problem;
};

/// Returns whether a channel is named and asked before another: in descending order, so that stable-4.6 comes
/// before fast-4.6 and candidate-4.6 (the example of channel-metadata, docs/api.md).
inline bool is_named_before(const std::string& a, const std::string& b) {
  return b < a;
}

/// Sorts names of channels so that those come first that probably have the cluster's release: of its minor
/// version, then of the next one; of these first the one with the name of the configured channel in front
/// (stable-4.6 for stable-4.5); then in the order of `is_named_before`.
void sort_by_likelihood(std::vector<std::string>& names, const openshift::ClusterVersion& cluster);

/// Returns whether the operator says that the release is not in the channel (RetrievedUpdates=False,
/// VersionNotFound).
bool is_outside_channel(const openshift::ClusterVersion& cluster);

/// Returns the architecture that the update service has for the cluster's release: "amd64", "multi"; empty if
/// the ClusterVersion does not say.
std::string architecture_of(const openshift::ClusterVersion& cluster);

/// Adds the channels that have the release (channel-metadata of docs/api.md, section Recovering from unknown
/// versions), and on standard error the channels that were not searched, with the reason. `channelSearch` has
/// the same data for programs.
void add_other_channels(const ChannelSearch& search, const openshift::ClusterVersion& cluster,
                        CommandResult& answer, const Caller& caller = {});

}  // namespace fairway::adm
