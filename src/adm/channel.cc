// SPDX-License-Identifier: Apache-2.0

#include "adm/channel.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::adm {

CommandResult set_channel(const ChannelFlags& flags, const openshift::ClusterVersion& cluster) {
  CommandResult answer;
  const std::string now(cluster.channel()), wanted = quote(flags.channel);
  if (flags.channel == now) {
    answer.out = now.empty() ? "info: Cluster channel is already clear (no change)\n"
                             : "info: Cluster is already in " + now + " (no change)\n";
    return answer;
  }
  const std::vector<std::string_view> channels = cluster.desired().channels();
  const auto offers = [&](std::string_view name) {
    return std::ranges::find(channels, name) != channels.end();
  };
  const std::string offered = join({channels.begin(), channels.end()}, ", ");
  if (flags.channel.empty()) {
    if (offers(now) && !flags.allow_explicit_channel) {
      answer.fail("You are requesting to clear the update channel. The current channel " + quote(now) +
                  " is one of the available channels, you must pass --allow-explicit-channel to continue");
      return answer;
    }
    answer.err += "warning: Clearing channel " + quote(now) +
                  "; cluster will no longer request available update recommendations.\n";
  } else if (channels.empty()) {
    answer.err += "warning: No channels known to be compatible with the current version " +
                  quote(cluster.desired().version()) + "; unable to validate " + wanted +
                  ". Setting the update channel to " + wanted + " anyway.\n";
  } else if (!offers(flags.channel)) {
    if (!flags.allow_explicit_channel) {
      answer.fail("the requested channel " + wanted + " is not one of the available channels (" + offered +
                  "), you must pass --allow-explicit-channel to continue");
      return answer;
    }
    answer.err +=
        "warning: The requested channel " + wanted + " is not one of the available channels (" + offered +
        "). You have used --allow-explicit-channel to proceed anyway. Setting the update channel to " +
        wanted + ".\n";
  }
  answer.patch = Patch{.body = {{"spec", json::Object{{"channel", flags.channel}}}},
                       .failure = "unable to set channel",
                       .done = [](const openshift::ClusterVersion&) { return std::string(); }};
  return answer;
}

}  // namespace fairway::adm
