// SPDX-License-Identifier: Apache-2.0

// What an update waits for, as tests/adm/data/blockers.json has it.
#include "adm/blockers.h"

#include <gtest/gtest.h>

#include <string>

#include "adm/cluster_states.h"

namespace fairway::adm {
namespace {

using fairway::testing::field;
using openshift::ClusterOperator;
using testing::cluster;

std::vector<ClusterOperator> operators_of(const json::Value& one) {
  std::vector<ClusterOperator> operators;
  const json::Value* given = json::find(one, "operators");
  if (given == nullptr) return operators;
  for (const auto& member : given->as_object()) {
    json::Array conditions, versions;
    for (const char* type : {"Available", "Degraded", "Progressing"})
      if (const json::Value* said = json::find(member.value(), type))
        conditions.push_back(testing::condition(type, std::string_view(said->as_string())));
    versions.push_back(json::Object{{"name", "operator"}, {"version", field(member.value(), "version")}});
    operators.emplace_back(
        json::Object{{"metadata", json::Object{{"name", member.key()}}},
                     {"status", json::Object{{"conditions", conditions}, {"versions", versions}}}});
  }
  return operators;
}

std::string text(const json::Value& one, const char* key) {
  const json::Value* found = json::find(one, key);
  return found == nullptr ? "" : std::string(found->as_string());
}

TEST(Blockers, are_named_with_their_time_and_what_helps) {
  const Caller caller;
  for (const json::Value& one :
       fairway::testing::read_cases(FAIRWAY_SOURCE_DIR "/tests/adm/data/blockers.json")) {
    SCOPED_TRACE(text(one, "name"));
    const auto found =
        find_blockers(cluster(field(one, "state"), &field(one, "asked"), 1), operators_of(one), caller);
    const json::Array& wanted = field(one, "waitsFor").as_array();
    EXPECT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < std::min(found.size(), wanted.size()); ++i) {
      EXPECT_EQ(found[i].what, text(wanted[i], "what"));
      EXPECT_EQ(found[i].message, text(wanted[i], "message"));
      const std::string since = text(wanted[i], "since");
      EXPECT_EQ(found[i].since ? format_time(*found[i].since) : "",
                since.empty() ? "" : testing::time_of(since));
      EXPECT_EQ(found[i].holds_up, json::find(wanted[i], "besides") == nullptr);
      EXPECT_FALSE(text(wanted[i], "help").empty()) << "a case without words of the help cannot fail";
      EXPECT_TRUE(found[i].help.contains(text(wanted[i], "help"))) << found[i].help;
      std::vector<std::string> commands;
      for (const json::Value& command : field(wanted[i], "commands").as_array())
        commands.emplace_back(command.as_string());
      EXPECT_EQ(found[i].commands, commands);
    }
  }
}

openshift::ClusterVersion refused() {
  const json::Value asked = json::parse(R"({"version": "4.7.4", "image": "b"})").value();
  const json::Value state = json::parse(R"({"history": ["Completed 4.6.23 a 08:00:00 08:40:00"],
      "ReleaseAccepted": "False 10:00:00 RetrievePayload failed image=\"b\""})")
                                .value();
  return cluster(state, &asked, 1);
}

TEST(Blockers, are_shown_in_words_of_the_program_that_was_called) {
  CommandResult answer;
  explain_update(refused(), {}, *parse_time("2026-11-30T10:25:00Z"),
                 {.upgrade = "kubectl fairway", .client = "kubectl"}, answer);
  EXPECT_EQ(answer.out,
            "The update to 4.7.4 is asked for, and has not begun.\n"
            "It waits for this:\n"
            "\n"
            "- the release image cannot be retrieved since 2026-11-30T10:00:00Z (25m)\n"
            "    failed image=\"b\"\n"
            "  What usually helps: Check that the cluster reaches the registry, that its pull secret counts "
            "there, and that the registry has the image by this digest; a mirror has to have it, too. The "
            "operator tries again by itself.\n"
            "    kubectl fairway release info b\n"
            "    kubectl fairway --clear\n");
  const k8s::View update = k8s::View(answer.data).at("update");
  EXPECT_EQ(update.text("state"), "pending");
  ASSERT_EQ(update.items("waitsFor").size(), 1u);
  EXPECT_EQ(update.items("waitsFor")[0].text("since"), "2026-11-30T10:00:00Z");
}

TEST(Blockers, are_none_of_an_update_that_goes_well_or_of_no_update) {
  CommandResult answer;
  const json::Value asked = json::parse(R"({"version": "4.7.4", "image": "b"})").value();
  const auto show = [&](const char* state) {
    answer = {};
    explain_update(cluster(json::parse(state).value(), &asked, 1), {}, *parse_time("2026-11-30T10:25:00Z"),
                   {}, answer);
    return answer.out;
  };
  EXPECT_EQ(show(R"({"history": ["Partial 4.7.4 b 10:00:00"],
                     "Progressing": "True 10:00:00 A Working towards 4.7.4: 1 of 3 done"})"),
            "The update to 4.7.4 has run since 2026-11-30T10:00:00Z (25m).\nIt waits for nothing that the "
            "cluster names: Working towards 4.7.4: 1 of 3 done\n");
  EXPECT_EQ(show(R"({"history": ["Completed 4.6.23 a 08:00:00 08:40:00"]})"),
            "The update to 4.7.4 is asked for, and has not begun.\nIt waits for nothing that the cluster "
            "names. If that lasts, look at the log of the cluster's operator.\n");
  EXPECT_EQ(show(R"({"history": ["Completed 4.7.4 b 10:00:00 10:20:00"]})"),
            "No update is asked for that the cluster does not have, and none runs.\n");
}

TEST(Blockers, tell_which_release_is_unfinished) {
  EXPECT_TRUE(is_unfinished(refused(), "4.7.4"));
  EXPECT_FALSE(is_unfinished(refused(), "4.6.23"));
}

}  // namespace
}  // namespace fairway::adm
