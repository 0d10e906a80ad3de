// SPDX-License-Identifier: Apache-2.0

// The states of an update. docs/operator-reference.md has them as a diagram, and as a table.
#pragma once

#include <array>
#include <string_view>

namespace fairway::operators {

enum class UpdateState {
  deciding,     ///< the desired release is read from ClusterVersion
  idle,         ///< it is not known what runs here
  loading,      ///< the release is pulled and verified
  checking,     ///< its preconditions are checked
  refused,      ///< not loadable, or preconditions failed
  starting,     ///< the history gets its entry, before any object is applied
  applying,     ///< its manifests are applied
  retrying,     ///< applying has failed, and is tried again soon
  completing,   ///< the history's entry becomes Completed
  reconciling,  ///< drift is reverted
  resting,      ///< waits for the next resync
};

inline constexpr std::array update_states{
    UpdateState::deciding,   UpdateState::idle,        UpdateState::loading,  UpdateState::checking,
    UpdateState::refused,    UpdateState::starting,    UpdateState::applying, UpdateState::retrying,
    UpdateState::completing, UpdateState::reconciling, UpdateState::resting};

/// Returns "deciding" and so on, for metrics and logs.
constexpr std::string_view to_string(UpdateState state) {
  switch (state) {
    case UpdateState::deciding:
      return "deciding";
    case UpdateState::idle:
      return "idle";
    case UpdateState::loading:
      return "loading";
    case UpdateState::checking:
      return "checking";
    case UpdateState::refused:
      return "refused";
    case UpdateState::starting:
      return "starting";
    case UpdateState::applying:
      return "applying";
    case UpdateState::retrying:
      return "retrying";
    case UpdateState::completing:
      return "completing";
    case UpdateState::reconciling:
      return "reconciling";
    case UpdateState::resting:
      return "resting";
  }
  return "";
}

}  // namespace fairway::operators
