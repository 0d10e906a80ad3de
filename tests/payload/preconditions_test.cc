// SPDX-License-Identifier: Apache-2.0

#include "payload/preconditions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "support/accepted_risks.h"
#include "support/case_count.h"
#include "support/cases.h"
#include "support/shared_data.h"

namespace fairway::payload {
namespace {

using testing::field;
using testing::text;

/// Returns the `acceptedRisks` that a case expects. For an update that is not recommended the cases were
/// recorded with another sentence than that of the enhancement.
std::string accepted_text(const json::Value& one, const openshift::ClusterVersion& cluster) {
  std::string said = text(field(one, "expected"), "historyAcceptedRisks");
  const std::string from(cluster.desired().version()), to = text(field(one, "input"), "targetVersion");
  for (const auto& update : cluster.conditional_updates()) {
    const auto recommended = update.condition("Recommended");
    if (update.release().version() != to || !recommended) continue;
    const std::string reason(recommended->reason());
    said = testing::accepted_in_words_of_enhancement(std::move(said), from, to, reason);
  }
  return said;
}

TEST(PreconditionsTest, AreThoseOfTheRecordedCases) {
  const auto path = testing::shared_path("data/operator/preconditions/cases.json");
  FAIRWAY_NEEDS_SHARED(path);
  testing::CaseCount cases("preconditions", 19);
  for (const auto& one : testing::read_cases(path.string())) {
    const auto& input = field(one, "input");
    const auto& expected = field(one, "expected");
    // Others are about the spec itself.
    if (json::find(expected, "blocked") == nullptr) continue;
    SCOPED_TRACE(text(one, "name"));
    cases.begin();
    const openshift::ClusterVersion cluster(json::Object(field(input, "clusterVersion").as_object()));
    const auto result =
        check_preconditions(cluster, {text(input, "targetVersion")}, field(input, "force").as_bool());
    EXPECT_EQ(result.blocked, field(expected, "blocked").as_bool());
    std::vector<std::string> failed, wanted;
    for (const auto& failure : result.failures) failed.push_back(failure.name + "/" + failure.reason);
    for (const auto& name : field(expected, "failedPreconditions").as_array())
      wanted.emplace_back(name.as_string());
    EXPECT_EQ(failed, wanted);
    EXPECT_EQ(result.summary, text(expected, "summaryMessage"));
    EXPECT_EQ(result.accepted_risks, accepted_text(one, cluster));
  }
}

openshift::ClusterVersion cluster(const std::string& more = "") {
  return openshift::ClusterVersion(
      json::parse(R"({"spec":{"channel":"stable-4.6"},"status":{"desired":{"version":"4.6.23","image":"i"},)"
                  R"("history":[{"state":"Completed","version":"4.6.23","image":"i"}],)"
                  R"("availableUpdates":[{"version":"4.6.43"},{"version":"4.7.4"},{"version":"5.0.0"}])" +
                  more + "}}")
          .value()
          .as_object());
}

std::string reasons(const Preconditions& result) {
  std::vector<std::string> all;
  for (const auto& failure : result.failures) all.push_back(failure.reason + (failure.blocks ? "!" : ""));
  return join(all, " ");
}

TEST(PreconditionsTest, LetRecommendedUpdatesPass) {
  for (const char* target : {"4.6.43", "4.7.4", "5.0.0"}) {
    const auto result = check_preconditions(cluster(), {target}, false);
    EXPECT_EQ(reasons(result), "") << target;
    EXPECT_FALSE(result.blocked);
    EXPECT_EQ(result.summary, "");
    EXPECT_EQ(result.accepted_risks, "");
  }
}

/// Returns a cluster with a history, the newest first: "4.6.45 4.6.23+"; `+` is a release that was completed.
/// The image of a version is `i` and the version.
openshift::ClusterVersion with_history(const std::string& history) {
  openshift::ClusterVersion made(json::parse(R"({"spec":{},"status":{}})")->as_object());
  for (const std::string_view word : split(history, ' ')) {
    const bool completed = word.ends_with('+');
    const std::string version(word.substr(0, word.size() - (completed ? 1 : 0)));
    made.array("status.history")
        .push_back(json::Object{
            {"state", completed ? "Completed" : "Partial"}, {"version", version}, {"image", "i" + version}});
    if (made.desired().version().empty()) {
      made.set("status.desired.version", version);
      made.set("status.desired.image", "i" + version);
    }
  }
  return made;
}

/// Returns the part of the refusal to go back behind "is less than the current target V"; "allowed" if it is
/// none.
std::string rollback(const std::string& history, const std::string& target) {
  for (const auto& failure : check_preconditions(with_history(history), {target}, false).failures) {
    if (failure.reason != "LowDesiredVersion") continue;
    EXPECT_TRUE(failure.blocks);
    return failure.message.substr(failure.message.find("target ") + 7);
  }
  return "allowed";
}

TEST(PreconditionsTest, RollbacksGoToThePreviousOrTheLastCompletedRelease) {
  // An update is taken back.
  EXPECT_EQ(rollback("4.6.44 4.6.23+", "4.6.23"), "allowed");
  EXPECT_EQ(rollback("4.6.45 4.6.44 4.6.23+", "4.6.23"), "allowed");
  EXPECT_EQ(rollback("4.6.45 4.6.44 4.6.43 4.6.23+ 4.6.22+", "4.6.23"), "allowed");
  EXPECT_EQ(rollback("4.6.45 4.6.44 4.6.23+", "4.6.44"), "allowed");
  EXPECT_EQ(rollback("4.6.45+ 4.6.44 4.6.23+", "4.6.23"), "allowed");
  // Others are not what was there before.
  EXPECT_EQ(
      rollback("4.6.45 4.6.44 4.6.43 4.6.23+ 4.6.22+", "4.6.43"),
      "4.6.45, and the only supported rollback is to the cluster's previous version 4.6.44 (i4.6.44) or to "
      "4.6.23 (i4.6.23), which was completed last");
  EXPECT_EQ(rollback("4.6.45 4.6.44 4.6.43 4.6.23+ 4.6.22+", "4.6.22").substr(0, 6), "4.6.45");
  EXPECT_EQ(rollback("4.6.44 4.6.23+ 4.6.22+", "4.6.22"),
            "4.6.44, and the only supported rollback is to the cluster's previous version 4.6.23 (i4.6.23)");
  EXPECT_EQ(rollback("4.7.1 4.7.0 4.6.23+", "4.6.23"),
            "4.7.1 and matches the version that was completed last, but rollbacks that change major or minor "
            "versions are not recommended");
  EXPECT_EQ(
      rollback("4.7.0 4.6.23+", "4.6.23"),
      "4.7.0 and matches the cluster's previous version, but rollbacks that change major or minor versions "
      "are not recommended");
  EXPECT_EQ(rollback("4.6.44", "4.6.23"), "4.6.44, and the cluster has no previous Semantic Version");
}

TEST(PreconditionsTest, AnotherImageThanTheListedOneLeavesItsTrace) {
  const auto listed = [](const std::string& conditional) {
    return cluster(R"(,"conditionalUpdates":[{"release":{"version":"4.6.27","image":"r/a@sha256:27"},)"
                   R"("conditions":[{"type":"Recommended","status":")" +
                   conditional + R"(","reason":"Plat","message":"Nodes vanish."}]}])");
  };
  auto recommended = listed("True");
  recommended.array("status.availableUpdates").at(0).as_object()["image"] = "r/a@sha256:43";
  const auto trace = [&](const openshift::ClusterVersion& one, const char* version, const char* image) {
    const auto result = check_preconditions(one, {version, image}, false);
    EXPECT_FALSE(result.blocked);
    return result.accepted_risks;
  };
  const auto said = [](const char* image, const char* version, const char* its) {
    return std::string(
               "Precondition \"ClusterVersionRecommendedUpdate\" failed because of "
               "\"UnknownImage\": The image ") +
           image + " is not the one that is listed for " + version + " (" + its +
           "), so the update from 4.6.23 to " + version + " is probably neither recommended nor supported.";
  };
  EXPECT_EQ(trace(recommended, "4.6.43", "r/a@sha256:43"), "");
  // A mirror has the same image.
  EXPECT_EQ(trace(recommended, "4.6.43", "mirror.example.com/b@sha256:43"), "");
  EXPECT_EQ(trace(recommended, "4.6.43", ""), "");
  EXPECT_EQ(trace(recommended, "4.6.43", "r/a@sha256:66"), said("r/a@sha256:66", "4.6.43", "r/a@sha256:43"));
  EXPECT_EQ(trace(recommended, "4.6.43", "r/a:43"), said("r/a:43", "4.6.43", "r/a@sha256:43"));
  EXPECT_EQ(trace(recommended, "4.6.27", "r/a@sha256:66"), said("r/a@sha256:66", "4.6.27", "r/a@sha256:27"));
  // What is known of the version counts all the same.
  EXPECT_EQ(trace(listed("False"), "4.6.27", "r/a@sha256:66"),
            "Multiple precondition checks failed:\n* " + said("r/a@sha256:66", "4.6.27", "r/a@sha256:27") +
                "\n* Updating from 4.6.23 to 4.6.27 is supported, but not recommended for this "
                "cluster.\n\nReason: Plat\n\nNodes vanish.");
  // Updates that the status does not list have images, too.
  UnlistedUpdates unlisted;
  unlisted.available.push_back({"4.6.44", "r/a@sha256:44"});
  EXPECT_EQ(check_preconditions(recommended, {"4.6.44", "r/a@sha256:44"}, false, unlisted).accepted_risks,
            "");
  EXPECT_EQ(check_preconditions(recommended, {"4.6.44", "r/a@sha256:1"}, false, unlisted).accepted_risks,
            said("r/a@sha256:1", "4.6.44", "r/a@sha256:44"));
}

