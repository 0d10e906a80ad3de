// What new graph data changes for clusters, for people and for pull requests.
#pragma once

#include <string>
#include <vector>

#include "graph/changes.h"
#include "graph/problem.h"
#include "graph/widening.h"

namespace fairway::cli {

/// What changes in one channel for one architecture.
struct ChannelChanges {
  std::string channel, arch;
  graph::Changes changes;
};

/// Releases that do not reach their channel's highest release over recommended updates, and did before, or
/// are new there.
struct NewlyStranded {
  std::string channel, arch;
  std::string highest;  ///< "": the releases have left the channel
  std::vector<std::string> versions;
};

struct ChangesReport {
  std::vector<std::string> channels_added, channels_removed;
  std::vector<ChannelChanges> changes;  ///< none is empty
  std::vector<graph::Problem> problems;
  std::vector<graph::LiftedBlock> widened;  ///< of all channels, whichever are shown
  std::vector<NewlyStranded> stranded;
};

/// Returns whether an update is held against by no other names than before: what is new is what they say or
/// ask.
bool same_risks(const graph::EdgeChange& edge);
/// "the risk Name of updates into 4.7.4 is lifted, or has other rules (12 updates, the first
/// from 4.6.8+amd64)"
std::string describe(const graph::LiftedBlock& block);
/// "fast-4.7, stable-4.7 (amd64): no path of recommended updates leads to 4.7.9 from 4.6.8, 4.6.23", once for
/// all channels of which it is true.
std::vector<std::string> describe(const std::vector<NewlyStranded>& stranded);

/// A comment for a pull request: what clusters at which version gain and lose, a table for the channels that
/// share it; at most as long as GitHub takes one.
std::string to_changes_markdown(const ChangesReport& report);
/// GitHub Actions' workflow commands: an annotation for new problems, for what widens and what is stranded
/// (as errors where `failing` names them), and one that sums up each channel.
std::string to_changes_github(const ChangesReport& report, const std::vector<std::string>& failing);

}  // namespace fairway::cli
