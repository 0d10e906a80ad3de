// SPDX-License-Identifier: Apache-2.0

// Updates that ClusterVersion's lists have no room for, or that its definition does not take: they count all
// the same, and are kept in the message of a condition.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "openshift/cluster_version.h"

namespace fairway::openshift {

/// The type of the condition.
inline constexpr const char* unlisted_updates_condition = "fairway.dev/UnlistedUpdates";

/// Returns the message of the condition: a line for people, and one JSON object for each update, with
/// `release` and, if the update has risks, the condition Recommended. It ends before `max_bytes`.
inline std::string unlisted_updates_message(const std::vector<json::Object>& updates, std::size_t max_bytes) {
  std::string message = "Offered and not listed, one JSON object each:";
  for (const json::Object& update : updates) {
    const std::string line = "\n" + json::to_text(update);
    if (message.size() + line.size() <= max_bytes) message += line;
  }
  return message;
}

/// Returns the updates of the condition, each as in `status.conditionalUpdates`: `release` and `conditions`.
/// Lines that are no such objects are skipped.
inline std::vector<json::Object> unlisted_updates(const ClusterVersion& cluster) {
  std::vector<json::Object> updates;
  const auto condition = cluster.condition(unlisted_updates_condition);
  if (!condition || !condition->is_true()) return updates;
  for (const std::string_view line : split(condition->message(), '\n')) {
    if (!line.starts_with('{')) continue;
    auto update = json::parse(line);
    if (!update || !update->is_object()) continue;
    if (!ConditionalUpdate(update->get_object()).release().image().empty())
      updates.push_back(std::move(update->get_object()));
  }
  return updates;
}

}  // namespace fairway::openshift
