// SPDX-License-Identifier: Apache-2.0

#include "payload/preconditions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/semver.h"
#include "base/text.h"

namespace fairway::payload {

namespace {

constexpr const char* rollback_check = "ClusterVersionRollback";
constexpr const char* giant_hop_check = "ClusterVersionGiantHop";
constexpr const char* upgradeable_check = "ClusterVersionUpgradeable";
constexpr const char* recommended_check = "ClusterVersionRecommendedUpdate";

using Failure = std::optional<PreconditionFailure>;

/// Parses a version. Errors: the reason why it is not valid.
Result<Version> read_version(std::string_view text) {
  if (std::ranges::count(text, '.') < 2)
    return fail(ErrorCode::invalid, "No Major.Minor.Patch elements found");
  return Version::parse(text);
}

/// The current release of the cluster and the target of the update.
struct Hop {
  const openshift::ClusterVersion& cluster;
  const UnlistedUpdates& unlisted;
  std::string from_text, to_text, image;
  Result<Version> from, to;

  Hop(const openshift::ClusterVersion& of, const UpdateTarget& target, const UnlistedUpdates& not_listed)
      : cluster(of),
        unlisted(not_listed),
        from_text(of.desired().version()),
        to_text(target.version),
        image(target.image),
        from(read_version(from_text)),
        to(read_version(to_text)) {}

