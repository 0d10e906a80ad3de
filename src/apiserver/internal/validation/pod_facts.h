// SPDX-License-Identifier: Apache-2.0

// Facts about a whole Pod that the rules of its parts depend on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/json.h"

namespace fairway::apiserver::validation {

/// Facts about the Pod, or the template of one, that is validated.
struct PodFacts {
  /// True for a Pod, false for a template of Pods.
  bool is_pod = false;
  /// Name of the Pod; empty for a template, and if it is much too long for one.
  std::string_view name = {};
  const json::Object* spec = nullptr;
  /// The valid volumes, by their names. Filled by the rule about volumes, which is the first of a Pod's spec.
  mutable std::map<std::string_view, const json::Object*> volumes = {};
  std::set<std::string_view> claims = {};
  /// The last spread constraint of each topology key and action.
  std::map<std::pair<std::string_view, std::string_view>, const json::Object*> last_constraints = {};
  std::optional<std::int64_t> grace_seconds = {};
  std::string_view restart_policy = {}, os = {};
  bool host_network = false, host_pid = false, host_ipc = false;
  /// False if the Pod has its own user namespace.
  bool host_users = true;
  /// True if the old object has such a value already, so that the new one may keep it.
  bool allows_bad_label_values = false, allows_bad_deletion_cost = false;

  // Of a workload, while its own fields are validated.
  /// True for an update.
  bool is_update = false;
  /// The template before an update, or nullptr.
  const json::Object* old_template = nullptr;
  /// True if the template is not validated, as it was wrong before already.
  bool skips_template = false;
  /// The schedule and the time zone before an update.
  std::string_view old_schedule = {};
  std::optional<std::string_view> old_time_zone = {};

  // Of an object of another kind.
  /// The object before an update, or nullptr.
  const json::Object* old_object = nullptr;
};

}  // namespace fairway::apiserver::validation
