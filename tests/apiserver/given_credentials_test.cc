// SPDX-License-Identifier: Apache-2.0

// A server that is given certificates and keys, as kube-apiserver is.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "apiserver/raw_client.h"
#include "apiserver/server_case.h"
#include "base/base64.h"
#include "base/file.h"
#include "http/certificate.h"
#include "http/signing_key.h"
#include "support/eventually.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

const http::Validity a_day{Clock::system().now() - 1h, Clock::system().now() + 23h};

std::string signing_key(const std::string& name) {
  return FAIRWAY_SOURCE_DIR "/tests/http/data/signing-keys/" + name;
}

/// An authority that is not the server's.
http::KeyedCertificate other_authority() {
  return http::make_authority("other", a_day).value();
}

json::Value whoami(const RawClient& client) {
  const auto reply =
      client.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {}, "{\"metadata\":{}}");
  return reply.status == 201 ? parsed(reply.body).at("status").at("userInfo") : json::Value(reply.status);
}

TEST(GivenCredentials, ClientsOfTheGivenAuthorityAndOfTheOwnAreTrusted) {
  const fairway::testing::TempDirectory folder;
  const http::KeyedCertificate theirs = other_authority();
  // Without the end of the last line, as some programs write it.
  ASSERT_OK(
      write_file_atomically(folder / "ca.crt", theirs.certificate.substr(0, theirs.certificate.size() - 1)));
  const auto server = start_server({.client_ca_file = folder / "ca.crt"});
  const auto joe = http::issue_client_certificate(theirs, "joe", {"system:masters", "b"}, a_day).value();
  const json::Value user = whoami(RawClient(*server, &joe));
  EXPECT_EQ(json::find_string(user, "username"), "joe");
  EXPECT_EQ(json::to_text(user.at("groups")), R"(["system:masters","b","system:authenticated"])");
  EXPECT_EQ(json::find_string(whoami(RawClient(*server, &server->admin())), "username"), "kubernetes-admin");
  const auto published =
      client_of(*server)->get(config_maps, {"kube-system", "extension-apiserver-authentication"});
  ASSERT_OK(published);
  EXPECT_TRUE(published->text("data.client-ca-file").contains(theirs.certificate));
  const auto others = start_server();
  EXPECT_THROW(RawClient(*others, &joe).send("GET", "/api"), std::runtime_error);
}

TEST(GivenCredentials, TheGivenCertificateIsServed) {
  const fairway::testing::TempDirectory folder;
  const http::KeyedCertificate theirs = other_authority();
  const auto served = http::issue_certificate(theirs, "s", {"127.0.0.1"}, a_day).value();
  ASSERT_OK(write_file_atomically(folder / "s.crt", served.certificate));
  ASSERT_OK(write_file_atomically(folder / "s.key", served.key));
  const auto server =
      start_server({.tls_cert_file = folder / "s.crt", .tls_private_key_file = folder / "s.key"});
  EXPECT_EQ(server->authority(), served.certificate);
  EXPECT_EQ(client_of(*server)->get(namespaces, {"", "default"})->name(), "default");
  EXPECT_TRUE(server->kubeconfig().contains(base64_encode(served.certificate)));
}

TEST(GivenCredentials, KeysBesideTheCertificatesAreNotPublished) {
  const fairway::testing::TempDirectory folder;
  const http::KeyedCertificate theirs = other_authority();
  const auto served = http::issue_certificate(theirs, "s", {"127.0.0.1"}, a_day).value();
  ASSERT_OK(write_file_atomically(folder / "ca.pem", theirs.key + theirs.certificate + "a remark"));
  ASSERT_OK(write_file_atomically(folder / "s.pem", served.certificate + served.key));
  const auto server = start_server({.client_ca_file = folder / "ca.pem",
                                    .tls_cert_file = folder / "s.pem",
                                    .tls_private_key_file = folder / "s.pem"});
  const auto client = client_of(*server);
  EXPECT_EQ(server->authority(), served.certificate);
  ASSERT_TRUE(fairway::testing::eventually(
      [&] { return client->get(config_maps, {"default", "kube-root-ca.crt"}).has_value(); }));
  for (const k8s::Key& key : {k8s::Key{"kube-system", "extension-apiserver-authentication"},
                              k8s::Key{"default", "kube-root-ca.crt"}}) {
    const std::string text = json::to_text(client->get(config_maps, key)->json());
    EXPECT_TRUE(text.contains("BEGIN CERTIFICATE")) << text;
    EXPECT_FALSE(text.contains("PRIVATE KEY")) << key.name;
    EXPECT_FALSE(text.contains("remark")) << key.name;
  }
  EXPECT_FALSE(server->kubeconfig().contains(base64_encode(served.certificate + served.key)));
  EXPECT_TRUE(server->kubeconfig().contains(base64_encode(served.certificate)));
}

