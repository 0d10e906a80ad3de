// SPDX-License-Identifier: Apache-2.0

// `adm upgrade channel`: choosing the channel.
#pragma once

#include <string>

#include "adm/answer.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

struct ChannelFlags {
  /// Name of the channel; empty: no channel.
  std::string channel;
  bool allow_explicit_channel = false;
};

/// Sets the channel, or clears it. A channel that the release is not known to be in needs
/// `allow_explicit_channel`, and so does leaving all channels from one that it is in.
CommandResult set_channel(const ChannelFlags& flags, const openshift::ClusterVersion& cluster);

}  // namespace fairway::adm
