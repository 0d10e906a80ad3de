// SPDX-License-Identifier: Apache-2.0

// `adm upgrade recommend`: which update to take, and what to know before.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "adm/answer.h"
#include "adm/caller.h"
#include "base/result.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

struct RecommendFlags {
  /// Version of the one release to show; empty: the newest of each minor version.
  std::string version;
  bool show_outdated_releases = false;
  /// True if, with `version`, only the names of issues that were not accepted are shown.
  bool quiet = false;
  /// Names of issues that are acceptable.
  std::set<std::string> accept;
  Caller caller = {};
};

/// Result of a check beside the updates, such as that of alerts of a kind.
struct Precheck {
  std::string type, status, reason, message;
  /// The name of the issue; empty if there is none.
  std::string issue;
};

/// Returns the prechecks of a list of alerts (the response of Prometheus's GET /api/v1/alerts). Error: the
/// text is not such a response.
Result<std::vector<Precheck>> check_alerts(std::string_view alerts);
/// Returns the precheck for a test that has no file of alerts.
Precheck no_test_alerts(std::string_view file);

/// Checks the flags as far as possible without the cluster.
CommandResult check(const RecommendFlags& flags);

/// Shows the updates. If the prechecks failed, `prechecks` is an Error, which is an issue.
CommandResult recommend(const RecommendFlags& flags, const openshift::ClusterVersion& cluster,
                        const Result<std::vector<Precheck>>& prechecks);

}  // namespace fairway::adm
