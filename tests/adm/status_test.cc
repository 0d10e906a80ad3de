// SPDX-License-Identifier: Apache-2.0

// What recorded cases of today's client cannot show: a cluster without ClusterOperators.
#include "adm/status/status.h"

#include <gtest/gtest.h>

#include <string>

namespace fairway::adm {
namespace {

StatusInput input(const std::string& state, const std::string& failing, const std::string& progressing) {
  StatusInput input{
      .cluster = openshift::ClusterVersion(json::parse(R"({
    "apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
    "status": {
      "desired": {"version": "4.7.4"},
      "history": [{"version": "4.7.4", "state": ")" + state +
                                                       R"(", "startedTime": "2026-01-01T10:00:00Z",
                   "completionTime": "2026-01-01T10:03:00Z"},
                  {"version": "4.6.23", "state": "Completed"}],
      "conditions": [
        {"type": "Failing", "status": ")" + failing + R"(", "reason": "R", "message": "M.",
         "lastTransitionTime": "2026-01-01T10:01:00Z"},
        {"type": "Progressing", "status": ")" + progressing +
                                                       R"(", "message": "Working towards 4.7.4: 3 of 9 done",
         "lastTransitionTime": "2026-01-01T10:00:00Z"}]}})")
                                               .value()
                                               .as_object())};
  input.now = input.machine_now = parse_time("2026-01-01T10:02:00Z").value();
  return input;
}

TEST(Status, shows_an_update_of_a_cluster_without_cluster_operators) {
  EXPECT_EQ(status({}, input("Partial", "False", "True")).out,
            "= Control Plane =\n"
            "Assessment:      Progressing\n"
            "Target Version:  4.7.4 (from 4.6.23)\n"
            "State:           Working towards 4.7.4: 3 of 9 done\n"
            "Duration:        2m\n"
            "\n"
            "= Update Health =\n"
            "SINCE   LEVEL   IMPACT   MESSAGE\n"
            "2m      Info    None     Update is proceeding well\n");
}

TEST(Status, calls_an_update_stalled_that_fails) {
  const CommandResult answer = status({.details = "health"}, input("Partial", "True", "True"));
  EXPECT_NE(answer.out.find("Assessment:      Stalled\n"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("Message: Cluster Version version is failing to proceed with the update (R)\n"),
            std::string::npos);
}

TEST(Status, says_so_where_nothing_is_updated) {
  EXPECT_EQ(status({}, input("Completed", "False", "False")).out, "The cluster is not updating.\n");
}

TEST(Status, needs_cluster_operators_in_recorded_data) {
  StatusInput recorded = input("Partial", "False", "True");
  recorded.recorded = true;
  EXPECT_TRUE(status({}, recorded).failed());
}

}  // namespace
}  // namespace fairway::adm
