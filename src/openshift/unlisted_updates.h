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

/// The end of the last line of a message that has no room for all of them.
inline constexpr std::string_view unlisted_are_cut = " more are not here";

/// Returns the JSON object that says what the updates are of: release, channel and generation.
inline std::string unlisted_updates_of(const ClusterVersion& cluster) {
  return json::to_text(json::Object{
      {"from", json::Object{{"version", cluster.desired().version()}, {"image", cluster.desired().image()}}},
      {"channel", cluster.channel()},
      {"generation", cluster.generation()}});
}

/// Returns the message of the condition: a line for people, what the updates are of, and one JSON object for
/// each, with `release` and the condition Recommended. It ends before `max_bytes`; the last line then says
/// how many have no room.
inline std::string unlisted_updates_message(const ClusterVersion& cluster,
                                            const std::vector<json::Object>& updates, std::size_t max_bytes) {
  constexpr std::size_t last_line = 40;
  std::string message = "Offered and not listed, one JSON object each:\n" + unlisted_updates_of(cluster);
  std::size_t more = 0;
  for (const json::Object& update : updates) {
    const std::string line = "\n" + json::to_text(update);
    if (message.size() + line.size() + last_line <= max_bytes) {
      message += line;
    } else {
      ++more;
    }
  }
  if (more > 0) message += "\n" + std::to_string(more) + std::string(unlisted_are_cut);
  return message;
}

/// Returns the updates of the condition, each as in `status.conditionalUpdates`: `release` and `conditions`.
/// Lines that are no such objects, and updates without the condition Recommended, are skipped. Empty if they
/// are of another release, channel or generation than those of now, or updates cannot be retrieved now.
inline std::vector<json::Object> unlisted_updates(const ClusterVersion& cluster) {
  std::vector<json::Object> updates;
  const auto condition = cluster.condition(unlisted_updates_condition),
             retrieved = cluster.condition("RetrievedUpdates");
  if (!condition || !condition->is_true() || !retrieved || !retrieved->is_true()) return updates;
  const std::string of = unlisted_updates_of(cluster);
  bool is_of_now = false;
  for (const std::string_view line : split(condition->message(), '\n')) {
    is_of_now = is_of_now || line == of;
    if (!is_of_now || !line.starts_with('{')) continue;
    auto update = json::parse(line);
    if (!update || !update->is_object()) continue;
    const ConditionalUpdate view(update->get_object());
    if (!view.release().image().empty() && view.condition("Recommended"))
      updates.push_back(std::move(update->get_object()));
  }
  return updates;
}

/// Returns whether there are more updates than the condition has.
inline bool has_more_unlisted_updates(const ClusterVersion& cluster) {
  const auto condition = cluster.condition(unlisted_updates_condition);
  return condition && condition->is_true() && condition->message().ends_with(unlisted_are_cut);
}

}  // namespace fairway::openshift
