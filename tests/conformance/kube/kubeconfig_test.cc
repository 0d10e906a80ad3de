// SPDX-License-Identifier: Apache-2.0

// Who we are to a real API server, by each way that a kubeconfig has.
#include "base/base64.h"
#include "base/digest.h"
#include "base/file.h"
#include "conformance/kube/on_cluster.h"
#include "http/client.h"

namespace fairway::conformance {
namespace {

const k8s::GroupVersionResource reviews{"authentication.k8s.io", "v1", "selfsubjectreviews"};

/// Asks the server who we are; it must answer.
kube::ApiResult<std::string> who_am_i(kube::Client& client) {
  const auto review = client.create(
      reviews, object_of(R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})"));
  if (!review) return std::unexpected(review.error());
  std::string who(review->text("status.userInfo.username"));
  for (const std::string_view group : review->texts("status.userInfo.groups"))
    who += " " + std::string(group);
  return who;
}

using Kubeconfig = OnCluster;

TEST_F(Kubeconfig, MakesUsWhomItSays) {
  const std::string admin = " system:masters system:authenticated";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "admin" + admin},  // the current context
      {"admin", "admin" + admin},
      {"admin-by-files", "admin" + admin},
      {"admin-by-token", cluster.token_user()},
      {"admin-by-token-file", cluster.token_user()},
      {"admin-by-program", cluster.token_user()},
      {"admin-by-other-name", "admin" + admin},
      {"nobody", "nobody system:authenticated"},
  };
  for (const auto& [context, who] : cases) {
    SCOPED_TRACE(context);
    const auto is = who_am_i(*cluster.client(context));
    ASSERT_OK(is);
    EXPECT_EQ(*is, who);
  }
}

TEST_F(Kubeconfig, SaysWhichCertificateWeCameWith) {
  const std::string pem = read_file(cluster.folder() / "admin.crt").value();
  const std::size_t begin = pem.find('\n'), end = pem.find("-----END");
  const auto review = cluster.client("admin")->create(
      reviews, object_of(R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})"));
  ASSERT_OK(review);
  EXPECT_EQ(json::to_text(*review->find("status.userInfo.extra")),
            R"({"authentication.kubernetes.io/credential-id":["X509SHA256=)" +
                sha256_hex(base64_decode(pem.substr(begin, end - begin)).value()) + R"("]})");
}

TEST_F(Kubeconfig, ActsAsSomebodyElse) {
  kube::ClientConfig config = cluster.config();
  config.impersonate = {
      .user = "jane", .uid = "42", .groups = {"a", "b"}, .extra = {{"example.com/x", {"y"}}}};
  const auto is = who_am_i(**kube::Client::create(config));
  ASSERT_OK(is);
  EXPECT_EQ(*is, "jane a b system:authenticated");
}

TEST_F(Kubeconfig, HasRefusalsAsErrors) {
  const auto refusal = [&](const std::string& context) {
    return cluster.client(context)->get(config_maps, key("a")).error();
  };
  const kube::ApiError unknown = refusal("unknown");
  EXPECT_TRUE(unknown.is(k8s::reason::unauthorized)) << unknown.message;
  EXPECT_EQ(unknown.code, ErrorCode::unauthenticated);
  const kube::ApiError nobody = refusal("nobody");
  EXPECT_TRUE(nobody.is(k8s::reason::forbidden)) << nobody.message;
  EXPECT_EQ(nobody.code, ErrorCode::forbidden);
  EXPECT_NE(nobody.message.find("User \"nobody\" cannot get resource \"configmaps\""), std::string::npos)
      << nobody.message;
  const kube::ApiError anonymous = refusal("anonymous");
  if (cluster.knows_anonymous()) {
    EXPECT_TRUE(anonymous.is(k8s::reason::forbidden)) << anonymous.message;
    EXPECT_NE(anonymous.message.find("system:anonymous"), std::string::npos) << anonymous.message;
  } else {
    EXPECT_TRUE(anonymous.is(k8s::reason::unauthorized)) << anonymous.message;
  }
}

TEST_F(Kubeconfig, TrustsNoOtherServer) {
  kube::ClientConfig config = cluster.config();
  config.ca = testing::TestCa("another").certificate();
  const auto stranger = (*kube::Client::create(config))->get(config_maps, key("a"));
  ASSERT_FALSE(stranger);
  EXPECT_EQ(stranger.error().code, ErrorCode::unavailable) << stranger.error().message;
  EXPECT_FALSE(stranger.error().is_answer());
  config = cluster.config();
  config.tls_server_name = "other.example";
  EXPECT_FALSE((*kube::Client::create(config))->get(config_maps, key("a")));
}

TEST_F(Kubeconfig, IsReadAlikeByKubectl) {
  for (const std::string context :
       {"admin", "admin-by-token-file", "admin-by-program", "admin-by-other-name"}) {
    const auto result = cluster.kubectl(
        {"--context", context, "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"});
    const auto is = who_am_i(*cluster.client(context));
    ASSERT_OK(is);
    EXPECT_EQ(result.output, is->substr(0, is->find(' '))) << result.errors;
  }
}

}  // namespace
}  // namespace fairway::conformance
