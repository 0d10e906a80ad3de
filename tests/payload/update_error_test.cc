// SPDX-License-Identifier: Apache-2.0

#include "payload/update_error.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairway::payload {
namespace {

UpdateError operator_error(const std::string& name, const std::string& reason, UpdateEffect effect) {
  return {.reason = reason, .message = "Cluster operator " + name + " ...", .effect = effect, .name = name};
}

TEST(MergedErrorsTest, AreOneErrorOfClusterOperatorsWithOneReason) {
  const UpdateError etcd = operator_error("etcd", "ClusterOperatorUpdating", UpdateEffect::none);
  EXPECT_EQ(merge_errors({etcd}), etcd);
  const UpdateError two =
      merge_errors({operator_error("kube-apiserver", "ClusterOperatorUpdating", UpdateEffect::none), etcd});
  EXPECT_EQ(two.reason, "ClusterOperatorsUpdating");
  EXPECT_EQ(two.message, "Cluster operators etcd, kube-apiserver are updating versions");
  EXPECT_EQ(two.name, "etcd, kube-apiserver");
  EXPECT_EQ(two.names, (std::vector<std::string>{"etcd", "kube-apiserver"}));
  EXPECT_EQ(two.effect, UpdateEffect::none);
  EXPECT_EQ(two.nested.size(), 2U);
}

TEST(MergedErrorsTest, AreOthersOneByOne) {
  const UpdateError a{.reason = "A", .message = "b went wrong", .effect = UpdateEffect::none, .name = "b"};
  const UpdateError b{.reason = "B", .message = "a went wrong", .effect = UpdateEffect::fail, .name = "a"};
  const UpdateError merged =
      merge_errors({a, b, operator_error("e", "ClusterOperatorDegraded", UpdateEffect::fail_after_interval),
                    operator_error("d", "ClusterOperatorDegraded", UpdateEffect::fail_after_interval)});
  EXPECT_EQ(merged.reason, "MultipleErrors");
  EXPECT_EQ(
      merged.message,
      "Multiple errors are preventing progress:\n* Cluster operators d, e are degraded\n* a went wrong\n* "
      "b went wrong");
  EXPECT_EQ(merged.effect, UpdateEffect::fail);
  EXPECT_EQ(merged.nested.size(), 3U);
  EXPECT_EQ(merge_errors({a, a}), a) << "what is said twice is said once";
}

TEST(ErrorOfServerTest, SaysWhichObjectAndWhy) {
  const ObjectId object{"apps", "Deployment", "a", "b"};
  const auto of = [&](const kube::ApiError& error) { return error_of_server(error, object, 12, 859); };
  const UpdateError invalid =
      of(kube::ApiError("PATCH x", k8s::Status::failure(k8s::reason::invalid, "spec.replicas: no")));
  EXPECT_EQ(invalid.reason, "UpdatePayloadResourceInvalid");
  EXPECT_EQ(
      invalid.message,
      "Could not update deployment \"a/b\" (12 of 859): the object is invalid, possibly due to local cluster "
      "configuration: spec.replicas: no");
  const auto refused = [](const ObjectId& what, const std::string& message) {
    const kube::ApiError error("PATCH x", k8s::Status::failure(k8s::reason::forbidden, message));
    return error_of_server(error, what, 1, 2).message;
  };
  EXPECT_TRUE(refused(object, std::string(600, 'x') + "\n").contains(": xxx"));
  EXPECT_LT(refused(object, std::string(600, 'x')).size(), 620U);
  EXPECT_FALSE(refused(object, "a\n* b").contains('\n')) << "a line is an error of its own";
  // Other answers have no words of ours: a denial by a webhook that names no code is a 400.
  const auto denied = [](const ObjectId& what) {
    const kube::ApiError error("PATCH x",
                               k8s::Status::failure(k8s::reason::bad_request, "data.password: hunter2"));
    return error_of_server(error, what, 1, 2).message;
  };
  EXPECT_EQ(denied(object), "Could not update deployment \"a/b\" (1 of 2): data.password: hunter2");
  EXPECT_EQ(denied({"", "Secret", "a", "b"}),
            "Could not update secret \"a/b\" (1 of 2): the server answered with status 400");
  EXPECT_EQ(refused({"", "Secret", "a", "b"}, "data.password: hunter2"),
            "Could not update secret \"a/b\" (1 of 2): the server has forbidden updates to this resource");
  EXPECT_EQ(of(kube::ApiError(Error{ErrorCode::unavailable, "x"})).reason, "UpdatePayloadClusterDown");
  EXPECT_EQ(of(kube::ApiError(Error{ErrorCode::not_found, "x"})).reason, "UpdatePayloadResourceTypeMissing");
  EXPECT_EQ(of(kube::ApiError(Error{ErrorCode::invalid, "why"})).message,
            "Could not update deployment \"a/b\" (12 of 859): why");
}

k8s::Dynamic cluster_operator(const std::string& status) {
  return k8s::Dynamic::parse(R"({"apiVersion":"config.openshift.io/v1","kind":"ClusterOperator",)"
                             R"("metadata":{"name":"etcd"},"status":)" +
                             status + "}")
      .value();
}

TEST(ClusterOperatorTest, IsReadyWhenAvailableNotDegradedAndAtItsVersions) {
  const k8s::Dynamic expected = cluster_operator(
      R"({"versions":[{"name":"operator","version":"4.7.4"},{"name":"etcd","version":"4.7.4"}]})");
  const std::string good =
      R"("conditions":[{"type":"Available","status":"True"},{"type":"Degraded","status":"False"}])";
  struct Row {
    std::string status, reason, why;
    UpdateEffect effect = UpdateEffect::fail;
  };
  const std::vector<Row> rows{
      {"{" + good +
           R"(,"versions":[{"name":"operator","version":"4.7.4"},{"name":"etcd","version":"4.7.4"}]})",
       "", ""},
      {"{}", "ClusterOperatorNotAvailable", "does not say that it is"},
      {R"({"conditions":[{"type":"Available","status":"False","reason":"Down","message":"no quorum"}]})",
       "ClusterOperatorNotAvailable", "cluster operator etcd is Available=False: Down: no quorum"},
      {R"({"conditions":[{"type":"Available","status":"True"},)"
       R"({"type":"Degraded","status":"True","reason":"Bad","message":"slow"}]})",
       "ClusterOperatorDegraded", "cluster operator etcd is Degraded=True: Bad: slow",
       UpdateEffect::fail_after_interval},
      {"{" + good + R"(,"versions":[{"name":"operator","version":"4.7.3"}]})", "ClusterOperatorUpdating",
       "operator from 4.7.3 to 4.7.4, etcd to 4.7.4", UpdateEffect::none}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.status);
    const k8s::Dynamic actual = cluster_operator(row.status);
    const OperatorHealth health = check_cluster_operator(expected, &actual, "4.7.4", false);
    EXPECT_EQ(health.readiness.is_ready(), row.reason.empty());
    EXPECT_EQ(health.error.reason, row.reason);
    EXPECT_TRUE(health.readiness.reason.contains(row.why)) << health.readiness.reason;
    if (!row.reason.empty()) {
      EXPECT_EQ(health.error.effect, row.effect);
    }
  }
  EXPECT_EQ(check_cluster_operator(expected, nullptr, "4.7.4", false).error.message,
            "Cluster operator etcd is not available");
  // A manifest without versions means the release's.
  const k8s::Dynamic bare = cluster_operator("{}");
  const k8s::Dynamic at_version =
      cluster_operator("{" + good + R"(,"versions":[{"name":"operator","version":"4.7.4"}]})");
  EXPECT_TRUE(check_cluster_operator(bare, &at_version, "4.7.4", false).readiness.is_ready());
  EXPECT_FALSE(check_cluster_operator(bare, &at_version, "4.7.5", false).readiness.is_ready());
  EXPECT_TRUE(check_cluster_operator(bare, &at_version, "4.7.5", true).readiness.is_ready());
}

TEST(SummaryTest, NamesWhatItIsAbout) {
  EXPECT_EQ(summary_for_reason("ClusterOperatorDegraded", "etcd"), "the cluster operator etcd is degraded");
  EXPECT_EQ(summary_for_reason("ClusterOperatorDegraded", ""), "a cluster operator is degraded");
  EXPECT_EQ(summary_for_reason("UpdatePayloadOfTomorrow", "x"), "the update could not be applied");
  EXPECT_EQ(summary_for_reason("Else", "x"), "x has an unknown error: Else");
  EXPECT_EQ(summary_for_reason("Else", ""), "an unknown error has occurred: Else");
}

}  // namespace
}  // namespace fairway::payload
