// SPDX-License-Identifier: Apache-2.0

#include "operators/status_events.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/cut_text.h"
#include "base/text.h"
#include "operators/channel_list.h"
#include "operators/internal/censor.h"
#include "operators/release_keys.h"
#include "operators/update_lists.h"

namespace fairway::operators {
namespace {

using k8s::ConditionStatus;

/// Largest message that the API accepts.
constexpr std::size_t max_event_message = 1'024;

StatusDigest::Condition condition_of(const k8s::Condition& condition) {
  return {condition.status(), std::string(condition.reason()),
          cut_text(condition.message(), max_event_message)};
}

/// A condition with an event when its status becomes `bad`, and, if `over` is not empty, when it is good
/// again.
struct Watched {
  const char* type;
  ConditionStatus bad;
  const char *reason, *over;
};
constexpr std::array<Watched, 7> watched{
    {{retrieved_updates, ConditionStatus::is_false, "RetrievingUpdatesFailed", "UpdatesRetrieved"},
     {stale_updates, ConditionStatus::is_true, "UpdatesStale", ""},
     {incomplete_updates, ConditionStatus::is_true, "UpdatesIncomplete", ""},
     {retrieved_channels, ConditionStatus::is_false, "RetrievingChannelsFailed", "ChannelsRetrieved"},
     {release_keys_missing, ConditionStatus::is_true, "ReleaseKeysMissing", ""},
     {"ReleaseAccepted", ConditionStatus::is_false, "ReleaseNotAccepted", "ReleaseAccepted"},
     {"Failing", ConditionStatus::is_true, "UpdateFailing", ""}}};

/// Returns whether a condition is bad. A service that does not serve channels is not.
bool is_bad(const Watched& what, const StatusDigest::Condition& condition) {
  return condition.status == what.bad && condition.reason != "ChannelsNotServed";
}

void add_conditions(const StatusDigest& before, const StatusDigest& after, std::vector<StatusEvent>& events) {
  for (const Watched& what : watched) {
    const auto now = after.conditions.find(what.type), old = before.conditions.find(what.type);
    const bool was_bad = old != before.conditions.end() && is_bad(what, old->second);
    if (now == after.conditions.end()) continue;
    if (is_bad(what, now->second)) {
      if (was_bad && old->second.reason == now->second.reason) continue;
      events.push_back({true, what.reason, now->second.reason + ": " + now->second.message});
    } else if (was_bad && *what.over != '\0') {
      events.push_back(
          {false, what.over,
           std::string(what.type) + " is " + std::string(k8s::to_string(now->second.status)) + " again."});
    }
  }
}

/// Adds one event for each update, and one that counts those beyond `max_named_updates`.
void add_updates(bool warning, const char* reason, std::vector<std::string> messages,
                 std::vector<StatusEvent>& events) {
  const std::size_t named = std::min(messages.size(), max_named_updates);
  for (std::size_t i = 0; i < named; ++i) events.push_back({warning, reason, std::move(messages[i])});
  if (named < messages.size())
    events.push_back({warning, reason, "And " + std::to_string(messages.size() - named) + " more updates."});
}

void add_recommendations(const StatusDigest& before, const StatusDigest& after,
                         std::vector<StatusEvent>& events) {
  std::vector<std::string> available, against, unknown;
  for (const std::string& version : after.available)
    if (!before.available.contains(version)) available.push_back(printable(version, 80) + " is recommended.");
  for (const auto& [version, now] : after.recommended) {
    const auto old = before.recommended.find(version);
    const bool had_other = old != before.recommended.end() && old->second.status != now.status;
    if (!had_other && !before.available.contains(version)) continue;
    if (old != before.recommended.end() && !had_other) continue;
    const std::string what = printable(version, 80) + ": " + now.reason + ": " + now.message;
    if (now.status == ConditionStatus::is_false) against.push_back(what);
    if (now.status == ConditionStatus::unknown) unknown.push_back(what);
  }
  add_updates(false, "UpdateAvailable", std::move(available), events);
  add_updates(true, "UpdateNotRecommended", std::move(against), events);
  add_updates(true, "UpdateRisksNotEvaluated", std::move(unknown), events);
}

void add_history(const StatusDigest& before, const StatusDigest& after, std::vector<StatusEvent>& events) {
  // The first entry is the release that was found here.
  if (before.newest_version.empty() || after.newest_version.empty()) return;
  const bool is_other = before.newest_version != after.newest_version;
  if (is_other) {
    events.push_back({false, "UpdateStarted",
                      "Updating from " + before.newest_version + " to " + after.newest_version + "."});
  }
  if (after.newest_completed && (is_other || !before.newest_completed))
    events.push_back({false, "UpdateCompleted", "Updated to " + after.newest_version + "."});
}

}  // namespace

StatusDigest digest_of(const openshift::ClusterVersion& cluster) {
  StatusDigest digest;
  for (const Watched& what : watched)
    if (const auto condition = cluster.condition(what.type))
      digest.conditions[what.type] = condition_of(*condition);
  for (const openshift::ReleaseView& release : cluster.available_updates())
    digest.available.emplace(release.version());
  for (const openshift::ConditionalUpdate& update : cluster.conditional_updates())
    if (const auto condition = update.condition("Recommended"))
      digest.recommended[std::string(update.release().version())] = condition_of(*condition);
  if (const auto history = cluster.history(); !history.empty()) {
    digest.newest_version = printable(history.front().version(), 80);
    digest.newest_completed = history.front().is_completed();
  }
  return digest;
}

std::vector<StatusEvent> events_between(const StatusDigest& before, const StatusDigest& after) {
  std::vector<StatusEvent> events;
  add_conditions(before, after, events);
  add_recommendations(before, after, events);
  add_history(before, after, events);
  return events;
}

}  // namespace fairway::operators
