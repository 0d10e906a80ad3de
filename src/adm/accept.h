// SPDX-License-Identifier: Apache-2.0

// `adm upgrade accept`: the risks that an admin accepts.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "adm/answer.h"
#include "adm/caller.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

struct AcceptFlags {
  /// Names as given: "RiskA,RiskB-". A name adds a risk; one with `-` behind it removes it.
  std::vector<std::string> arguments;
  bool replace = false, clear = false;
  Caller caller = {};
};

/// The names of a command line.
struct AcceptedRisks {
  std::set<std::string> added, removed;
};

/// Reads the names into `risks`. The answer is a failed one if the command line is wrong.
CommandResult check(const AcceptFlags& flags, AcceptedRisks& risks);

/// Adds to the accepted risks, removes from them, or replaces them.
CommandResult accept(const AcceptFlags& flags, const AcceptedRisks& risks,
                     const openshift::ClusterVersion& cluster);

}  // namespace fairway::adm
