// SPDX-License-Identifier: Apache-2.0

#include "graph/view.h"

#include <gtest/gtest.h>

#include "fixture.h"
#include "graph/internal/neutral_paths.h"
#include "graph/snapshot.h"

namespace fairway::graph {
namespace {

/// Builds a snapshot in which `secret-4.1` alone has 4.1.2 and 4.1.7 (without an image), and 4.1.1 for arm64.
std::shared_ptr<const Snapshot> snapshot_of(std::string_view more) {
  auto description = json::parse(R"({"releases":{
      "amd64":[{"version":"4.1.0","previous":[],"next":[],"metadata":{}},
               {"version":"4.1.1","previous":["4.1.0"],"next":[],"metadata":{}},
               {"version":"4.1.2","previous":["4.1.0"],"next":[],"metadata":{}},
               {"version":"4.1.10","previous":["4.1.0","4.1.1","4.1.2"],"next":[],"metadata":{}}],
      "arm64":[{"version":"4.1.0","previous":[],"next":[],"metadata":{}},
               {"version":"4.1.1","previous":["4.1.0"],"next":[],"metadata":{}}]},
      "channels":[
        {"name":"secret-4.1","versions":["4.1.0","4.1.1+arm64","4.1.2","4.1.7"]},
        {"name":"stable-4.1","versions":["4.1.0","4.1.1+amd64","4.1.10"]}]})")
                         .value();
  const auto additions = json::parse(more).value();
  for (const auto& [key, value] : additions.as_object()) description.as_object()[key] = value;
  return testing::build_snapshot(description);
}

View public_view(const Snapshot& snapshot) {
  return testing::view_without(snapshot, {"secret-4.1"});
}

TEST(View, HidesChannelsAndTheVersionsThatStandInThemAlone) {
  const auto snapshot = snapshot_of("{}");
  const View view = public_view(*snapshot);
  EXPECT_FALSE(view.hides_nothing());
  EXPECT_FALSE(view.sees_channel("secret-4.1"));
  EXPECT_TRUE(view.sees_channel("stable-4.1"));
  EXPECT_FALSE(view.sees_channel("unknown-4.1"));
  EXPECT_TRUE(view.hides_name("secret-4.1"));
  EXPECT_FALSE(view.hides_name("unknown-4.1"));
  for (const char* seen :
       {"4.1.0", "4.1.0+arm64", "4.1.1", "4.1.1+amd64", "4.1.1+s390x", "4.9.9", "nonsense"})
    EXPECT_TRUE(view.sees_version(seen)) << seen;
  for (const char* hidden : {"4.1.2", "4.1.2+amd64", "4.1.7", "4.1.1+arm64"})
    EXPECT_FALSE(view.sees_version(hidden)) << hidden;
  EXPECT_TRUE(view.sees_version("4.1.1", "amd64"));
  EXPECT_FALSE(view.sees_version("4.1.1", "arm64"));
}

TEST(View, OfEverythingHidesNothing) {
  const auto snapshot = snapshot_of("{}");
  const View view(*snapshot);
  EXPECT_TRUE(view.hides_nothing());
  EXPECT_TRUE(view.sees_channel("secret-4.1"));
  EXPECT_TRUE(view.sees_version("4.1.2"));
  EXPECT_EQ(view.redact("secret-4.1 4.1.2"), "secret-4.1 4.1.2");
}

TEST(View, GivesGraphsThatListVisibleChannelsOnly) {
  const auto snapshot = snapshot_of("{}");
  const View view = public_view(*snapshot);
  EXPECT_TRUE(view.channel_graph("secret-4.1", "amd64").nodes.empty());
  EXPECT_TRUE(view.channel_graph("stable-4", "amd64").nodes.empty());
  EXPECT_TRUE(view.channel_graph("stable-4.1", "s390x").nodes.empty());
  EXPECT_EQ(view.channel_graph("stable-4.1", "amd64").nodes[0].find_metadata(channels_key), "stable-4.1");
  EXPECT_EQ(snapshot->channel_graph("stable-4.1", "amd64").nodes[0].find_metadata(channels_key),
            "secret-4.1,stable-4.1");
}

