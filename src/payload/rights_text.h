// SPDX-License-Identifier: Apache-2.0

// Rules of RBAC as short lines for people.
#pragma once

#include <string>
#include <vector>

#include "k8s/rbac_rule.h"

namespace fairway::payload {

/// Lines that say what rules allow.
struct RightsText {
  std::vector<std::string> lines;
  /// False: a line counts some verbs or targets, or cuts a name, in place of showing it.
  bool is_whole = true;
};

/// Returns rules as lines, those with the same verbs together: "get, list on pods, deployments.apps,
/// secrets \"a\"", "get on /metrics". A line names eight verbs and eight targets at most, is shorter than 400
/// bytes, and counts the others. Rights by which others can be had come first, in a line and among lines:
/// "*", `escalate`, secrets, pods/exec.
RightsText describe(const std::vector<k8s::RbacRule>& rules);

}  // namespace fairway::payload
