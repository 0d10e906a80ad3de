// `adm upgrade recommend`: which update to take, and what to know before.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "adm/answer.h"
#include "base/result.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

struct RecommendFlags {
  /// One release only; empty: the newest of each minor version.
  std::string version;
  bool show_outdated_releases = false;
  /// With `version`: only the names of issues that were not accepted.
  bool quiet = false;
  /// Names of issues that are acceptable.
  std::set<std::string> accept;
};

/// One thing that was looked at beside the updates, such as the alerts of a kind.
struct Precheck {
  std::string type, status, reason, message;
  /// The name of the issue; empty for what is fine.
  std::string issue;
};

/// The prechecks of a list of alerts (the response of Prometheus's GET /api/v1/alerts). Error: the text is
/// not such a response.
Result<std::vector<Precheck>> check_alerts(std::string_view alerts);
/// The same where a test has no file of alerts.
Precheck no_test_alerts(std::string_view file);

/// Checks what can be checked without the cluster.
CommandResult check(const RecommendFlags& flags);

/// Shows the updates. `prechecks` is an Error where they could not be made: then that is an issue.
CommandResult recommend(const RecommendFlags& flags, const openshift::ClusterVersion& cluster,
                        const Result<std::vector<Precheck>>& prechecks);

}  // namespace fairway::adm