TEST(View, TellsProblemsThatConcernNothingHiddenWithoutItsNames) {
  const auto snapshot = snapshot_of(R"({"problems":[
      {"kind":"a","versions":["4.1.2"]},{"kind":"b","versions":["4.1.7+amd64"]},{"kind":"c","versions":["4.1.1+arm64"]},
      {"kind":"d","file":"blocked-edges/secret-4.1.yaml","message":"see 4.1.2 in secret-4.1","versions":["4.1.0","4.9.9"]}]})");
  EXPECT_EQ(View(*snapshot).problems().size(), 4U);
  const auto redacted = public_view(*snapshot).problems();
  ASSERT_EQ(redacted.size(), 1U);
  EXPECT_EQ(redacted[0].kind, "d");
  EXPECT_EQ(redacted[0].place.file, "blocked-edges/withheld.yaml");
  EXPECT_EQ(redacted[0].message, "see withheld in withheld");
}

TEST(View, HidesNamesThatTheSnapshotDoesNotKnow) {
  const auto snapshot = snapshot_of("{}");
  const View view(*snapshot, {true, true}, {"other-4.1"});
  EXPECT_TRUE(view.hides_name("other-4.1"));
  EXPECT_EQ(view.redact("promoted from other-4.1"), "promoted from withheld");
  EXPECT_FALSE(view.redact(Problem{.kind = "a", .channels = {"other-4.1"}}));
}

TEST(View, TellsExpressionsWithoutTheVersionsThatTheyNameAndNeverNarrower) {
  const auto snapshot = snapshot_of("{}");
  const View view = public_view(*snapshot);
  struct Case {
    const char* whole;
    const char* redacted;  ///< the visible form; nullptr if it concerns hidden versions alone
  };
  for (const Case& c : {Case{".*", ".*"},
                        {"", ""},
                        {"^4[.]1[.].*", "^4[.]1[.].*"},
                        {"^4[.]1[.]10[+]", "^4[.]1[.]10[+]"},
                        {"[+]amd64$", "[+]amd64$"},
                        {"^4[.]1[.]2[+]", nullptr},
                        {"^4\\.1\\.7", nullptr},
                        {"^4[.]1[.](0|2)[+]", "^(4[.]1[.]0)[+]"},
                        {"^4[.]1[.][0-9][+]", "^(4[.]1[.]0|4[.]1[.]1)[+]"},
                        {"4[.]1[.]1[+]arm64", nullptr},
                        {"^4[.]1[.]1[+]", "^4[.]1[.]1[+]"},
                        {"4[.]1[.](0|1|2|10)[+]amd64", ".*"}}) {
    const auto redacted = view.redact(Pattern::compile(c.whole).value());
    EXPECT_EQ(redacted.value_or("(nothing)"), c.redacted == nullptr ? "(nothing)" : c.redacted) << c.whole;
  }
}

TEST(View, TellsMetadataWithoutWhatIsHidden) {
  const auto snapshot = snapshot_of("{}");
  const View view = public_view(*snapshot);
  const std::string operation = "io.openshift.upgrades.graph.";
  const auto redacted = [&](const std::string& key, std::string_view value) {
    return view.redact_metadata(key, value).value_or("(nothing)");
  };
  EXPECT_EQ(redacted("url", "https://example.com/secret-4.1/4.1.2"), "https://example.com/withheld/withheld");
  EXPECT_EQ(redacted("about.secret-4.1", "x"), "(nothing)");
  EXPECT_EQ(redacted(operation + "previous.remove", "4.1.0,4.1.2"), "4.1.0");
  EXPECT_EQ(redacted(operation + "previous.remove", "4.1.2, 4.1.7"), "(nothing)");
  EXPECT_EQ(redacted(operation + "next.add", "4.1.1+arm64,4.1.1+amd64"), "4.1.1+amd64");
  EXPECT_EQ(redacted(operation + "previous.remove_regex", "^4[.]1[.](0|2)[+]"), "^(4[.]1[.]0)[+]");
  EXPECT_EQ(redacted(operation + "previous.remove_regex", "4[.]1[.]2"), "(nothing)");
  EXPECT_EQ(redacted(operation + "previous.remove_regex", "(4[.]1[.]2"), ".*");
  EXPECT_EQ(redacted(operation + "previous.remove_regex", "(4[.]1[.]0"), "(4[.]1[.]0");
}

