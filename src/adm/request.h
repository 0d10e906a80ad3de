// SPDX-License-Identifier: Apache-2.0

// `adm upgrade --to`, `--to-latest`, `--to-image`, `--to-multi-arch` and `--clear`: asking for an update.
#pragma once

#include <string>

#include "adm/answer.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

struct RequestFlags {
  std::string to, to_image;
  bool to_latest = false, to_multi_arch = false, clear = false;
  bool allow_not_recommended = false, allow_explicit_upgrade = false, allow_upgrade_with_warnings = false;
  bool force = false;

  /// Returns whether the command requests an update; otherwise it shows the state.
  bool asks() const { return clear || to_multi_arch || to_latest || !to.empty() || !to_image.empty(); }
};

/// Checks the flags as far as possible without the cluster. Returns a failed answer, or one with the warnings
/// so far.
CommandResult check(const RequestFlags& flags);

/// Requests an update. Returns an answer with the patch that requests it, or without one if there is nothing
/// to do or something is in the way. The flags have been checked; `answer` is the result of `check`.
CommandResult request(const RequestFlags& flags, const openshift::ClusterVersion& cluster,
                      CommandResult answer);

}  // namespace fairway::adm
