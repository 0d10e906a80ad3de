// SPDX-License-Identifier: Apache-2.0

#include "adm/plan/progress.h"

#include <compare>
#include <string>

#include "adm/internal/release_version.h"
#include "base/semver.h"
#include "base/text.h"

namespace fairway::adm {

using openshift::ClusterVersion;

Result<bool> is_later(const ClusterVersion& cluster, std::string_view to) {
  const std::string from(cluster.desired().version());
  const auto here = Version::parse(from), there = read_version(to);
  if (!there) {
    return fail(ErrorCode::invalid, "--to must be a semantic version: " + there.error().message +
                                        "; give the whole version, such as 4.8.14");
  }
  if (!here) {
    return fail(ErrorCode::invalid, "the ClusterVersion has no semantic version in status.desired.version (" +
                                        printable(from, 80) + "), so that no plan can begin at it");
  }
  if (compare_precedence(*there, *here) >= 0) return compare_precedence(*there, *here) > 0;
  return fail(ErrorCode::invalid, std::string(to) + " is older than " + from +
                                      ", which the cluster has or is being updated to: a plan leads to "
                                      "later releases only");
}

Progress progress_to(const ClusterVersion& cluster, std::string_view to) {
  const auto here = Version::parse(cluster.desired().version()), there = Version::parse(to);
  if (!here || !there || compare_precedence(*here, *there) < 0) return Progress::on_the_way;
  const bool is_past = compare_precedence(*here, *there) > 0;
  for (const openshift::UpdateHistory& entry : cluster.history()) {
    const auto version = Version::parse(entry.version());
    const auto order = version ? compare_precedence(*version, *there) : std::strong_ordering::greater;
    if (order == 0 && entry.is_completed()) return Progress::arrived;
    // Behind an older release lies an earlier way; at the release itself only the newest entry counts, since
    // the cluster may be on the way there again.
    if (order < 0 || !is_past) break;
  }
  return is_past ? Progress::passed : Progress::on_the_way;
}

}  // namespace fairway::adm
