// SPDX-License-Identifier: Apache-2.0

#include "adm/why.h"

#include <gtest/gtest.h>

#include <string>

namespace fairway::adm {
namespace {

openshift::ClusterVersion cluster() {
  return openshift::ClusterVersion(json::parse(R"({
    "apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
    "spec": {"channel": "stable-4.6"},
    "status": {
      "desired": {"version": "4.6.23"},
      "history": [{"version": "4.6.23"}, {"version": "4.6.1"}],
      "availableUpdates": [{"version": "4.6.42"}],
      "conditionalUpdates": [{
        "release": {"version": "4.7.4"},
        "risks": [{"name": "R", "message": "Nodes fail.", "url": "https://example.com/r"}],
        "conditions": [{"type": "Recommended", "status": "False", "reason": "R", "message": "Nodes fail."}]}],
      "conditions": [{"type": "fairway.dev/IncompleteUpdates", "status": "True", "reason": "RiskLeftOut",
                      "message": "4.7.5 has no rules."}]}})")
                                       .value()
                                       .as_object());
}

const Result<std::string> silent = fail(ErrorCode::unavailable, "spec.upstream is unset");

TEST(Why, says_where_a_release_stands) {
  EXPECT_EQ(why("4.6.23", cluster(), silent).out,
            "4.6.23 is what the cluster runs, or is being updated to.\n");
  EXPECT_EQ(why("4.6.42", cluster(), silent).out, "4.6.42 is recommended.\n");
  EXPECT_EQ(
      why("4.7.4", cluster(), silent).out,
      "4.7.4 is supported, but not recommended for this cluster.\n  Recommended=False R: Nodes fail.\nIts "
      "risks:\n  R: Nodes fail. https://example.com/r\n");
}

TEST(Why, names_what_may_have_kept_a_release_away) {
  const CommandResult answer = why("4.6.1", cluster(), silent);
  EXPECT_NE(answer.out.find("4.6.1 is not offered to this cluster.\n"), std::string::npos);
  EXPECT_NE(answer.out.find("its history has it"), std::string::npos);
  EXPECT_NE(answer.out.find("4.7.5 has no rules."), std::string::npos);
  EXPECT_EQ(answer.err, "warning: The update service does not say why: spec.upstream is unset\n");
}

TEST(Why, repeats_what_the_update_service_says) {
  const CommandResult answer = why("4.7.0", cluster(), std::string(R"({"verdict": "none", "reasons": [
      {"kind": "blocked", "file": "blocked-edges/4.7.0.yaml", "line": 1, "message": "Blocked."}], "risks": []})"));
  EXPECT_NE(answer.out.find("The update service says of 4.6.23 to 4.7.0 in stable-4.6: none\n"
                            "  blocked-edges/4.7.0.yaml:1: Blocked.\n"),
            std::string::npos)
      << answer.out;
}

TEST(Why, refuses_what_is_no_version) {
  EXPECT_TRUE(check_why("v4").failed());
  EXPECT_FALSE(check_why("").failed()) << "that is the update that runs";
  EXPECT_FALSE(check_why("4.7.4").failed());
}

}  // namespace
}  // namespace fairway::adm
