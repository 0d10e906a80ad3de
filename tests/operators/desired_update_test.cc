// SPDX-License-Identifier: Apache-2.0

#include "operators/desired_update.h"

#include <gtest/gtest.h>

#include "support/case_count.h"
#include "support/cases.h"
#include "support/shared_data.h"

namespace fairway::operators {
namespace {

using fairway::testing::field;
using fairway::testing::text;

openshift::ClusterVersion parsed(const std::string& json) {
  return openshift::ClusterVersion(json::parse(json).value().as_object());
}

/// Returns the newest entry of a history, which ends in a comma.
std::string first_of(const std::string& history) {
  return json::to_text(json::parse("[" + history + "0]")->as_array().front());
}

/// Returns a ClusterVersion that runs 4.6.23, with updates to 4.6.24 and 4.7.4.
openshift::ClusterVersion cluster(const std::string& desired_update, const std::string& history = "") {
  return parsed(
      R"({"spec":{"clusterID":"897f0a22-33ca-4106-a2c4-29b75250255a")" +
      (desired_update.empty() ? "" : R"(,"desiredUpdate":)" + desired_update) + R"(},"status":{"desired":)" +
      (history.empty() ? R"({"version":"4.6.23","image":"r@23"})" : first_of(history)) + "," +

      R"("availableUpdates":[{"version":"4.6.24","image":"r@24"},{"version":"4.6.25","image":"r@25"},)"
      R"({"version":"4.6.25","image":"r@other"},{"version":"4.7.4","image":"r@4"}],)"
      R"("conditionalUpdates":[{"release":{"version":"4.7.4","image":"r@4"},"risks":[]},)"
      R"({"release":{"version":"4.6.27","image":"r@27"},"risks":[]}],)"
      R"("history":[)" +
      history +
      R"({"state":"Completed","version":"4.6.23","image":"r@23"},)"
      R"({"state":"Completed","version":"4.6.22","image":"r@22"}]}})");
}

constexpr const char* partial_patch = R"({"state":"Partial","version":"4.6.24","image":"r@24"},)";
constexpr const char* partial = R"({"state":"Partial","version":"4.7.4","image":"r@4"},)";

TEST(DesiredUpdateTest, IsValidatedAsInTheRecordedCases) {
  const auto path = fairway::testing::shared_path("data/operator/preconditions/cases.json");
  FAIRWAY_NEEDS_SHARED(path);
  fairway::testing::CaseCount cases("validation", 11);
  for (const auto& one : fairway::testing::read_cases(path.string())) {
    const json::Value* wanted = json::find(field(one, "expected"), "validationErrors");
    if (wanted == nullptr) continue;
    SCOPED_TRACE(text(one, "name"));
    cases.begin();
    const auto& input = field(one, "input");
    const openshift::ClusterVersion version(json::Object(field(input, "clusterVersion").as_object()));
    json::Array errors;
    for (const auto& error : validate_spec(version, field(input, "acceptRisksFeatureGate").as_bool()))
      errors.emplace_back(error);
    EXPECT_EQ(json::Value(errors), *wanted);
  }
}

TEST(DesiredUpdateTest, IsTheReleaseThatTheSpecNames) {
  struct Row {
    const char *update, *history, *version, *image;
    bool force = false;
  };
  const Row rows[] = {
      {"", "", "4.6.23", "r@23"},
      {R"({"version":"4.6.24"})", "", "4.6.24", "r@24"},
      {R"({"version":"4.7.4","force":true})", "", "4.7.4", "r@4", true},
      {R"({"image":"r@new"})", "", "", "r@new"},
      {R"({"version":"4.6.24","image":"r@new"})", "", "4.6.24", "r@new"},
      // The last completed release is in the history, whatever is on offer; those before it are named by
      // image.
      {R"({"version":"4.6.22"})", "", "4.6.22", "r@22"},
      {R"({"version":"4.6.22"})", partial, "4.7.4", "r@4"},
      {R"({"version":"4.6.22"})", partial_patch, "4.6.24", "r@24"},
      {R"({"version":"4.6.23"})", partial_patch, "4.6.23", "r@23"},
      // Rollbacks stay within a minor version.
      {R"({"version":"4.6.23"})", partial, "4.7.4", "r@4"},
      // An update that was not completed is gone back to by its image.
      {R"({"version":"4.6.24"})",
       R"({"state":"Partial","version":"4.6.26","image":"r@26"},)"
       R"({"state":"Partial","version":"4.6.21","image":"r@21"},)",
       "4.6.24", "r@24"},
      {R"({"version":"4.6.21"})",
       R"({"state":"Partial","version":"4.6.26","image":"r@26"},)"
       R"({"state":"Partial","version":"4.6.21","image":"r@21"},)",
       "4.6.26", "r@26"},
      // Nobody slips into a conditional update by typing its version.
      {R"({"version":"4.6.27"})", "", "4.6.23", "r@23"},
      {R"({"version":"4.6.27","image":"r@27"})", "", "4.6.27", "r@27"},
      // Two images of one version: nothing is begun.
      {R"({"version":"4.6.25"})", "", "4.6.23", "r@23"},
      {R"({"version":"4.6.99"})", "", "4.6.23", "r@23"},
      {R"({"version":"v4","force":true})", "", "4.6.23", "r@23"},
      // What has been begun goes on while the spec is not valid, and is cancelled without a desired update.
      {R"({"version":"4.6.99"})", partial, "4.7.4", "r@4"},
      {R"({"version":"4.7.4"})", partial, "4.7.4", "r@4"},
      {"", partial, "4.6.23", "r@23"},
      {R"({"version":"4.6.24"})", partial, "4.6.24", "r@24"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.update) + " with " + row.history);
    const WantedRelease wanted = wanted_release(cluster(row.update, row.history), false);
    EXPECT_EQ(wanted.version, row.version);
    EXPECT_EQ(wanted.image, row.image);
    EXPECT_EQ(wanted.force, row.force);
  }
}

TEST(DesiredUpdateTest, NothingIsWantedWhereNothingIsKnownToRun) {
  const auto unknown = parsed(
      R"({"spec":{"clusterID":"897f0a22-33ca-4106-a2c4-29b75250255a","desiredUpdate":{"image":"r@new"}}})");
  EXPECT_EQ(wanted_release(unknown, false).image, "");
}

TEST(DesiredUpdateTest, ErrorsAreInTheWordsOfToday) {
  struct Row {
    const char *id, *update;
    bool accept_risks;
    std::vector<std::string> errors;
  };
  const std::string id = "spec.clusterID: Invalid value: ", update = "spec.desiredUpdate";
  const std::string must_specify = update + ": Required value: must specify architecture, version, ";
  const std::string forbidden = update + ".acceptRisks: Forbidden: acceptRisks must not be specified";
  constexpr const char* valid = "897f0a22-33ca-4106-a2c4-29b75250255a";
  const Row rows[] = {
      {valid, "null", false, {}},
      {"", "null", false, {}},
      {"897F0A22-33CA-4106-A2C4-29B75250255A", "null", false, {}},
      // The forms that today's operator reads.
      {"urn:uuid:897f0a22-33ca-4106-a2c4-29b75250255a", "null", false, {}},
      {"{897f0a22-33ca-4106-a2c4-29b75250255a}", "null", false, {}},
      {"897f0a2233ca4106a2c429b75250255a", "null", false, {}},
      {"id", "null", false, {id + "\"id\": must be an RFC4122-variant UUID"}},
      {"897f0a22-33ca-4106-c2c4-29b75250255a",
       "null",
       false,
       {id + "\"897f0a22-33ca-4106-c2c4-29b75250255a\": must be an RFC4122-variant UUID"}},
      {"897f0a22-33ca-1106-a2c4-29b75250255a",
       "null",
       false,
       {id + "\"897f0a22-33ca-1106-a2c4-29b75250255a\": must be a version-4 UUID"}},
      {"00000000-0000-0000-0000-000000000000",
       "null",
       false,
       {id + "\"00000000-0000-0000-0000-000000000000\": must be an RFC4122-variant UUID"}},
      {valid, "{}", false, {must_specify + "or image"}},
      {valid, "{}", true, {must_specify + "image, or acceptRisks"}},
      {valid, R"({"force":true})", true, {must_specify + "image, or acceptRisks"}},
      {valid, R"({"acceptRisks":[]})", true, {must_specify + "image, or acceptRisks"}},
      {valid, R"({"acceptRisks":[]})", false, {must_specify + "or image"}},
      {valid, R"({"acceptRisks":[{"name":"A"}]})", true, {}},
      {valid, R"({"acceptRisks":[{"name":"A"}]})", false, {forbidden}},
      {valid, R"({"version":"4.6.24","acceptRisks":[{"name":"A"}]})", true, {}},
      {valid, R"({"version":"4.6.24","acceptRisks":[{"name":"A"}]})", false, {forbidden}},
      {valid,
       R"({"version":"v4","acceptRisks":[{"name":"A"}]})",
       false,
       {forbidden, update + ".version: Invalid value: \"v4\": must be a semantic version (1.2.3[-...])"}},
      {valid,
       R"({"version":"4.6.27"})",
       false,
       {update + ".version: Invalid value: \"4.6.27\": when image is empty the update must be an available "
                 "update"}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.id) + " " + row.update);
    openshift::ClusterVersion one = cluster(row.update);
    if (std::string_view(row.update) == "null") one.object("spec").erase("desiredUpdate");
    one.set("spec.clusterID", row.id);
    EXPECT_EQ(validate_spec(one, row.accept_risks), row.errors);
  }
}

TEST(DesiredUpdateTest, RisksThatMayNoLongerBeAcceptedStopNothing) {
  // They were stored while the feature gate was on: what is being applied goes on, and nothing else begins.
  constexpr const char* stored = R"({"version":"4.6.24","image":"r@24","acceptRisks":[{"name":"A"}]})";
  EXPECT_EQ(wanted_release(cluster(stored, partial_patch), false).image, "r@24");
  EXPECT_EQ(wanted_release(cluster(stored), false).image, "r@23");
  EXPECT_EQ(wanted_release(cluster(stored), true).image, "r@24");
}

TEST(DesiredUpdateTest, AcceptedRisksAloneAskForNothing) {
  const auto only_risks = cluster(R"({"acceptRisks":[{"name":"A"}]})");
  EXPECT_EQ(wanted_release(only_risks, true).image, "r@23");
  EXPECT_TRUE(validate_spec(only_risks, true).empty());
  EXPECT_EQ(validate_spec(only_risks, false).size(), 1U);
}

}  // namespace
}  // namespace fairway::operators
