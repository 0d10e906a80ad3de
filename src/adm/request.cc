// SPDX-License-Identifier: Apache-2.0

#include "adm/request.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "adm/internal/desired_update.h"
#include "adm/internal/image_reference.h"
#include "adm/internal/release_version.h"
#include "adm/internal/texts.h"
#include "base/quoted_text.h"
#include "base/text.h"
#include "openshift/unlisted_updates.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;
using openshift::ConditionalUpdate;
using openshift::ReleaseView;

constexpr std::string_view force_warning =
    "warning: --force overrides cluster verification of your supplied release image and waives any update "
    "precondition failures. Only use this if you are testing unsigned release images or you are working "
    "around a "
    "known bug in the cluster-version operator and you have verified the authenticity of the provided image "
    "yourself.\n";

/// Returns the conditions that stand against an update; empty: there are none.
std::string obstacles(const ClusterVersion& cluster) {
  std::vector<std::string> found;
  const auto add = [&](std::string_view type, const std::string& what) {
    if (const auto condition = cluster.condition(type); condition && condition->is_true())
      found.push_back(what + ":\n" + explain(*condition));
  };
  add("Invalid", "the cluster version object is invalid, you must correct the invalid state first");
  const ReleaseView desired = cluster.desired();
  const std::string_view target =
      !desired.version().empty() ? desired.version()
      : !desired.image().empty() ? desired.image()
                                 : "ClusterVersion status.desired has neither a version nor image; please "
                                   "open a bug";
  add("Failing", "the cluster is experiencing an error reconciling " + quote(target));
  add("Progressing", "the cluster is already upgrading");
  return join(found, "\n\n");
}

/// Returns whether nothing is in the way, or the user allowed it. If not, the command has failed.
bool passes_obstacles(const RequestFlags& flags, const ClusterVersion& cluster, CommandResult& answer) {
  const std::string found = obstacles(cluster);
  if (found.empty()) return true;
  if (!flags.allow_upgrade_with_warnings) {
    answer.fail(found + "\n\nIf you want to upgrade anyway, use --allow-upgrade-with-warnings.");
    return false;
  }
  answer.err += "warning: --allow-upgrade-with-warnings is bypassing: " + found + "\n";
  return true;
}

void ask_for(const DesiredUpdate& update, const ClusterVersion& cluster, std::string done,
             CommandResult& answer) {
  answer.patch = Patch{.body = desired_update_patch(update, accepted_risks(cluster)),
                       .failure = "Unable to upgrade",
                       .done = [done = std::move(done)](const ClusterVersion&) { return done; }};
}

/// Returns the name of a release or a request: its version, else its image.
std::string name_of(const k8s::View& update) {
  if (!update.text("version").empty()) return std::string(update.text("version"));
  if (!update.text("image").empty()) return std::string(update.text("image"));
  return "<unknown>";
}

bool is_same_release(const k8s::View& a, const k8s::View& b) {
  if (!a.text("image").empty() && !b.text("image").empty()) return a.text("image") == b.text("image");
  return !a.text("version").empty() && a.text("version") == b.text("version");
}

CommandResult clear(const ClusterVersion& cluster, CommandResult answer) {
  if (!cluster.has_desired_update()) {
    answer.out += "info: No update in progress\n";
    return answer;
  }
  json::Object body{{"spec", json::Object{{"desiredUpdate", nullptr}}}};
  if (const json::Value* risks = accepted_risks(cluster)) body = desired_update_patch({}, risks);
  auto original = std::make_shared<const json::Object>(cluster.desired_update().json());
  answer.patch = Patch{.body = std::move(body),
                       .failure = "Unable to cancel current rollout",
                       .done = [original](const ClusterVersion& patched) {
                         const k8s::View asked(*original);
                         if (is_same_release(asked, patched.desired()))
                           return "Cleared the update field, still at " + name_of(patched.desired()) + "\n";
                         return "Cancelled requested upgrade to " + name_of(asked) + "\n";
                       }};
  return answer;
}

CommandResult request_multi_arch(const RequestFlags& flags, const ClusterVersion& cluster,
                                 CommandResult answer) {
  if (cluster.desired_update().text("architecture") == "Multi") {
    answer.fail("info: Update to multi cluster architecture has already been requested");
    return answer;
  }
  if (!passes_obstacles(flags, cluster, answer)) return answer;
  if (flags.force) answer.err += force_warning;
  ask_for({.architecture = "Multi", .version = cluster.desired().version(), .force = flags.force}, cluster,
          "Requested update to multi cluster architecture\n", answer);
  answer.patch->lost = [](const ClusterVersion& patched) {
    return patched.desired_update().text("architecture") == "Multi"
               ? std::string()
               : "the ClusterVersion of this cluster has no spec.desiredUpdate.architecture; update to a "
                 "release that knows it first";
  };
  return answer;
}

