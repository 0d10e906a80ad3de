// The audit log: every request, and none that waits for it.
#include <fcntl.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "apiserver/raw_client.h"
#include "base/file.h"
#include "base/file_descriptor.h"
#include "base/text.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

const std::string maps = "/api/v1/namespaces/default/configmaps";

class Audit : public ::testing::Test {
 protected:
  std::unique_ptr<Server> start(AuditLevel level, const std::filesystem::path& file) const {
    return start_server({.namespace_defaults = false, .audit_log = file, .audit_level = level});
  }
  /// The events so far.
  std::vector<k8s::Dynamic> events(const Server& server) const {
    EXPECT_EQ(server.unaudited_requests(), 0u);
    std::vector<k8s::Dynamic> all;
    const std::string text = read_file(file).value();
    for (const std::string_view line : split(text, '\n')) {
      if (!line.empty()) all.push_back(object_of(line));
    }
    return all;
  }

  fairway::testing::TempDirectory folder;
  std::filesystem::path file = folder / "audit.log";
};

TEST_F(Audit, SaysWhoAskedForWhatAndWhatTheAnswerWas) {
  const auto server = start(AuditLevel::metadata, file);
  const RawClient admin(*server, &server->admin()), nobody(*server);
  const http::Reply made = admin.send("POST", maps, {{"User-Agent", "me/1"}}, R"({"metadata":{"name":"m"}})");
  admin.send("GET", maps + "/m?pretty=1", {{"Impersonate-User", "bob"}});
  nobody.send("GET", "/api");
  nobody.send("GET", "/readyz");
  const auto all = events(*server);
  ASSERT_EQ(all.size(), 3u);
  const k8s::Dynamic& create = all[0];
  EXPECT_EQ(create.kind(), "Event");
  EXPECT_EQ(create.api_version(), "audit.k8s.io/v1");
  EXPECT_EQ(create.text("level"), "Metadata");
  EXPECT_EQ(create.text("stage"), "ResponseComplete");
  EXPECT_EQ(create.text("auditID"), made.headers.find("Audit-Id"));
  EXPECT_EQ(create.text("verb"), "create");
  EXPECT_EQ(create.text("requestURI"), maps);
  EXPECT_EQ(create.text("user.username"), "kubernetes-admin");
  EXPECT_EQ(create.text("userAgent"), "me/1");
  EXPECT_EQ(create.texts("sourceIPs"), std::vector<std::string_view>{"127.0.0.1"});
  EXPECT_EQ(create.text("objectRef.resource"), "configmaps");
  EXPECT_EQ(create.text("objectRef.namespace"), "default");
  EXPECT_EQ(create.integer("responseStatus.code"), 201);
  EXPECT_FALSE(create.has("requestObject"));
  EXPECT_EQ(create.map("annotations").find("authorization.k8s.io/decision"), "allow");
  const k8s::Dynamic& get = all[1];
  EXPECT_EQ(get.text("user.username"), "kubernetes-admin");
  EXPECT_EQ(get.text("impersonatedUser.username"), "bob");
  EXPECT_EQ(get.text("objectRef.name"), "m");
  EXPECT_EQ(get.integer("responseStatus.code"), 403);
  EXPECT_EQ(get.text("responseStatus.reason"), "Forbidden");
  EXPECT_EQ(get.map("annotations").find("authorization.k8s.io/decision"), "forbid");
  EXPECT_FALSE(all[2].has("user.username"));
  EXPECT_EQ(all[2].integer("responseStatus.code"), 401);
  struct stat found{};
  ASSERT_EQ(::stat(file.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(Audit, HoldsBodiesAtTheLevelRequestButNoSecrets) {
  const auto server = start(AuditLevel::request, file);
  const RawClient admin(*server, &server->admin()), nobody(*server);
  admin.send("POST", maps, {}, R"({"metadata":{"name":"m"},"data":{"k":"v"}})");
  admin.send("POST", maps, {{"Content-Type", "application/yaml"}}, "metadata:\n  name: yaml\n");
  admin.send("POST", maps, {}, "{not JSON");
  admin.send("POST", "/api/v1/namespaces/default/secrets", {},
             R"({"metadata":{"name":"s"},"stringData":{"password":"hidden-1"}})");
  admin.send("PATCH", "/api/v1/namespaces/default/secrets/s",
             {{"Content-Type", "application/merge-patch+json"}}, R"({"stringData":{"password":"hidden-2"}})");
  admin.send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {}, R"({"spec":{"token":"hidden-3"}})");
  nobody.send("POST", maps, {{"Authorization", "Bearer hidden-4"}}, R"({"data":{"k":"hidden-5"}})");
  const auto all = events(*server);
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(all[0].text("requestObject.data.k"), "v");
  EXPECT_EQ(all[0].text("objectRef.name"), "m");
  EXPECT_EQ(all[1].text("requestObject.metadata.name"), "yaml");
  EXPECT_FALSE(all[2].has("requestObject"));
  EXPECT_EQ(all[2].integer("responseStatus.code"), 400);
  EXPECT_EQ(read_file(file).value().find("hidden"), std::string::npos);
}

TEST_F(Audit, HoldsNoSecretThatCameUnderAnotherPath) {
  const auto server = start(AuditLevel::request, file);
  const RawClient admin(*server, &server->admin());
  const std::string secret =
      R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"password":"aGlkZGVu"}})";
  const std::string spoken = R"({"metadata":{"name":"s"},"stringData":{"password":"aGlkZGVu"}})";
  const std::string review = R"({"kind":"TokenReview","spec":{"token":"aGlkZGVu"}})";
  const std::string request = R"({"metadata":{"name":"r"},"spec":{"request":"aGlkZGVu","usages":["any"]}})";
  const http::Headers merge{{"Content-Type", "application/merge-patch+json"}};
  for (const std::string& path :
       {std::string("/api/v1/namespaces/default/Secrets"), std::string("/api/v1/namespaces/default/secret"),
        std::string("/apis/v1/namespaces/default/secrets"), std::string("/apis/v1"), std::string("/api/v1"),
        std::string("/api/v2/namespaces/default/secrets"), std::string("/apis/core/v1/namespaces/a/secrets"),
        std::string("/api/v1/namespaces/default/secrets/s/status"), std::string("/api/v1/secrets"),
        std::string("/api/v1//namespaces/default/secrets"), maps, maps + "/s", maps + "/s?a=b"}) {
    for (const std::string& body : {secret, spoken, review}) {
      admin.send("POST", path, {}, body);
      admin.send("PUT", path, {}, body);
      admin.send("PATCH", path, merge, body);
      admin.send("DELETE", path, {}, body);
    }
  }
  admin.send("POST", "/apis/authentication.k8s.io/v1/TokenReviews", {}, review);
  const std::string requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  admin.send("POST", requests, {}, request);
  admin.send("PUT", requests + "/r", {}, request);
  admin.send("PATCH", requests + "/r", merge, request);
  admin.send("PATCH", requests + "/r", {{"Content-Type", "application/json-patch+json"}},
             R"([{"op":"add","path":"/spec/request","value":"aGlkZGVu"}])");
  const auto all = events(*server);
  ASSERT_EQ(all.size(), 13u * 12u + 5u);
  EXPECT_EQ(read_file(file).value().find("aGlkZGVu"), std::string::npos);
  EXPECT_TRUE(all[all.size() - 4].has("requestObject.spec.usages"));
}

