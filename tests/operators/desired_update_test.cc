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

/// Returns a ClusterVersion that runs 4.6.23, with updates to 4.6.24 and 4.7.4.
openshift::ClusterVersion cluster(const std::string& desired_update, const std::string& history = "") {
  return parsed(
      R"({"spec":{"clusterID":"897f0a22-33ca-4106-a2c4-29b75250255a")" +
      (desired_update.empty() ? "" : R"(,"desiredUpdate":)" + desired_update) +
      R"(},"status":{"desired":{"version":"4.6.23","image":"r@23"},)"
      R"("availableUpdates":[{"version":"4.6.24","image":"r@24"},{"version":"4.6.25","image":"r@25"},)"
      R"({"version":"4.6.25","image":"r@other"},{"version":"4.7.4","image":"r@4"}],)"
      R"("conditionalUpdates":[{"release":{"version":"4.7.4","image":"r@4"},"risks":[]}],)"
      R"("history":[)" +
      history +
      R"({"state":"Completed","version":"4.6.23","image":"r@23"},)"
      R"({"state":"Completed","version":"4.6.22","image":"r@22"}]}})");
}

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
      // A release of the past is in the history, whatever is on offer.
      {R"({"version":"4.6.22"})", "", "4.6.22", "r@22"},
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

TEST(DesiredUpdateTest, AcceptedRisksAloneAskForNothing) {
  const auto only_risks = cluster(R"({"acceptRisks":[{"name":"A"}]})");
  EXPECT_EQ(wanted_release(only_risks, true).image, "r@23");
  EXPECT_TRUE(validate_spec(only_risks, true).empty());
  EXPECT_EQ(validate_spec(only_risks, false).size(), 1U);
}

}  // namespace
}  // namespace fairway::operators
