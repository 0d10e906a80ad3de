// SPDX-License-Identifier: Apache-2.0

// The names of a cluster's versions and channels, for the completion of a command line.
#pragma once

#include <string>
#include <vector>

#include "base/limits.h"
#include "cli/completion/candidates.h"
#include "command_line/commands.h"

namespace fairway::cli {

/// Returns the names that the cluster has which the flags of the line select. They are none if there is no
/// cluster, or if it does not answer within the limits. Called while this process has a single thread.
std::vector<std::string> ask_names(NamesAllowed wanted, const std::vector<GivenFlag>& flags,
                                   command_line::Context& context, const Limits& limits);

}  // namespace fairway::cli