/// A release that the update may go to. `condition` is set if it is not recommended.
struct Target {
  std::string version, image;
  std::optional<k8s::Condition> condition;
};

/// Returns whether a release is the one of --to or --to-image: the same image, or one with the same digest
/// from another registry. An Error: the release's image is not a valid reference.
Result<bool> is_asked_for(const RequestFlags& flags, const ReleaseView& release) {
  if (!flags.to.empty() && release.version() == flags.to) return true;
  if (flags.to_image.empty()) return false;
  if (release.image() == flags.to_image) return true;
  const auto theirs = ImageReference::parse(release.image());
  if (!theirs) return fail(theirs.error());
  const auto asked = ImageReference::parse(flags.to_image);
  if (!asked) return fail(asked.error());
  return !asked->digest.empty() && asked->digest == theirs->digest;
}

void warn_of_risks(const Target& target, CommandResult& answer) {
  answer.err += "warning: with --allow-not-recommended you have accepted the risks with " + target.version +
                " and bypassed Recommended=" + std::string(status_of(*target.condition)) + " " +
                std::string(target.condition->reason()) + ": " + std::string(target.condition->message()) +
                "\n";
}

/// Search for the target among the updates. `possible` collects the other updates.
class TargetSearch {
 public:
  TargetSearch(const RequestFlags& flags, const ClusterVersion& cluster, CommandResult& answer)
      : flags_(flags), cluster_(cluster), answer_(answer) {
    find_recommended();
    // A failed answer: the update is conditional, and that was not allowed.
    if (!found_) find_conditional(cluster_.conditional_updates(), true);
    if (!found_ && !answer_.failed()) find_unlisted();
    if (answer_.failed()) return;
    if (!found_ && !flags_.to_image.empty() && flags_.allow_explicit_upgrade) {
      found_ = Target{.image = flags_.to_image};
      answer_.err +=
          "warning: The requested upgrade image is not one of the available updates. You have used "
          "--allow-explicit-upgrade for the update to proceed anyway\n";
    }
    std::ranges::stable_sort(possible_, is_shown_before, &Target::version);
    if (flags_.to_latest && !possible_.empty()) {
      found_ = possible_.front();
      if (found_->condition) warn_of_risks(*found_, answer_);
    }
  }

  const std::optional<Target>& found() const { return found_; }
  const std::vector<Target>& possible() const { return possible_; }

 private:
  bool matches(const ReleaseView& release, std::string_view list) {
    const auto asked_for = is_asked_for(flags_, release);
    if (!asked_for)
      answer_.err += "warning: unable to calculate match for the update target in available " +
                     std::string(list) + ": " + asked_for.error().message + "\n";
    return asked_for.value_or(false);
  }

  void find_recommended() {
    for (const ReleaseView& release : cluster_.available_updates()) {
      if (matches(release, "updates")) {
        // The image as it was asked for, perhaps from another registry.
        found_ = Target{std::string(release.version()),
                        flags_.to_image.empty() ? std::string(release.image()) : flags_.to_image,
                        {}};
        return;
      }
      possible_.push_back({std::string(release.version()), std::string(release.image()), {}});
    }
  }

  /// Looks among the updates that count, although they are not listed.
  void find_unlisted() {
    const std::vector<json::Object> unlisted = openshift::unlisted_updates(cluster_);
    std::vector<ConditionalUpdate> conditional;
    for (const json::Object& one : unlisted) {
      const ConditionalUpdate update(one);
      if (!update.condition("Recommended")->is_true()) {
        conditional.push_back(update);
      } else if (matches(update.release(), "updates")) {
        found_ = Target{std::string(update.release().version()),
                        flags_.to_image.empty() ? std::string(update.release().image()) : flags_.to_image,
                        {}};
        return;
      }
    }
    find_conditional(conditional, false);
    // The condition is a view, and has been shown.
    if (found_) found_->condition.reset();
  }

  void find_conditional(const std::vector<ConditionalUpdate>& updates, bool are_listed) {
    for (const ConditionalUpdate& update : updates) {
      const auto condition = update.condition("Recommended");
      if (!condition || condition->is_true()) continue;
      const ReleaseView release = update.release();
      Target target{std::string(release.version()), std::string(release.image()), condition};
      if (matches(release, "conditional updates")) {
        if (!flags_.allow_not_recommended) {
          answer_.fail("the update " + target.version +
                       " is not one of the recommended updates, but is available as a conditional update. To "
                       "accept the Recommended=" +
                       std::string(status_of(*condition)) +
                       " risk and to proceed with update use --allow-not-recommended." + explain(*condition));
          return;
        }
        warn_of_risks(target, answer_);
        found_ = std::move(target);
        return;
      }
      if (are_listed && flags_.allow_not_recommended) possible_.push_back(std::move(target));
    }
  }

