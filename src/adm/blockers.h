// SPDX-License-Identifier: Apache-2.0

// Causes that an update waits for: since when, and what usually helps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adm/answer.h"
#include "adm/caller.h"
#include "base/clock.h"
#include "openshift/cluster_operator.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

/// Something that an update waits for.
struct Blocker {
  /// "cluster operator etcd is degraded".
  std::string what = {};
  std::optional<WallTime> since = {};
  /// The report of the operator, or of the component; empty: there is none.
  std::string message = {};
  /// Advice, in sentences: what usually helps.
  std::string help = {};
  /// Command lines that help to find the cause.
  std::vector<std::string> commands = {};
  /// False if the update goes on in spite of it.
  bool holds_up = true;
};

/// Returns what the update that is asked for, or runs, waits for, the gravest first, and last what is wrong
/// beside it; empty: nothing speaks against it that the cluster knows of. `operators` may be empty.
std::vector<Blocker> find_blockers(const openshift::ClusterVersion& cluster,
                                   const std::vector<openshift::ClusterOperator>& operators,
                                   const Caller& caller);

/// Returns whether `version` is that of an update that has not ended, or of a release that fails.
bool is_unfinished(const openshift::ClusterVersion& cluster, std::string_view version);

/// Adds to the answer how far the update is that is asked for, or runs, and what it waits for; in the data as
/// `update`, with `waitsFor` and `besides`. Says so if there is none.
void explain_update(const openshift::ClusterVersion& cluster,
                    const std::vector<openshift::ClusterOperator>& operators, WallTime now,
                    const Caller& caller, CommandResult& answer);

}  // namespace fairway::adm