TEST(GivenCredentials, ThatCannotBeReadEndTheStartInWords) {
  const fairway::testing::TempDirectory folder;
  const http::KeyedCertificate one = other_authority(), another = other_authority();
  ASSERT_OK(write_file_atomically(folder / "one.crt", one.certificate));
  ASSERT_OK(write_file_atomically(folder / "another.key", another.key));
  ASSERT_OK(write_file_atomically(folder / "text", "no PEM"));
  const auto error_of = [](ServerOptions options) {
    const auto server = EmbeddedServer::start(std::move(options));
    return server ? std::string("started") : server.error().message;
  };
  EXPECT_TRUE(error_of({.client_ca_file = folder / "none"}).contains("none"));
  EXPECT_TRUE(error_of({.client_ca_file = folder / "text"}).contains("the CAs of clients"));
  EXPECT_TRUE(error_of({.tls_cert_file = folder / "one.crt"}).contains("name both, or none"));
  EXPECT_TRUE(error_of({.tls_cert_file = folder / "one.crt", .tls_private_key_file = folder / "another.key"})
                  .contains("does not belong"));
  EXPECT_TRUE(error_of({.service_account_signing_key_file = folder / "one.crt"}).contains("signs tokens"));
  EXPECT_TRUE(error_of({.service_account_key_files = {folder / "text"}}).contains("verify tokens"));
}

/// The files of a key that signs: the private key, and the file by which its tokens are verified.
class GivenSigningKey : public ::testing::TestWithParam<std::pair<std::string, std::string>> {};

