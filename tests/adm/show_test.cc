// SPDX-License-Identifier: Apache-2.0

// What recorded cases of today's client cannot show: descriptions of channels, and conditions that only
// Fairway's operator writes.
#include "adm/show.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adm/request.h"

namespace fairway::adm {
namespace {

openshift::ClusterVersion cluster(const std::string& conditions = "") {
  return openshift::ClusterVersion(json::parse(R"({
    "apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
    "spec": {"channel": "stable-4.6"},
    "status": {
      "desired": {"version": "4.6.23", "image": "example.com/r@sha256:1", "channels": ["fast-4.6", "stable-4.6"]},
      "history": [{"state": "Completed", "version": "4.6.23", "image": "example.com/r@sha256:1", "verified": true,
                   "startedTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T01:00:00Z",
                   "acceptedRisks": "The risk R."}],
      "availableUpdates": [{"version": "4.6.42", "image": "example.com/r@sha256:2", "url": "https://example.com/42",
                            "channels": ["stable-4.6"]}],
      "conditionalUpdates": [{
        "release": {"version": "4.7.4", "image": "example.com/r@sha256:3"},
        "risks": [{"name": "R", "url": "https://example.com/R", "message": "One."}],
        "conditions": [
          {"type": "Evaluating", "status": "True", "reason": "PeriodicallyEvaluating", "message": "Periodically."},
          {"type": "Recommended", "status": "False", "reason": "R", "message": "One.\n\nTwo."}]}],
      "conditions": [
        {"type": "Failing", "status": "False"},
        {"type": "Progressing", "status": "False", "message": "Cluster version is 4.6.23"})" +
                                               conditions + "]}}")
                                       .value()
                                       .as_object());
}

openshift::Channel channel(const std::string& name, const std::string& description) {
  return openshift::Channel(json::Object{{"apiVersion", "config.openshift.io/v1"},
                                         {"kind", "Channel"},
                                         {"metadata", json::Object{{"name", name}}},
                                         {"status", json::Object{{"description", description}}}});
}

TEST(Show, describes_the_channels_that_the_release_is_in) {
  const std::vector<openshift::Channel> channels{
      channel("stable-4.6", "For most."), channel("fast-4.6", "Early."), channel("stable-4.9", "Far away.")};
  const CommandResult answer = show({}, cluster(), channels);
  EXPECT_NE(answer.out.find("Channel: stable-4.6 (available channels: fast-4.6, stable-4.6)\n"
                            "  fast-4.6: Early.\n"
                            "  stable-4.6: For most.\n"
                            "\nRecommended updates:"),
            std::string::npos)
      << answer.out;
  EXPECT_EQ(answer.out.find("Far away"), std::string::npos);
}

TEST(Show, shows_further_conditions_of_an_update) {
  const CommandResult answer = show({.include_not_recommended = true}, cluster());
  EXPECT_NE(answer.out.find("  Message:\n    One.\n\n    Two.\n"
                            "  Evaluating=True PeriodicallyEvaluating: Periodically.\n"),
            std::string::npos)
      << answer.out;
}

TEST(Show, warns_of_channels_that_cannot_be_retrieved_unless_none_are_served) {
  const CommandResult failed = show({}, cluster(R"(, {"type": "RetrievedChannels", "status": "False",
      "reason": "RemoteFailed", "message": "Unable to retrieve channels: timeout"})"));
  EXPECT_EQ(
      failed.err,
      "warning: Cannot refresh channels:\n  Reason: RemoteFailed\n  Message: Unable to retrieve channels: "
      "timeout\n\n");
  const CommandResult none = show({}, cluster(R"(, {"type": "RetrievedChannels", "status": "False",
      "reason": "ChannelsNotServed", "message": "404"})"));
  EXPECT_EQ(none.err, "");
}

TEST(Show, warns_of_updates_that_are_old_or_incomplete) {
  const CommandResult answer = show({}, cluster(R"(, {"type": "fairway.dev/StaleUpdates", "status": "True",
      "reason": "RemoteFailed", "message": "Since noon."}, {"type": "fairway.dev/IncompleteUpdates",
      "status": "True", "reason": "RiskLeftOut", "message": "4.7.5"})"));
  EXPECT_NE(answer.err.find("Since noon."), std::string::npos);
  EXPECT_NE(answer.err.find("4.7.5"), std::string::npos);
}

TEST(Show, warns_of_updates_that_cannot_be_verified) {
  const CommandResult answer =
      show({}, cluster(R"(, {"type": "fairway.dev/ReleaseKeysMissing", "status": "True",
      "reason": "NoReleaseKeys", "message": "Give keys."})"));
  EXPECT_EQ(answer.err,
            "warning: Updates cannot be verified:\n  Reason: NoReleaseKeys\n  Message: Give keys.\n\n");
}

TEST(Show, has_links_and_channels_of_releases_in_wide_output) {
  const CommandResult answer = show({.wide = true}, cluster());
  EXPECT_NE(answer.out.find("https://example.com/42 stable-4.6\n"), std::string::npos) << answer.out;
}

TEST(Show, tells_programs_the_same) {
  const CommandResult answer = show({}, cluster());
  EXPECT_EQ(answer.data.at("recommended").as_array().size(), 1u);
  EXPECT_EQ(answer.data.at("notRecommended").as_array().at(0).as_object().at("version"), "4.7.4");
  EXPECT_EQ(answer.data.at("notRecommended").as_array().at(0).as_object().at("conditions").as_array().size(),
            2u);
  EXPECT_EQ(json::to_text(answer.data.at("notRecommended").as_array().at(0).as_object().at("risks")),
            R"([{"name":"R","url":"https://example.com/R","message":"One."}])");
  EXPECT_EQ(json::to_text(answer.data.at("history")),
            R"([{"state":"Completed","version":"4.6.23","image":"example.com/r@sha256:1","verified":true,)"
            R"("startedTime":"2026-01-01T00:00:00Z","completionTime":"2026-01-01T01:00:00Z",)"
            R"("acceptedRisks":"The risk R."}])");
}

}  // namespace
}  // namespace fairway::adm
