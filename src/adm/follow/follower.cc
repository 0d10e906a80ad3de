// SPDX-License-Identifier: Apache-2.0

#include "adm/follow/follower.h"

#include <algorithm>
#include <utility>

#include "adm/internal/architectures.h"
#include "adm/internal/invalid_spec.h"
#include "adm/internal/same_request.h"
#include "adm/internal/status/durations.h"
#include "k8s/condition.h"

namespace fairway::adm {
namespace {

using openshift::ClusterVersion;
using openshift::UpdateHistory;

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) line += c == '\n' ? ' ' : c;
  return line;
}

std::string reason_and_message(const k8s::Condition& condition) {
  const std::string reason(condition.reason());
  return on_one_line(reason.empty() ? std::string(condition.message())
                                    : reason + ": " + std::string(condition.message()));
}

FollowTarget target_of(const k8s::View& release) {
  return {.version = std::string(release.text("version")),
          .image = std::string(release.text("image")),
          .several_architectures = asks_for_several_architectures(release)};
}

/// Returns whether the entry is the release.
bool is(const FollowTarget& target, const UpdateHistory& entry) {
  return target.is(entry.version(), entry.image());
}

/// Returns whether a request is one for the target.
bool asks_for(const FollowTarget& request, const FollowTarget& target) {
  return target.is(request.version, request.image) &&
         target.several_architectures == request.several_architectures;
}

/// Returns what keeps an update from going on, unless the message says so already.
std::string failing_of(const ClusterVersion& cluster, std::string_view message) {
  const auto failing = cluster.condition("Failing");
  if (!failing || failing->is_false()) return {};
  if (message.contains(failing->message()) && !failing->message().empty()) return {};
  return reason_and_message(*failing);
}

}  // namespace

std::string_view to_string(FollowState state) {
  switch (state) {
    case FollowState::pending:
      return "pending";
    case FollowState::updating:
      return "updating";
    case FollowState::completed:
      return "completed";
    case FollowState::refused:
      return "refused";
    case FollowState::replaced:
      return "replaced";
    case FollowState::unknown:
      return "unknown";
  }
  return "";
}

bool FollowTarget::is(std::string_view other_version, std::string_view other_image) const {
  if (!image.empty() && !other_image.empty()) return image == other_image;
  return !version.empty() && version == other_version;
}

bool FollowTarget::is_named_in(std::string_view message) const {
  return message.contains(image.empty() ? "version=\"" + version + "\"" : "image=\"" + image + "\"");
}

std::optional<Follower> Follower::begin(const ClusterVersion& before, const ClusterVersion& now,
                                        std::optional<FollowTarget> target) {
  const FollowTarget asked = target_of(now.desired_update());
  if (!target && !asked.name().empty()) target = asked;
  const std::vector<UpdateHistory> history = before.history();
  if (!target && !history.empty() && !history.front().is_completed()) target = target_of(history.front());
  if (!target) return std::nullopt;
  Follower follower(*std::move(target));
  follower.is_asked_for_ = asks_for(asked, follower.target_);
  if (!history.empty()) {
    follower.newest_before_ = target_of(history.front());
    follower.newest_started_ = history.front().started();
  }
  if (now.generation() != before.generation() && !is_same_request(before, now)) {
    follower.generation_ = now.generation();
    follower.old_not_accepted_ = follower.not_accepted(before);
    follower.old_invalid_ = invalid(before);
  }
  return follower;
}

std::optional<Follower::Refusal> Follower::not_accepted(const ClusterVersion& cluster) const {
  const auto accepted = cluster.condition("ReleaseAccepted");
  if (!accepted || !accepted->is_false()) return std::nullopt;
  // The message names the release that it is about; the condition may still be that of another request.
  if (!target_.is_named_in(accepted->message())) return std::nullopt;
  return Refusal{.since = accepted->last_transition(), .message = reason_and_message(*accepted)};
}

std::optional<Follower::Refusal> Follower::invalid(const ClusterVersion& cluster) {
  const std::string errors = invalid_spec(cluster).of_request;
  if (errors.empty()) return std::nullopt;
  const auto condition = cluster.condition("Invalid");
  return Refusal{.since = condition->last_transition(),
                 .message = std::string(condition->reason()) + ": " + on_one_line(errors)};
}

/// Returns whether a completed entry of the target's version is the target.
bool Follower::is_counted(const UpdateHistory& entry, const ClusterVersion& cluster) const {
  if (!target_.several_architectures) return true;
  const bool was_there = newest_before_ && is(*newest_before_, entry) && entry.started() == newest_started_;
  return !was_there || architectures_of(cluster, entry.image()) == Architectures::several;
}

/// An entry is of this request if it is newer than those that there were, or the newest of them.
std::optional<FollowStep> Follower::completed(const ClusterVersion& cluster) const {
  const auto history = cluster.history();
  const bool is_rewritten = newest_before_ && std::ranges::none_of(history, [&](const UpdateHistory& entry) {
                              return is(*newest_before_, entry) && entry.started() == newest_started_;
                            });
  for (const UpdateHistory& entry : history) {
    // Where the newest entry of then is gone, the time tells which entries are newer.
    if (is_rewritten && !(newest_started_ && entry.started() > newest_started_)) break;
    if (is(target_, entry) && entry.is_completed() && is_counted(entry, cluster)) {
      std::string message = "the update to " + target_.title() + " is completed";
      const auto started = entry.started(), ended = entry.completed();
      if (started && ended && *ended > *started)
        message += ": it took " + short_duration(elapsed(*started, *ended));
      return FollowStep{.state = FollowState::completed, .message = std::move(message)};
    }
    if (newest_before_ && is(*newest_before_, entry) && entry.started() == newest_started_) break;
  }
  return std::nullopt;
}