TEST_P(GivenSigningKey, SignsTokensThatItsPublicHalfVerifies) {
  const auto& [name, algorithm] = GetParam();
  const auto server = start_server({.service_account_signing_key_file = signing_key(name + ".key"),
                                    .service_account_key_files = {signing_key(name + ".crt")},
                                    .service_account_issuers = {"https://a.example/", "https://b.example"},
                                    .api_audiences = {"api", "https://a.example/"}});
  const RawClient admin(*server, &server->admin());
  const std::string accounts = "/api/v1/namespaces/default/serviceaccounts";
  ASSERT_EQ(admin.send("POST", accounts, {}, R"({"metadata":{"name":"robot"}})").status, 201);
  const auto reply = admin.send("POST", accounts + "/robot/token", {}, R"({"spec":{}})");
  ASSERT_EQ(reply.status, 201) << reply.body;
  const std::string token(parsed(reply.body).at("status").at("token").as_string());
  const std::size_t first = token.find('.'), last = token.rfind('.');
  const json::Value head = parsed(base64url_decode(token.substr(0, first)).value());
  const json::Value claims = parsed(base64url_decode(token.substr(first + 1, last - first - 1)).value());
  EXPECT_EQ(json::find_string(head, "alg"), algorithm);
  EXPECT_EQ(json::find_string(claims, "iss"), "https://a.example/");
  EXPECT_EQ(json::to_text(claims.at("aud")), R"(["api","https://a.example/"])");
  const auto public_keys = http::read_verifying_keys(read_file(signing_key(name + ".pub")).value()).value();
  EXPECT_TRUE(http::verify(public_keys.front(), token.substr(0, last),
                           base64url_decode(token.substr(last + 1)).value()));

  // The server itself takes it, and publishes by what.
  http::Headers bearer;
  bearer.add("Authorization", "Bearer " + token);
  EXPECT_EQ(RawClient(*server)
                .send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", bearer, "{}")
                .status,
            201);
  const json::Value keys = parsed(admin.send("GET", "/openid/v1/jwks").body);
  EXPECT_EQ(json::find_string(keys.at("keys").at(0), "alg"), algorithm);
  EXPECT_EQ(json::find_string(keys.at("keys").at(0), "kid"), json::find_string(head, "kid"));
  const json::Value metadata = parsed(admin.send("GET", "/.well-known/openid-configuration").body);
  EXPECT_EQ(json::find_string(metadata, "issuer"), "https://a.example/");
  EXPECT_EQ(json::to_text(metadata.at("id_token_signing_alg_values_supported")), "[\"" + algorithm + "\"]");

  // One without that key, or for other issuers, does not.
  for (ServerOptions options :
       {ServerOptions{.service_account_issuers = {"https://a.example/"}},
        ServerOptions{.service_account_key_files = {signing_key(name + ".pub")}, .api_audiences = {"api"}}}) {
    EXPECT_EQ(RawClient(*start_server(std::move(options))).send("GET", "/api", bearer).status, 401);
  }
}

TEST(GivenCredentials, TheOwnKeySignsValidTokensBesideGivenOnesThatVerify) {
  const auto server = start_server({.service_account_key_files = {signing_key("p256.pub")}});
  const RawClient admin(*server, &server->admin());
  const std::string accounts = "/api/v1/namespaces/default/serviceaccounts";
  ASSERT_EQ(admin.send("POST", accounts, {}, R"({"metadata":{"name":"robot"}})").status, 201);
  const auto reply = admin.send("POST", accounts + "/robot/token", {}, R"({"spec":{}})");
  ASSERT_EQ(reply.status, 201) << reply.body;
  http::Headers bearer;
  bearer.add("Authorization",
             "Bearer " + std::string(parsed(reply.body).at("status").at("token").as_string()));
  EXPECT_EQ(RawClient(*server).send("GET", "/api", bearer).status, 200);
  EXPECT_EQ(parsed(admin.send("GET", "/openid/v1/jwks").body).at("keys").as_array().size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(All, GivenSigningKey,
                         ::testing::Values(std::pair("p256", "ES256"), std::pair("rsa", "RS256"),
                                           std::pair("p384", "ES384")),
                         [](const auto& kind) { return std::string(kind.param.first); });

TEST(DisabledApis, AreNotServedAndNotInDiscovery) {
  const auto server =
      start_server({.namespace_defaults = false, .disabled_apis = {"apps/v1", "batch/v1/cronjobs"}});
  const RawClient admin(*server, &server->admin());
  EXPECT_EQ(admin.send("GET", "/apis/apps/v1/deployments").status, 404);
  EXPECT_EQ(admin.send("GET", "/apis/apps/v1").status, 404);
  EXPECT_FALSE(admin.send("GET", "/apis").body.contains("\"apps\""));
  EXPECT_EQ(admin.send("GET", "/apis/batch/v1/cronjobs").status, 404);
  EXPECT_EQ(admin.send("GET", "/apis/batch/v1/jobs").status, 200);
  EXPECT_FALSE(admin.send("GET", "/apis/batch/v1").body.contains("cronjobs"));
  EXPECT_FALSE(EmbeddedServer::start({.disabled_apis = {"rbac.authorization.k8s.io/v1"}}));
  EXPECT_FALSE(EmbeddedServer::start({.disabled_apis = {"apps"}}));
}

TEST(PodServiceAccounts, AreIgnoredWhereTheServerIsTold) {
  for (const bool looked_up : {true, false}) {
    const auto server = start_server({.namespace_defaults = false, .pod_service_accounts = looked_up});
    const RawClient admin(*server, &server->admin());
    const std::string pods = "/api/v1/namespaces/default/pods";
    const std::string spec = R"("containers":[{"name":"c","image":"i"}])";
    EXPECT_EQ(admin
                  .send("POST", pods, {},
                        R"({"metadata":{"name":"a"},"spec":{"serviceAccountName":"robot",)" + spec + "}}")
                  .status,
              looked_up ? 403 : 201);
    const auto reply = admin.send("POST", pods, {}, R"({"metadata":{"name":"b"},"spec":{)" + spec + "}}");
    EXPECT_EQ(reply.status, 201);
    EXPECT_EQ(reply.body.contains("serviceAccountName"), looked_up);
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