TEST(View, MakesARuleThatNamesWhatIsHiddenAnAlwaysRule) {
  const auto snapshot = snapshot_of(R"({"blocks":[
      {"to":"4.1.10","from":"4[.]1[.]0[+]","effect":"conditional","name":"Plain","promql":"up"},
      {"to":"4.1.10","from":".*","effect":"conditional","name":"Ruled","promql":"x{version=~\"4[.]1[.]2\"}"},
      {"to":"4.1.10","from":".*","effect":"conditional","name":"Said","message":"As in secret-4.1.","promql":"up"}]})");
  const UpdateGraph whole = snapshot->channel_graph("stable-4.1", "amd64");
  const UpdateGraph redacted = public_view(*snapshot).channel_graph("stable-4.1", "amd64");
  ASSERT_EQ(redacted.conditional_edges.size(), whole.conditional_edges.size());
  for (std::size_t i = 0; i < redacted.conditional_edges.size(); ++i) {
    EXPECT_EQ(redacted.conditional_edges[i].edges, whole.conditional_edges[i].edges);
    ASSERT_EQ(redacted.conditional_edges[i].risks.size(), whole.conditional_edges[i].risks.size());
  }
  const auto& risks = redacted.conditional_edges[0].risks;
  EXPECT_EQ(risks[0].body(), whole.conditional_edges[0].risks[0].body());
  EXPECT_EQ(risks[1].matching_rules, always_rule());
  EXPECT_EQ(risks[2].message, "As in withheld.");
  EXPECT_EQ(json::to_text(risks[2].matching_rules), R"([{"type":"PromQL","promql":{"promql":"up"}}])");
}

TEST(View, PutsRisksTogetherThatHaveOneNameOnceItIsTold) {
  const auto snapshot = snapshot_of(R"({"blocks":[
      {"to":"4.1.10","from":"4[.]1[.]0[+]","effect":"conditional","name":"X-4.1.2","message":"a"},
      {"to":"4.1.10","from":".*","effect":"conditional","name":"X-4.1.7","message":"a"}]})");
  const UpdateGraph redacted = public_view(*snapshot).channel_graph("stable-4.1", "amd64");
  // The urls redacted are the same, too: what was two risks of one edge is one.
  ASSERT_EQ(redacted.conditional_edges.size(), 1U);
  ASSERT_EQ(redacted.conditional_edges[0].risks.size(), 1U);
  EXPECT_EQ(redacted.conditional_edges[0].risks[0].name, "X-withheld");
  EXPECT_EQ(redacted.conditional_edges[0].edges.size(), 2U);
}

TEST(NeutralPaths, KeepOrderFolderAndEnding) {
  const Withheld withheld({{"acme-4.7"}, {"zeta"}});
  struct Case {
    std::vector<std::string> paths, redacted;
  };
  for (const Case& c : {
           Case{{"b/1.yaml", "b/2.yaml"}, {"b/1.yaml", "b/2.yaml"}},
           Case{{"b/4.7.4-acme-4.7.yaml", "b/4.8.0.yaml"}, {"b/4.7.4-withheld.yaml", "b/4.8.0.yaml"}},
           Case{{"b/4.7.4-a.yaml", "b/4.7.4-acme-4.7.yaml", "b/4.7.4-b.yaml"},
                {"b/4.7.4-a.yaml", "b/4.7.4-a.yaml-withheld-000001.yaml", "b/4.7.4-b.yaml"}},
           Case{{"b/acme-4.7-a.yaml", "b/acme-4.7-b.yml", "b/c.yaml"},
                {"b/0-withheld-000001.yaml", "b/0-withheld-000002.yml", "b/c.yaml"}},
           Case{{"b/!.yaml", "b/a/acme-4.7.yaml", "c/acme-4.7.yaml", "c/d.yaml"},
                {"b/!.yaml", "b/a/withheld.yaml", "c/0-withheld-000001.yaml", "c/d.yaml"}},
           Case{{"b/-acme-4.7.yaml", "b/-b.yaml"}, {"b/0-withheld-000001.yaml", "b/0-withheld-000002.yaml"}},
           Case{{"b/x.zeta"}, {"b/0-withheld-000001.zeta"}},
       }) {
    const auto renamed = neutral_paths(c.paths, withheld);
    std::vector<std::string> redacted;
    for (const std::string& path : c.paths)
      redacted.push_back(renamed.contains(path) ? renamed.at(path) : path);
    EXPECT_EQ(redacted, c.redacted);
    EXPECT_TRUE(std::ranges::is_sorted(redacted));
  }
}

}  // namespace
}  // namespace fairway::graph
