// SPDX-License-Identifier: Apache-2.0

#include "adm/rollback.h"

#include <algorithm>
#include <string>
#include <vector>

#include "adm/internal/desired_update.h"
#include "adm/internal/release_version.h"
#include "adm/internal/texts.h"
#include "base/quoted_text.h"

namespace fairway::adm {

CommandResult roll_back(const openshift::ClusterVersion& cluster, const Caller& caller) {
  CommandResult answer;
  const openshift::ReleaseView desired = cluster.desired();
  const auto current = read_version(desired.version());
  if (!current) {
    answer.fail("invalid ClusterVersion status.desired.version: " + current.error().message);
    return answer;
  }
  const std::string now = current->to_string(), image(desired.image());
  const std::vector<openshift::UpdateHistory> history = cluster.history();
  const auto entry = std::ranges::find_if(history, [&](const openshift::UpdateHistory& one) {
    return one.version() != now || one.image() != image;
  });
  if (entry == history.end()) {
    answer.fail("no previous version found in ClusterVersion's status.history besides the current " + now +
                " (" + image + ").");
    return answer;
  }
  const auto previous = read_version(entry->version());
  if (!previous) {
    answer.fail("previous version " + quote(entry->version()) +
                " invalid SemVer: " + previous.error().message);
    return answer;
  }
  const std::string before = previous->to_string(), before_image(entry->image());
  const auto progressing = cluster.condition("Progressing");
  if (compare_precedence(*previous, *current) >= 0) {
    answer.fail("previous version " + before + " (" + before_image +
                ") is greater than or equal to current version " + now + " (" + image + ").  Use '" +
                caller.upgrade + " ...' to update, and not this rollback command.");
  } else if (previous->major() != current->major() || previous->minor() != current->minor()) {
    answer.fail(
        before + " is less than the current target " + now +
        " and matches the cluster's previous version, but rollbacks that change major or minor versions "
        "are not recommended.");
  } else if (!progressing) {
    answer.fail("no current Progressing info, " + caller.describe_hint() + ".");
  } else if (!progressing->is_false()) {
    answer.fail("unable to rollback while an update is Progressing=" + std::string(status_of(*progressing)) +
                ": " + std::string(progressing->reason()) + ": " + std::string(progressing->message()) + ".");
  }
  if (answer.failed()) return answer;
  answer.patch = Patch{.body = desired_update_patch({.version = before, .image = before_image}, nullptr),
                       .failure = "Unable to rollback",
                       .done = [done = "Requested rollback from " + now + " to " + before +
                                       "\n"](const openshift::ClusterVersion&) { return done; }};
  return answer;
}

}  // namespace fairway::adm