  const RequestFlags& flags_;
  const ClusterVersion& cluster_;
  CommandResult& answer_;
  std::optional<Target> found_;
  std::vector<Target> possible_;
};

/// Ends a command whose target is not among the updates.
void refuse(const RequestFlags& flags, const ClusterVersion& cluster, const std::vector<Target>& possible,
            CommandResult& answer) {
  const std::string next = std::string(flags.to_image.empty() ? "--to-image" : "--allow-explicit-upgrade") +
                           " to continue with " + (flags.to_latest ? "an" : "the") + " update";
  const auto retrieved = cluster.condition("RetrievedUpdates");
  if (retrieved && !retrieved->is_true()) {
    answer.fail("cannot refresh available updates:" + explain(*retrieved) + "\n\nspecify " + next + ".");
  } else if (!possible.empty()) {
    std::vector<std::string> versions;
    for (const Target& target : possible) versions.push_back(target.version);
    answer.fail("the update is not one of the possible targets: " + join(versions, ", ") + ". specify " +
                next + "." +
                (openshift::has_more_unlisted_updates(cluster)
                     ? " There are more than ClusterVersion can hold: `fairway risk status` has all."
                     : ""));
  } else if (flags.allow_not_recommended) {
    answer.fail("no recommended or conditional updates, specify " + next +
                " or wait for new updates to be available.");
  } else if (flags.to_latest) {
    answer.out += "info: Cluster is already at the latest available version " +
                  std::string(cluster.desired().version()) + "\n";
  } else {
    answer.fail("no recommended updates, specify " + next + " or wait for new updates to be available.");
  }
}

}  // namespace

CommandResult check(const RequestFlags& flags) {
  CommandResult answer;
  const bool to_release = !flags.to.empty() || !flags.to_image.empty() || flags.to_latest;
  if (flags.clear && (to_release || flags.to_multi_arch)) {
    answer.fail("--clear may not be specified with any other flags");
  } else if (flags.to_multi_arch && to_release) {
    answer.fail("--to-multi-arch may not be used with --to, --to-image, or --to-latest");
  } else if (!flags.to.empty() && !flags.to_image.empty()) {
    answer.fail("only one of --to or --to-image may be provided");
  } else if (!flags.to.empty()) {
    if (const auto version = read_version(flags.to); !version)
      answer.fail("--to must be a semantic version (e.g. 4.0.1 or 4.1.0-nightly-20181104): " +
                  version.error().message);
  } else if (!flags.to_image.empty()) {
    const auto image = ImageReference::parse(flags.to_image);
    if (!image) {
      answer.fail("--to-image must be a valid image pull spec: " + image.error().message);
    } else if (image->digest.empty() && image->tag.empty()) {
      answer.fail("--to-image must be a valid image pull spec: no tag or digest specified");
    } else if (!image->tag.empty() && flags.force) {
      answer.err +=
          "warning: Using by-tag pull specs is dangerous, and while we still allow it in combination with "
          "--force for backward compatibility, it would be much safer to pass a by-digest pull spec "
          "instead\n";
    } else if (!image->tag.empty()) {
      answer.fail(
          "--to-image must be a by-digest pull spec, unless --force is also set, because release images that "
          "are "
          "not accessed via digest cannot be verified by the cluster.  Even when --force is set, using tags "
          "is "
          "not recommended, although we continue to allow it for backwards compatibility");
    }
  }
  return answer;
}

CommandResult request(const RequestFlags& flags, const ClusterVersion& cluster, CommandResult answer) {
  if (flags.clear) return clear(cluster, std::move(answer));
  if (flags.to_multi_arch) return request_multi_arch(flags, cluster, std::move(answer));
  if (!flags.to.empty() && flags.to == cluster.desired().version()) {
    answer.out += "info: Cluster is already at version " + flags.to + "\n";
    return answer;
  }
  if (!flags.to_image.empty() && flags.to_image == cluster.desired().image()) {
    answer.out += "info: Cluster is already at " + flags.to_image + "\n";
    return answer;
  }
  const TargetSearch search(flags, cluster, answer);
  if (answer.failed()) return answer;
  if (!search.found()) {
    refuse(flags, cluster, search.possible(), answer);
    return answer;
  }
  const Target& target = *search.found();
  if (flags.force) answer.err += force_warning;
  if (!passes_obstacles(flags, cluster, answer)) return answer;
  ask_for({.version = target.version, .image = target.image, .force = flags.force}, cluster,
          target.version.empty() ? "Requested update to release image " + target.image + "\n"
                                 : "Requested update to " + target.version + "\n",
          answer);
  return answer;
}

}  // namespace fairway::adm
