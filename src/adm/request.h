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

  /// Returns whether the command asks for something; otherwise it shows.
  bool asks() const { return clear || to_multi_arch || to_latest || !to.empty() || !to_image.empty(); }
};

/// Checks what can be checked without the cluster: a failed answer, or one with the warnings so far.
CommandResult check(const RequestFlags& flags);

/// Asks for an update: an answer with the patch that requests it, or without one where there is nothing to do
/// or something is in the way. The flags have been checked; `answer` is what `check` gave.
CommandResult request(const RequestFlags& flags, const openshift::ClusterVersion& cluster,
                      CommandResult answer);

}  // namespace fairway::adm
