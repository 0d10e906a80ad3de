// SPDX-License-Identifier: Apache-2.0

#include "adm/other_channels.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway::adm {
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
  CommandResult answer;
  add_other_channels({.found = {"stable-4.6", "fast-4.6", "candidate-4.6"},
                      .asked = 4,
                      .descriptions = {{"fast-4.6", "Early."}, {"stable-4.6", "For most."}}},
                     cluster(""), answer);
  EXPECT_EQ(
      answer.out,
      "\n4.6.1 is not in `stable-4.5`, but we have found it in `stable-4.6`, `fast-4.6`, and "
      "`candidate-4.6`.\nWould you like to change the configured channel to one of those options? Use 'oc "
      "adm "
      "upgrade channel CHANNEL'.\nTo help you decide, here are their channel descriptions:\n  stable-4.6: "
      "For most.\n  fast-4.6: Early.\n");
  EXPECT_EQ(answer.err, "");
}

TEST(OtherChannels, are_chosen_by_the_name_that_the_program_was_called_by) {
  CommandResult answer;
  add_other_channels({.found = {"stable-4.6"}, .asked = 1}, cluster(""), answer,
                     {.upgrade = "kubectl fairway", .client = "kubectl"});
  EXPECT_TRUE(answer.out.contains("Use 'kubectl fairway channel CHANNEL'.\n")) << answer.out;
}

TEST(OtherChannels, are_asked_the_likely_ones_first) {
  std::vector<std::string> names = {"z",          "fast-4.6", "stable-4.7", "candidate-4.6", "stable-4.60",
                                    "stable-4.6", "fast-4.7", "Fast_4.6",   "stable-4.4"};
  sort_by_likelihood(names, cluster(""));
  EXPECT_EQ(names, (std::vector<std::string>{"stable-4.6", "fast-4.6", "candidate-4.6", "stable-4.7",
                                             "fast-4.7", "stable-4.60", "stable-4.4", "z", "Fast_4.6"}));
}

TEST(OtherChannels, are_said_not_to_have_it_only_if_all_were_asked) {
  CommandResult all, one, none, some, nobody, unset;
  add_other_channels({.asked = 3}, cluster(""), all);
  EXPECT_EQ(all.out, "\n4.6.1 is not in `stable-4.5`, nor in any of the 3 other channels.\n");
  add_other_channels({.asked = 1}, cluster(""), one);
  EXPECT_EQ(one.out, "\n4.6.1 is not in `stable-4.5`, nor in the only other channel.\n");
  add_other_channels({}, cluster(""), none);
  EXPECT_EQ(none.out, "\n4.6.1 is not in `stable-4.5`, and there is no other channel to look for it in.\n");
  add_other_channels({.asked = 1, .silent = {{"b", "timeout"}, {"a", "500"}}}, cluster(""), some);
  EXPECT_EQ(some.out, "");
  EXPECT_EQ(
      some.err,
      "warning: 4.6.1 is not in `stable-4.5`, nor in 1 of the other channels, but `b` and `a` could not "
      "be searched. Of the first: timeout\n");
  add_other_channels({.silent = {{"b", "timeout"}}}, cluster(""), nobody);
  EXPECT_EQ(nobody.err,
            "warning: 4.6.1 is not in `stable-4.5`, and none of the other channels could be searched: `b`: "
            "timeout\n");
  add_other_channels({.problem = "spec.upstream is unset"}, cluster(""), unset);
  EXPECT_EQ(
      unset.err,
      "warning: 4.6.1 is not in `stable-4.5`, and cannot be looked for in other channels: spec.upstream is "
      "unset\n");
}

TEST(OtherChannels, do_not_control_the_terminal) {
  CommandResult answer;
  add_other_channels({.found = {"a"}, .asked = 1, .descriptions = {{"a", "One.\n\x1b[2JTwo."}}}, cluster(""),
                     answer);
  EXPECT_TRUE(answer.out.ends_with("\n  a: One.\n  \\x1b[2JTwo.\n")) << answer.out;
}

TEST(OtherChannels, that_did_not_answer_are_named_up_to_a_number) {
  ChannelSearch search{.found = {"stable-4.6"}, .asked = 1, .left_out = {"No credentials"}};
  for (int i = 0; i < 25; ++i) search.silent.push_back({"c" + std::to_string(i), "timeout"});
  CommandResult answer;
  add_other_channels(search, cluster(""), answer);
  EXPECT_TRUE(answer.err.contains("`c19`, and 5 more could not be searched. Of the first: timeout\n"))
      << answer.err;
  EXPECT_FALSE(answer.err.contains("c20"));
  EXPECT_TRUE(answer.err.ends_with("\nwarning: No credentials\n")) << answer.err;
  EXPECT_EQ(json::to_text(answer.data["channelSearch"].at("notSearched").at(24)),
            R"({"name":"c24","reason":"timeout"})");
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
}  // namespace fairway::adm