/// An operator that knows of architectures begins the update by itself once it knows the image; of another
/// one nobody can tell whether it has anything to do.
std::optional<FollowStep> Follower::unknown(const ClusterVersion& cluster) const {
  const auto history = cluster.history();
  if (!target_.several_architectures || history.empty() || !is(target_, history.front())) return std::nullopt;
  const bool is_seen = cluster.integer("status.observedGeneration") >= cluster.generation();
  if (!history.front().is_completed() || !is_seen ||
      architectures_of(cluster, history.front().image()) != Architectures::unknown)
    return std::nullopt;
  const auto accepted = cluster.condition("ReleaseAccepted");
  // Another image is loaded or refused: that is this update.
  if (accepted && !accepted->is_true()) return std::nullopt;
  return FollowStep{.state = FollowState::unknown,
                    .message = "whether the update to " + target_.title() +
                               " is completed cannot be known: neither status.desired nor ReleaseAccepted "
                               "names the architecture of " +
                               std::string(history.front().image())};
}

std::optional<FollowStep> Follower::replaced(const ClusterVersion& cluster) const {
  const auto step = [&](const std::string& by) {
    return FollowStep{.state = FollowState::replaced,
                      .message = "the update to " + target_.title() + " is not followed to its end: " + by};
  };
  const FollowTarget asked = target_of(cluster.desired_update());
  if (is_asked_for_ && !asks_for(asked, target_)) {
    if (asked.name().empty()) return step("the request was taken back");
    return step("the cluster is asked for " + asked.title() + " now");
  }
  if (is_asked_for_) return std::nullopt;
  const auto history = cluster.history();
  if (history.empty() || is(target_, history.front())) return std::nullopt;
  return step("an update to " + target_of(history.front()).name() + " has begun");
}

std::optional<FollowStep> Follower::refused(const ClusterVersion& cluster) {
  if (!is_asked_for_) return std::nullopt;
  const auto step = [&](const Refusal& refusal) {
    return FollowStep{
        .state = FollowState::refused,
        .message = "the cluster refuses the update to " + target_.title() + ": " + refusal.message};
  };
  const auto not_accepted_now = not_accepted(cluster);
  if (old_not_accepted_ != not_accepted_now) old_not_accepted_.reset();
  if (not_accepted_now && !old_not_accepted_) return step(*not_accepted_now);
  const auto invalid_now = invalid(cluster);
  // A spec that is as wrong as before has the same message: it counts once the operator has seen the request.
  if (old_invalid_ != invalid_now || cluster.integer("status.observedGeneration") >= generation_)
    old_invalid_.reset();
  if (invalid_now && !old_invalid_) return step(*invalid_now);
  return std::nullopt;
}

FollowStep Follower::see(const ClusterVersion& cluster) {
  if (auto step = completed(cluster)) return *std::move(step);
  if (auto step = replaced(cluster)) return *std::move(step);
  const auto history = cluster.history();
  const bool has_begun = !history.empty() && is(target_, history.front()) &&
                         !(target_.several_architectures && history.front().is_completed());
  if (has_begun) {
    const auto progressing = cluster.condition("Progressing");
    std::string message = progressing ? on_one_line(progressing->message()) : "";
    if (message.empty()) message = "the update to " + target_.title() + " has begun";
    std::string failing = failing_of(cluster, message);
    return {.state = FollowState::updating, .message = std::move(message), .failing = std::move(failing)};
  }
  if (auto step = refused(cluster)) return *std::move(step);
  if (auto step = unknown(cluster)) return *std::move(step);
  const auto accepted = cluster.condition("ReleaseAccepted");
  const bool is_loading = accepted && !accepted->is_true() && !accepted->is_false();
  return {.message = is_loading ? on_one_line(accepted->message())
                                : "waiting for the cluster to begin the update to " + target_.title()};
}

std::string line_of(const FollowStep& step) {
  return step.failing.empty() ? step.message : step.message + "; failing: " + step.failing;
}

std::string short_line_of(const FollowStep& step) {
  return step.failing.empty() ? step.message : "failing: " + step.failing + "; " + step.message;
}

json::Object document_of(const FollowTarget& target, const FollowStep& step, WallTime now) {
  json::Object document{{"time", format_time(now)},
                        {"version", target.version},
                        {"image", target.image},
                        {"state", to_string(step.state)},
                        {"message", step.message}};
  if (!step.failing.empty()) document["failing"] = step.failing;
  return document;
}

std::string advice_after(const FollowStep& step, const Caller& caller) {
  if (step.state == FollowState::refused) {
    return "The cluster tries again as long as the update is asked for. What usually helps: `" +
           caller.upgrade + " why`. To take the request back: `" + caller.upgrade + " --clear`.\n";
  }
  if (step.state == FollowState::unknown)
    return "To see the image and the conditions of the cluster: `" + caller.client +
           " get clusterversion version -o yaml`.\n";
  if (step.state == FollowState::replaced)
    return "To follow what the cluster is asked for now: `" + caller.upgrade + " --wait`.\n";
  return {};
}

}  // namespace fairway::adm
