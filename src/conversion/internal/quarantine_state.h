// SPDX-License-Identifier: Apache-2.0

// State that the quarantine of a kind goes by: its definition, and whether its guard is effective.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/object.h"

namespace fairway::conversion {

/// The content of an object beside the marks of a quarantine.
enum class OwnContent {
  none,             ///< nothing, or what a known definition gives an empty object
  may_be_defaults,  ///< only fields that have defaults, with other values: those of a definition not seen
  there,
};

/// The parts of a definition that matter to a quarantine.
struct QuarantineFacts {
  struct Version {
    /// The content that the definitions that were seen give an empty object, the latest first.
    std::vector<json::Object> default_contents = {};
    /// A rule of the schema has `oldSelf`.
    bool compares_with_old = false;
  };

  /// The version in which objects are stored.
  std::string storage = {};
  /// The plural of the kind if it has the subresource scale; otherwise empty.
  std::string scaled_resource = {};
  /// The reason why the kind must not be quarantined; empty: none.
  std::string obstacle = {};
  bool status_is_subresource = false;
  std::map<std::string, Version, std::less<>> versions = {};

  /// Reads a definition.
  explicit QuarantineFacts(const k8s::CustomResourceDefinition& definition);
  QuarantineFacts() = default;

  /// Returns whether an object has content besides what defaults have put there.
  OwnContent content_of(const k8s::Dynamic& object) const;
};

/// The state of one kind. Safe from all threads.
class QuarantineState {
 public:
  /// Returns what is known of the definition.
  std::shared_ptr<const QuarantineFacts> facts() const;
  /// Takes the program's definition.
  void replace(QuarantineFacts facts);
  /// Takes the definition as the server has it. The defaults of earlier ones are remembered, as objects may
  /// be stored with them. `quarantines`: the kind is to be quarantined, so that an obstacle is logged.
  void learn(const k8s::CustomResourceDefinition& on_server, bool quarantines);

  /// Says whether the validating webhook that guards the kind is effective, and until when that counts unless
  /// it is said again. Until it is said for the first time there is no server, and none is needed.
  void set_guard(bool effective, SteadyTime until) {
    const std::lock_guard lock(mutex_);
    guarded_ = effective;
    until_ = until;
  }
  /// Takes the guard for one that is not effective if it is not known any more. Returns whether it was.
  bool expire_guard(SteadyTime now) {
    const std::lock_guard lock(mutex_);
    return now >= until_ && guarded_.exchange(false);
  }
  /// Returns whether objects may be quarantined: the guard is effective, and the definition allows it.
  bool allows() const { return guarded_ && facts()->obstacle.empty(); }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const QuarantineFacts> facts_ = std::make_shared<QuarantineFacts>();
  std::string resource_version_;          ///< resourceVersion of the definition learned last
  SteadyTime until_ = SteadyTime::max();  ///< `guarded_` counts until then
  std::atomic<bool> guarded_ = true;
};

}  // namespace fairway::conversion