TEST(PreconditionsTest, CountUpdatesThatTheStatusDoesNotList) {
  const auto retrieved =
      cluster(R"(,"conditions":[{"type":"RetrievedUpdates","status":"True","reason":"","message":""}])");
  const auto alone = check_preconditions(retrieved, {"4.6.31"}, false);
  EXPECT_TRUE(alone.summary.contains("probably neither recommended nor supported")) << alone.summary;
  UnlistedUpdates unlisted;
  unlisted.available.push_back({"4.6.32"});
  unlisted.conditional.push_back(json::parse(R"({"release":{"version":"4.6.31"},"conditions":[
      {"type":"Recommended","status":"False","reason":"Plat","message":"Nodes vanish. https://example.com/p"}]})")
                                     ->as_object());
  const auto conditional = check_preconditions(retrieved, {"4.6.31"}, false, unlisted);
  EXPECT_FALSE(conditional.blocked);
  EXPECT_EQ(reasons(conditional), "Plat");
  EXPECT_EQ(conditional.accepted_risks,
            "Updating from 4.6.23 to 4.6.31 is supported, but not recommended for this cluster.\n\nReason: "
            "Plat\n\nNodes vanish. https://example.com/p");
  EXPECT_EQ(check_preconditions(retrieved, {"4.6.32"}, false, unlisted).summary, "");
  EXPECT_EQ(reasons(check_preconditions(retrieved, {"4.6.33"}, false, unlisted)), "UnknownUpdate");
}

