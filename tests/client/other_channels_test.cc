#include "client/other_channels.h"

#include <gtest/gtest.h>

#include <string>

namespace fairway::client {
namespace {

openshift::ClusterVersion cluster(const std::string& conditions) {
  return openshift::ClusterVersion(
      json::parse(
          R"({"apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
    "spec": {"channel": "stable-4.5"}, "status": {"desired": {"version": "4.6.1"}, "conditions": [)" +
          conditions + "]}}")
          .value()
          .as_object());
}

TEST(OtherChannels, are_named_with_what_they_are_for) {
  Answer answer;
  add_other_channels({.found = {"candidate-4.6", "fast-4.6", "stable-4.6"},
                      .asked = 4,
                      .descriptions = {{"fast-4.6", "Early."}, {"stable-4.6", "For most."}}},
                     cluster(""), answer);
  EXPECT_EQ(
      answer.out,
      "\n4.6.1 is not in `stable-4.5`, but we have found it in `candidate-4.6`, `fast-4.6`, and "
      "`stable-4.6`.\nWould you like to change the configured channel to one of those options? Use 'oc adm "
      "upgrade channel CHANNEL'.\nTo help you decide, here are their channel descriptions:\n  fast-4.6: "
      "Early.\n  stable-4.6: For most.\n");
  EXPECT_EQ(answer.err, "");
}

TEST(OtherChannels, are_said_not_to_have_it_only_if_all_were_asked) {
  Answer all, some, unset;
  add_other_channels({.asked = 3}, cluster(""), all);
  EXPECT_EQ(all.out,
            "\n4.6.1 is not in `stable-4.5`, and in none of the 3 channels of the update service.\n");
  add_other_channels({.asked = 1, .problem = "timeout"}, cluster(""), some);
  EXPECT_EQ(some.out, "");
  EXPECT_EQ(some.err, "warning: Cannot look for 4.6.1 in all channels: timeout\n");
  add_other_channels({.problem = "spec.upstream is unset"}, cluster(""), unset);
  EXPECT_EQ(unset.err, "warning: Cannot look for 4.6.1 in other channels: spec.upstream is unset\n");
}

TEST(OtherChannels, are_looked_for_where_the_operator_says_that_the_release_is_not_in_its_channel) {
  EXPECT_TRUE(is_outside_channel(
      cluster(R"({"type": "RetrievedUpdates", "status": "False", "reason": "VersionNotFound"})")));
  EXPECT_FALSE(is_outside_channel(
      cluster(R"({"type": "RetrievedUpdates", "status": "False", "reason": "RemoteFailed"})")));
  EXPECT_FALSE(is_outside_channel(cluster("")));
}

TEST(OtherChannels, are_asked_for_the_architecture_that_was_loaded) {
  EXPECT_EQ(architecture_of(cluster(R"({"type": "ReleaseAccepted", "status": "True",
      "message": "Payload loaded version=\"4.6.1\" image=\"i\" architecture=\"Multi\""})")),
            "multi");
  EXPECT_EQ(architecture_of(cluster("")), "");
}

}  // namespace
}  // namespace fairway::client
