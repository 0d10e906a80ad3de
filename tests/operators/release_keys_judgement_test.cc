// SPDX-License-Identifier: Apache-2.0

// Where keys of releases are looked for, and what is made of what is found.
#include <gtest/gtest.h>

#include "operators/release_keys.h"
#include "support/loopback_server.h"

namespace fairway::operators {
namespace {

const k8s::Key config_map{"fairway-system", "fairway-release-keys"};

TEST(ReleaseKeysJudgement, TrustsWhatWasInstalledOrVerifiedAndNothingElse) {
  const std::string by_digest = R"("image":"a.example/b@sha256:)" + std::string(64, 'a') + "\"",
                    by_tag = R"("image":"a.example/b:4.7.4")", verified = R"(,"verified":true)",
                    unverified = R"(,"verified":false)", risks = R"(,"acceptedRisks":"R")";
  struct Row {
    std::string history;
    bool is_trusted;
  };
  for (const auto& [history, is_trusted] :
       std::vector<Row>{{"", false},
                        {"{" + by_digest + unverified + "}", true},
                        {"{" + by_digest + unverified + risks + "}", false},
                        {"{" + by_digest + verified + risks + "}", true},
                        {"{" + by_tag + unverified + "}", false},
                        {"{" + by_tag + verified + "}", false},
                        {"{" + verified.substr(1) + "}", false},
                        {R"({"image":"a.example/b@sha256:1","verified":true})", false},
                        {"{" + by_digest + verified + "},{" + by_digest + "}", true},
                        {"{" + by_digest + unverified + "},{" + by_digest + "}", false},
                        {"{" + by_digest + R"(,"verified":"true"},{)" + by_digest + "}", false},
                        {"{" + by_digest + "},{" + by_digest + verified + "}", false}}) {
    openshift::ClusterVersion cluster(
        json::parse(R"({"status":{"history":[)" + history + "]}}").value().as_object());
    EXPECT_EQ(distrust_of(cluster).empty(), is_trusted) << history << ": " << distrust_of(cluster);
  }
}

TEST(ReleaseKeysJudgement, SaysWhatIsMissing) {
  const auto says = [](const Result<std::size_t>& keys, bool allow_unsigned, const std::string& note = "") {
    const auto finding = judge_release_keys(keys, allow_unsigned, config_map, note);
    return finding ? finding->reason + ": " + finding->message : "";
  };
  EXPECT_EQ(says(1U, false), "");
  EXPECT_EQ(says(0U, true), "");
  EXPECT_TRUE(says(0U, false, "Note").contains("there are no public keys. Note. What to do: give OpenPGP"));
  EXPECT_TRUE(says(fail(ErrorCode::invalid, "torn"), true).starts_with("InvalidReleaseKeys: "));
  EXPECT_TRUE(says(fail(ErrorCode::unavailable, "away"), true).starts_with("ReleaseKeysUnknown: "));
}

// Only the API server itself can say that there is no ConfigMap.
TEST(ReleaseKeysJudgement, TakesNoOtherAnswerForAConfigMapThatIsNotThere) {
  const std::string status = R"({"kind":"Status","apiVersion":"v1","status":"Failure",)";
  struct Row {
    int code;
    std::string body, outcome;
  };
  for (const auto& [code, body, outcome] : std::vector<Row>{
           {404, status + R"("code":404,"reason":"NotFound","details":{"name":"fairway-release-keys"}})",
            "none"},
           {404, status + R"("code":404,"reason":"NotFound"})", "error"},
           {404, "404 page not found", "error"},
           {403, status + R"("code":403,"reason":"Forbidden","message":"no"})", "error"},
           {200, R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"fairway-release-keys"}})",
            "error"},
           {200,
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{},"data":{"verifier-public-key-a":"A"}})",
            "1"}}) {
    const auto server = fairway::testing::serve_on_loopback(
        "GET", [&](const http::Request&) { return http::Response::json(code, body); }, {});
    const auto client = kube::Client::create({.server = "http://" + server->address()}, {});
    ASSERT_TRUE(client) << client.error().message;
    const auto keys = read_release_keys(**client, config_map, {});
    const std::string found = !keys                ? "error"
                              : keys->keys.empty() ? "none"
                                                   : std::to_string(keys->keys.size());
    EXPECT_EQ(found, outcome) << code << " " << body;
    if (!keys) {
      EXPECT_TRUE(keys.error().message.contains(config_map.to_string())) << keys.error().message;
    }
  }
}

}  // namespace
}  // namespace fairway::operators