  /// Returns the failure of a check that has to compare versions when one is invalid. An invalid current
  /// version does not block, as the update is not to blame for it.
  Failure without_version(const char* check) const {
    if (!from) return PreconditionFailure{check, "InvalidCurrentVersion", from.error().message, false};
    if (!to) return PreconditionFailure{check, "InvalidDesiredVersion", to.error().message};
    return std::nullopt;
  }
  bool same_minor() const { return from->major() == to->major() && from->minor() == to->minor(); }
};

Failure check_rollback(const Hop& hop) {
  if (auto failure = hop.without_version(rollback_check)) return failure;
  if (compare_precedence(*hop.to, *hop.from) >= 0) return std::nullopt;
  const auto low = [&](const std::string& why) {
    return PreconditionFailure{rollback_check, "LowDesiredVersion",
                               hop.to_text + " is less than the current target " + hop.from_text + why};
  };
  const auto history = hop.cluster.history();
  const auto is_other = [&](const openshift::UpdateHistory& entry) {
    return entry.version() != hop.from_text || entry.image() != hop.cluster.desired().image();
  };
  const auto previous = std::ranges::find_if(history, is_other);
  if (previous == history.end() || !read_version(previous->version()))
    return low(", and the cluster has no previous Semantic Version");
  // Several updates may have begun since a release was completed, and none of them ended.
  const auto completed = std::ranges::find_if(history, [&](const openshift::UpdateHistory& entry) {
    return is_other(entry) && entry.is_completed();
  });
  const auto is_target = [&](const auto& entry) {
    if (entry == history.end()) return false;
    const auto version = read_version(entry->version());
    return version && compare_precedence(*version, *hop.to) == 0;
  };
  const bool is_previous = is_target(previous);
  if (!is_previous && !is_target(completed)) {
    const auto named = [](const openshift::UpdateHistory& entry) {
      return std::string(entry.version()) + " (" + std::string(entry.image()) + ")";
    };
    const bool has_more = completed != history.end() && completed != previous;
    return low(", and the only supported rollback is to the cluster's previous version " + named(*previous) +
               (has_more ? " or to " + named(*completed) + ", which was completed last" : ""));
  }
  if (hop.same_minor()) return std::nullopt;
  return low(std::string(" and matches the ") +
             (is_previous ? "cluster's previous version" : "version that was completed last") +
             ", but rollbacks that change major or minor versions are not recommended");
}

Failure check_giant_hop(const Hop& hop) {
  if (auto failure = hop.without_version(giant_hop_check)) return failure;
  const Version &from = *hop.from, &to = *hop.to;
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  if (to.major() > from.major()) {
    // The only change of the major version that is supported.
    const bool to_five = from.major() == 4 && to.major() == 5;
    if (to_five && to.minor() == 0) return std::nullopt;
    return PreconditionFailure{giant_hop_check, "MajorVersionUpdate",
                               hop.to_text + " has a larger major version than the current target " +
                                   hop.from_text + " (" + number(to.major()) + " > " + number(from.major()) +
                                   "), and only updates within the current major version " +
                                   (to_five ? "or to 5.0 " : "") + "are supported."};
  }
  if (to.major() < from.major() || to.minor() <= from.minor() || to.minor() - from.minor() == 1)
    return std::nullopt;
  return PreconditionFailure{giant_hop_check, "MultipleMinorVersionsUpdate",
                             hop.to_text + " is more than one minor version beyond the current target " +
                                 hop.from_text + " (" + to.minor_text() + " > " + number(from.major()) +
                                 ".(" + number(from.minor()) +
                                 "+1)), and only updates within the current minor version or to the next "
                                 "minor version are supported."};
}

bool has_overrides(const openshift::ClusterVersion& cluster) {
  return std::ranges::any_of(cluster.items("spec.overrides"),
                             [](const k8s::View& one) { return one.flag("unmanaged"); });
}

/// Returns the version from which a minor version update in progress started; empty: there is none.
std::string minor_update_from(const Hop& hop) {
  const auto progressing = hop.cluster.condition("Progressing");
  if (!progressing || !progressing->is_true()) return "";
  for (const auto& entry : hop.cluster.history()) {
    if (!entry.is_completed()) continue;
    const auto version = read_version(entry.version());
    const bool other =
        version && (version->major() != hop.from->major() || version->minor() != hop.from->minor());
    return other ? std::string(entry.version()) : "";
  }
  return "";
}

Failure check_upgradeable(const Hop& hop) {
  const auto upgradeable = hop.cluster.condition("Upgradeable");
  if (!upgradeable || !upgradeable->is_false()) return std::nullopt;
  if (auto failure = hop.without_version(upgradeable_check)) {
    failure->blocks = true;
    return failure;
  }
  if (!hop.same_minor() && compare_precedence(*hop.to, *hop.from) > 0) {
    return PreconditionFailure{upgradeable_check, std::string(upgradeable->reason()),
                               std::string(upgradeable->message())};
  }
  if (has_overrides(hop.cluster)) {
    return PreconditionFailure{
        upgradeable_check, "ClusterVersionOverridesSet",
        "Retarget from " + hop.from_text + " to " + hop.to_text +
            " is not blocked by ClusterVersionOverridesSet. But the cluster-version operator is not managing "
            "these "
            "resources; they are currently the responsibility of the agent that set the overrides: Disabling "
            "ownership via cluster version overrides prevents upgrades between minor or major versions. "
            "Please "
            "remove overrides before requesting a minor or major version update.",
        false};
  }
  const std::string completed = minor_update_from(hop);
  if (completed.empty() || !hop.same_minor()) return std::nullopt;
  return PreconditionFailure{upgradeable_check, "MinorVersionClusterUpdateInProgress",
                             "Retarget to " + hop.to_text + " while a minor version update from " +
                                 completed + " to " + hop.from_text + " is in progress",
                             false};
}

Failure check_conditional_update(const Hop& hop, const openshift::ConditionalUpdate& update) {
  const std::string described = "Update from " + hop.from_text + " to " + hop.to_text;
  const auto recommended = update.condition("Recommended");
  if (!recommended) {
    return PreconditionFailure{
        recommended_check, "UnknownConditionType",
        described + " has a status.conditionalUpdates entry, but no Recommended condition.", false};
  }
  if (recommended->is_true()) return std::nullopt;
  const std::string reason(recommended->reason()), message(recommended->message());
  return PreconditionFailure{
      recommended_check, reason,
      recommended->is_false()
          ? described + " is not recommended:\n\n" + message
          : described + " is Recommended=" + std::string(k8s::to_string(recommended->status())) + ": " +
                reason + ": " + message,
      false,
      // The enhancement of docs/risks.md, "ClusterVersion history".
      "Updating from " + hop.from_text + " to " + hop.to_text +
          " is supported, but not recommended for this cluster.\n\nReason: " + reason + "\n\n" + message};
}

/// Returns whether two pull specs are of one image: the same text, or the same digest in another registry.
bool is_same_image(std::string_view a, std::string_view b) {
  const auto digest = [](std::string_view image) {
    const std::size_t at = image.find('@');
    return at == std::string_view::npos ? std::string_view() : image.substr(at);
  };
  return a == b || (!digest(a).empty() && digest(a) == digest(b));
}

/// Checks that the image is the one that the update service lists for its version.
Failure check_listed_image(const Hop& hop) {
  std::vector<std::string> listed;
  const auto add = [&](std::string_view version, std::string_view image) {
    if (version == hop.to_text && !image.empty()) listed.emplace_back(image);
  };
  for (const auto& release : hop.cluster.available_updates()) add(release.version(), release.image());
  for (const auto& update : hop.cluster.conditional_updates())
    add(update.release().version(), update.release().image());
  for (const UpdateTarget& one : hop.unlisted.available) add(one.version, one.image);
  for (const json::Object& one : hop.unlisted.conditional) {
    const openshift::ConditionalUpdate update(one);
    add(update.release().version(), update.release().image());
  }
  const auto is_it = [&](const std::string& image) { return is_same_image(image, hop.image); };
  if (hop.image.empty() || listed.empty() || std::ranges::any_of(listed, is_it)) return std::nullopt;
  return PreconditionFailure{recommended_check, "UnknownImage",
                             "The image " + hop.image + " is not the one that is listed for " + hop.to_text +
                                 " (" + listed.front() + "), so the update from " + hop.from_text + " to " +
                                 hop.to_text + " is probably neither recommended nor supported.",
                             false};
}

Failure check_recommended(const Hop& hop) {
  for (const auto& update : hop.cluster.conditional_updates())
    if (update.release().version() == hop.to_text) return check_conditional_update(hop, update);
  for (const auto& update : hop.cluster.available_updates())
    if (update.version() == hop.to_text) return std::nullopt;
  for (const json::Object& one : hop.unlisted.conditional) {
    const openshift::ConditionalUpdate update(one);
    if (update.release().version() == hop.to_text) return check_conditional_update(hop, update);
  }
  const auto& available = hop.unlisted.available;
  if (std::ranges::find(available, hop.to_text, &UpdateTarget::version) != available.end())
    return std::nullopt;
  const std::string described = "from " + hop.from_text + " to " + hop.to_text;
  const std::string unknown = ", so the recommended status of updating " + described + " is unknown.";
  const auto failure = [](const char* reason, std::string message) {
    return PreconditionFailure{recommended_check, reason, std::move(message), false};
  };
  if (hop.cluster.channel().empty()) return failure("NoChannel", "Configured channel is unset" + unknown);
  const auto retrieved = hop.cluster.condition("RetrievedUpdates");
  if (!retrieved) return failure("UnknownUpdate", "No RetrievedUpdates" + unknown);
  const std::string said = "RetrievedUpdates=" + std::string(k8s::to_string(retrieved->status())) + " (" +
                           std::string(retrieved->reason()) + ")";
  if (!retrieved->is_true()) return failure("UnknownUpdate", said + unknown);
  return failure("UnknownUpdate",
                 said + ", so the update " + described + " is probably neither recommended nor supported.");
}

std::string joined(const std::vector<std::string>& texts) {
  if (texts.size() <= 1) return texts.empty() ? "" : texts.front();
  return "Multiple precondition checks failed:\n* " + join(texts, "\n* ");
}

}  // namespace

std::string PreconditionFailure::to_string() const {
  return "Precondition \"" + name + "\" failed because of \"" + reason + "\": " + message;
}

Preconditions check_preconditions(const openshift::ClusterVersion& cluster, const UpdateTarget& target,
                                  bool force, const UnlistedUpdates& unlisted) {
  const Hop hop(cluster, target, unlisted);
  Preconditions result;
  std::vector<std::string> texts, accepted;
  bool blocks = false;
  for (const auto& check :
       {check_rollback, check_giant_hop, check_upgradeable, check_listed_image, check_recommended}) {
    Failure failure = check(hop);
    if (!failure) continue;
    blocks = blocks || failure->blocks;
    texts.push_back(failure->to_string());
    accepted.push_back(failure->accepted_text.empty() ? texts.back() : failure->accepted_text);
    result.failures.push_back(*std::move(failure));
  }
  result.blocked = blocks && !force;
  const std::string forced = blocks && force ? "Forced through blocking failures: " : "";
  if (!texts.empty()) result.summary = forced + joined(texts);
  if (!texts.empty() && !result.blocked) result.accepted_risks = forced + joined(accepted);
  return result;
}

}  // namespace fairway::payload
