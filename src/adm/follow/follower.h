// SPDX-License-Identifier: Apache-2.0

// `adm upgrade --wait`: one update, from its request to its outcome, as its ClusterVersion tells of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adm/caller.h"
#include "base/clock.h"
#include "base/json.h"
#include "openshift/cluster_version.h"

namespace fairway::adm {

enum class FollowState {
  pending,    ///< asked for, and not begun
  updating,   ///< begun, and not completed
  completed,  ///< the history says that it is
  refused,    ///< the cluster does not begin it
  replaced,   ///< another release is asked for now, or none
  unknown,    ///< the cluster does not say whether it is completed
};
/// Returns "pending", "updating", "completed", "refused", "replaced" or "unknown".
std::string_view to_string(FollowState state);

/// The state of a followed update.
struct FollowStep {
  FollowState state = FollowState::pending;
  /// Words of the operator, on one line: "Working towards 4.7.4: 1 of 3 done (33% complete)". After the end
  /// it is the outcome as a sentence without its point.
  std::string message = {};
  /// Reason and message of what keeps the update from going on, on one line; empty: nothing is known.
  std::string failing = {};

  bool has_ended() const { return state != FollowState::pending && state != FollowState::updating; }
  bool has_failed() const { return has_ended() && state != FollowState::completed; }
  friend bool operator==(const FollowStep&, const FollowStep&) = default;
};

/// A release by its version or image; one of them may be empty.
struct FollowTarget {
  std::string version = {}, image = {};
  /// True for the version's image of several architectures, where that image is not known.
  bool several_architectures = false;

  /// Returns "4.7.4", or "4.7.4 for several architectures".
  std::string title() const { return several_architectures ? name() + " for several architectures" : name(); }
  /// Returns the version, else the image.
  const std::string& name() const { return version.empty() ? image : version; }
  /// Returns whether this is the release: by the images if both are known, else by the versions. Whether it
  /// is for several architectures is not looked at.
  bool is(std::string_view other_version, std::string_view other_image) const;
  /// Returns whether a message of the operator about loading a release is about this one, which it names by
  /// the image that was asked for, or else by the version: `image="..."`.
  bool is_named_in(std::string_view message) const;
};

/// Follows one update through the states of its ClusterVersion. States may be skipped.
class Follower {
 public:
  /// Begins to follow the update that `now` asks for (`spec.desiredUpdate`), or else the one that runs.
  /// `before` is the ClusterVersion before it was asked for: what that says already is not taken for an
  /// answer to this request. It is the same object where nothing was asked for. `target`: the release to
  /// follow, in place of the one that `now` asks for. std::nullopt: there is no update to follow.
  static std::optional<Follower> begin(const openshift::ClusterVersion& before,
                                       const openshift::ClusterVersion& now,
                                       std::optional<FollowTarget> target = {});

  /// Takes the next state of the ClusterVersion, and returns what it says of the update.
  FollowStep see(const openshift::ClusterVersion& cluster);

  const FollowTarget& target() const { return target_; }

 private:
  /// A condition that speaks against the request: when it came, and its message.
  struct Refusal {
    std::optional<WallTime> since;
    std::string message;
    friend bool operator==(const Refusal&, const Refusal&) = default;
  };
  explicit Follower(FollowTarget target) : target_(std::move(target)) {}
  std::optional<Refusal> not_accepted(const openshift::ClusterVersion& cluster) const;
  static std::optional<Refusal> invalid(const openshift::ClusterVersion& cluster);
  bool is_counted(const openshift::UpdateHistory& entry, const openshift::ClusterVersion& cluster) const;
  std::optional<FollowStep> completed(const openshift::ClusterVersion& cluster) const;
  std::optional<FollowStep> unknown(const openshift::ClusterVersion& cluster) const;
  std::optional<FollowStep> replaced(const openshift::ClusterVersion& cluster) const;
  std::optional<FollowStep> refused(const openshift::ClusterVersion& cluster);

  FollowTarget target_;
  /// True if `spec.desiredUpdate` asks for it.
  bool is_asked_for_ = false;
  /// Generation of the ClusterVersion that asks for it; 0: the request changed nothing, or the form only.
  std::int64_t generation_ = 0;
  /// The newest entry of the history when it was asked for; empty: there was none.
  std::optional<FollowTarget> newest_before_;
  std::optional<WallTime> newest_started_;
  /// Refusals of an earlier request, as long as they stay as they were.
  std::optional<Refusal> old_not_accepted_, old_invalid_;
};

/// Returns the line of a state: "Working towards 4.7.4: 1 of 3 done (33% complete); failing: R: message".
std::string line_of(const FollowStep& step);

/// Returns the line of a state for a place that may cut it: what fails comes first.
std::string short_line_of(const FollowStep& step);

/// Returns the document of a state for programs: `time`, `version`, `image`, `state`, `message`, and
/// `failing` if there is something.
json::Object document_of(const FollowTarget& target, const FollowStep& step, WallTime now);

/// Returns what an administrator may do next, each sentence on a line of its own, for an end that is no
/// completion; empty after a completion.
std::string advice_after(const FollowStep& step, const Caller& caller);

}  // namespace fairway::adm
