// SPDX-License-Identifier: Apache-2.0

// A report of the changes that new graph data makes for clusters, for people and for pull requests.
#pragma once

#include <string>
#include <vector>

#include "graph/changes.h"
#include "graph/problem.h"
#include "graph/widening.h"

namespace fairway::cli {

/// The changes in one channel for one architecture.
struct ChannelChanges {
  std::string channel, arch;
  graph::Changes changes;
};

/// Releases from which no path of recommended updates leads to their channel's highest release, and which had
/// one before or are new there.
struct NewlyStranded {
  std::string channel, arch;
  std::string highest;  ///< "": the releases have left the channel
  std::vector<std::string> versions;
};

struct ChangesReport {
  std::vector<std::string> channels_added, channels_removed;
  std::vector<ChannelChanges> changes;  ///< none is empty
  std::vector<graph::Problem> problems;
  std::vector<graph::LiftedBlock> widened;  ///< blocks lifted in any channel, whether it is shown or not
  std::vector<NewlyStranded> stranded;
};

/// Returns whether an update has risks, and none with a new name: only texts or rules are new.
bool same_risks(const graph::EdgeChange& edge);
/// Returns "the risk Name of updates into 4.7.4 is lifted, or has other rules (12 updates, the first from
/// 4.6.8+amd64)".
std::string describe(const graph::LiftedBlock& block);
/// Returns "fast-4.7, stable-4.7 (amd64): no path of recommended updates leads to 4.7.9 from 4.6.8, 4.6.23",
/// once for all channels with the same stranded releases.
std::vector<std::string> describe(const std::vector<NewlyStranded>& stranded);

/// Returns a comment for a pull request: the updates that clusters at each version gain and lose, in one
/// table for all channels with the same changes. It is cut to the length that GitHub accepts.
std::string to_changes_markdown(const ChangesReport& report);
/// Returns GitHub Actions' workflow commands: an annotation each for new problems, widened updates and
/// stranded releases (as errors if `failing` names them), and one that sums up each channel.
std::string to_changes_github(const ChangesReport& report, const std::vector<std::string>& failing);

}  // namespace fairway::cli