TEST(PreconditionsTest, UpgradeableBlocksMinorAndMajorUpdatesOnly) {
  const auto held =
      cluster(R"(,"conditions":[{"type":"Upgradeable","status":"False","reason":"Ack","message":"m"}])");
  EXPECT_EQ(reasons(check_preconditions(held, {"4.6.43"}, false)), "");
  EXPECT_EQ(reasons(check_preconditions(held, {"4.7.4"}, false)), "Ack!");
  EXPECT_EQ(reasons(check_preconditions(held, {"5.0.0"}, false)), "Ack!");
  EXPECT_TRUE(check_preconditions(held, {"4.7.4"}, false).blocked);
  const auto forced = check_preconditions(held, {"4.7.4"}, true);
  EXPECT_FALSE(forced.blocked);
  EXPECT_EQ(forced.accepted_risks,
            "Forced through blocking failures: Precondition \"ClusterVersionUpgradeable\" failed because of "
            "\"Ack\": m");
}

TEST(PreconditionsTest, AnUpdateThatIsNotRecommendedIsRecordedInTheWordsOfTheEnhancement) {
  const auto conditional = cluster(
      R"(,"conditionalUpdates":[{"release":{"version":"4.7.5"},"conditions":[)"
      R"({"type":"Recommended","status":"Unknown","reason":"PromQLError","message":"Unable to evaluate. u"}]}])");
  const auto result = check_preconditions(conditional, {"4.7.5"}, false);
  EXPECT_FALSE(result.blocked);
  EXPECT_EQ(result.accepted_risks,
            "Updating from 4.6.23 to 4.7.5 is supported, but not recommended for this cluster.\n\n"
            "Reason: PromQLError\n\nUnable to evaluate. u");
}

}  // namespace
}  // namespace fairway::payload