TEST_F(Audit, QuotesNoSecretInWhatIsWrongWithAPatch) {
  const auto server = start(AuditLevel::metadata, file);
  const RawClient admin(*server, &server->admin());
  const std::string secrets = "/api/v1/namespaces/default/secrets";
  admin.send("POST", secrets, {}, R"({"metadata":{"name":"s"},"data":{"password":"aGlkZGVu"}})");
  const http::Reply refused = admin.send(
      "PATCH", secrets + "/s", {{"Content-Type", "application/merge-patch+json"}}, R"({"data":{"x":"!!"}})");
  EXPECT_GE(refused.status, 400);
  // Any body but that of a patch is an object.
  admin.send("POST", maps, {}, R"([{"kind":"Secret","data":{"password":"aGlkZGVu"}}])");
  EXPECT_EQ(events(*server).size(), 3u);
  EXPECT_EQ(read_file(file).value().find("aGlkZGVu"), std::string::npos);
}

TEST_F(Audit, CountsWhatItCannotWriteAndServes) {
  const auto server = start(AuditLevel::metadata, "/dev/full");
  const RawClient admin(*server, &server->admin());
  for (int i = 0; i < 5; ++i) EXPECT_EQ(admin.send("GET", maps).status, 200);
  EXPECT_EQ(server->unaudited_requests(), 5u);
}

TEST_F(Audit, NeverWaitsForAReaderThatDoesNotRead) {
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // Without a reader it cannot be opened, and nobody waits for one.
  EXPECT_FALSE(Server::start({.audit_log = pipe}));
  FileDescriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader);
  auto server = start(AuditLevel::request, pipe);
  const RawClient admin(*server, &server->admin());
  const std::string body = R"({"metadata":{"name":"big"},"data":{"k":")" + std::string(200'000, 'x') + "\"}}";
  EXPECT_EQ(admin.send("POST", maps, {}, body).status, 201);
  EXPECT_EQ(admin.send("GET", maps + "/big").status, 200);
  reader.reset();
  EXPECT_EQ(admin.send("GET", maps + "/big").status, 200);
  EXPECT_GE(server->unaudited_requests(), 2u);
  server.reset();
}

TEST_F(Audit, IsRequiredWhereItIsAskedFor) {
  const auto server = Server::start({.audit_log = folder / "no" / "such" / "folder"});
  ASSERT_FALSE(server);
  EXPECT_NE(server.error().message.find("opening the audit log"), std::string::npos)
      << server.error().message;
}

}  // namespace
}  // namespace fairway::apiserver::testing
