// SPDX-License-Identifier: Apache-2.0

// Which changes are worth an event.
#include "operators/status_events.h"

#include <gtest/gtest.h>

namespace fairway::operators {
namespace {

using Events = std::vector<StatusEvent>;

StatusDigest digest(const std::string& status) {
  return digest_of(
      openshift::ClusterVersion(json::parse(R"({"status":{)" + status + "}}").value().as_object()));
}

std::string condition(const std::string& type, const std::string& status, const std::string& reason) {
  return R"({"type":")" + type + R"(","status":")" + status + R"(","reason":")" + reason +
         R"(","message":"M."})";
}
std::string conditions(const std::string& list) {
  return R"("conditions":[)" + list + "]";
}
std::string conditional(const std::string& version, const std::string& status, const std::string& reason) {
  return R"("conditionalUpdates":[{"release":{"version":")" + version + R"("},"conditions":[)" +
         condition("Recommended", status, reason) + "]}]";
}

TEST(StatusEvents, NothingNewIsNoEvent) {
  const std::string status = conditions(condition("RetrievedUpdates", "False", "RemoteFailed"));
  EXPECT_EQ(events_between(digest(status), digest(status)), Events{});
  EXPECT_EQ(events_between(digest(""), digest("")), Events{});
}

TEST(StatusEvents, ServicesThatFailAndComeBack) {
  const StatusDigest none = digest(""),
                     failed = digest(conditions(condition("RetrievedUpdates", "False", "RemoteFailed"))),
                     other = digest(conditions(condition("RetrievedUpdates", "False", "NoChannel"))),
                     good = digest(conditions(condition("RetrievedUpdates", "True", "")));
  EXPECT_EQ(events_between(none, failed), (Events{{true, "RetrievingUpdatesFailed", "RemoteFailed: M."}}));
  EXPECT_EQ(events_between(failed, other), (Events{{true, "RetrievingUpdatesFailed", "NoChannel: M."}}));
  EXPECT_EQ(events_between(failed, good),
            (Events{{false, "UpdatesRetrieved", "RetrievedUpdates is True again."}}));
  EXPECT_EQ(events_between(none, good), Events{});
  // A list that is not served alerts nobody.
  EXPECT_EQ(
      events_between(none, digest(conditions(condition("RetrievedChannels", "False", "ChannelsNotServed")))),
      Events{});
  EXPECT_EQ(events_between(none, digest(conditions(condition("RetrievedChannels", "False", "RemoteFailed")))),
            (Events{{true, "RetrievingChannelsFailed", "RemoteFailed: M."}}));
  EXPECT_EQ(events_between(
                none, digest(conditions(condition("fairway.dev/IncompleteUpdates", "True", "PartsLeftOut")))),
            (Events{{true, "UpdatesIncomplete", "PartsLeftOut: M."}}));
  EXPECT_EQ(
      events_between(
          none, digest(conditions(condition("fairway.dev/ReleaseKeysMissing", "True", "NoReleaseKeys")))),
      (Events{{true, "ReleaseKeysMissing", "NoReleaseKeys: M."}}));
}

TEST(StatusEvents, UpdatesThatComeAndThatAreRecommendedNoLonger) {
  const StatusDigest none = digest(""),
                     yes = digest(R"("availableUpdates":[{"version":"4.7.4"}],)" +
                                  conditional("4.7.4", "True", "NotExposedToRisks")),
                     no = digest(conditional("4.7.4", "False", "R")),
                     unknown = digest(conditional("4.7.4", "Unknown", "PromQLError"));
  EXPECT_EQ(events_between(none, yes), (Events{{false, "UpdateAvailable", "4.7.4 is recommended."}}));
  EXPECT_EQ(events_between(none, no), Events{});
  EXPECT_EQ(events_between(yes, no), (Events{{true, "UpdateNotRecommended", "4.7.4: R: M."}}));
  EXPECT_EQ(events_between(yes, unknown),
            (Events{{true, "UpdateRisksNotEvaluated", "4.7.4: PromQLError: M."}}));
  EXPECT_EQ(events_between(unknown, no), (Events{{true, "UpdateNotRecommended", "4.7.4: R: M."}}));
  EXPECT_EQ(events_between(digest(R"("availableUpdates":[{"version":"4.7.4"}])"), no),
            (Events{{true, "UpdateNotRecommended", "4.7.4: R: M."}}));
  EXPECT_EQ(events_between(no, yes), (Events{{false, "UpdateAvailable", "4.7.4 is recommended."}}));
}

TEST(StatusEvents, ManyUpdatesAreCounted) {
  std::string list;
  for (int i = 0; i < 500; ++i)
    list += (i == 0 ? "" : ",") + (R"({"version":"4.7.)" + std::to_string(i) + R"("})");
  const Events events = events_between(digest(""), digest(R"("availableUpdates":[)" + list + "]"));
  ASSERT_EQ(events.size(), max_named_updates + 1);
  EXPECT_EQ(events.back().message, "And 490 more updates.");
}

TEST(StatusEvents, UpdatesBeginAndEnd) {
  const auto history = [](const char* version, const char* state) {
    return digest(std::string(R"("history":[{"version":")") + version + R"(","state":")" + state + R"("}])");
  };
  const StatusDigest old = history("4.6.23", "Completed"), partial = history("4.7.4", "Partial"),
                     done = history("4.7.4", "Completed");
  EXPECT_EQ(events_between(digest(""), old), Events{});
  EXPECT_EQ(events_between(old, partial),
            (Events{{false, "UpdateStarted", "Updating from 4.6.23 to 4.7.4."}}));
  EXPECT_EQ(events_between(partial, done), (Events{{false, "UpdateCompleted", "Updated to 4.7.4."}}));
  EXPECT_EQ(events_between(old, done), (Events{{false, "UpdateStarted", "Updating from 4.6.23 to 4.7.4."},
                                               {false, "UpdateCompleted", "Updated to 4.7.4."}}));
}

}  // namespace
}  // namespace fairway::operators
