// SPDX-License-Identifier: Apache-2.0

// The audit log: every request, and none that waits for it.
#include <fcntl.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "apiserver/definition_case.h"
#include "apiserver/raw_client.h"
#include "base/file.h"
#include "base/file_descriptor.h"
#include "base/text.h"
#include "support/table.h"
#include "support/temp_directory.h"

namespace fairway::apiserver::testing {
namespace {

using fairway::testing::read_table;
using fairway::testing::TableRow;

const std::string maps = "/api/v1/namespaces/default/configmaps";

constexpr std::string_view left_out = "audit.fairway.dev/request-object-left-out",
                           without = "audit.fairway.dev/request-object-without";

/// Returns the media type that a table calls by this name.
std::string media_type(const std::string& name) {
  if (name == "merge") return "application/merge-patch+json";
  if (name == "strategic") return "application/strategic-merge-patch+json";
  if (name == "jsonpatch") return "application/json-patch+json";
  if (name == "apply") return "application/apply-patch+yaml";
  if (name == "apply-cbor") return "application/apply-patch+cbor";
  if (name == "protobuf") return "application/vnd.kubernetes.protobuf";
  return "application/" + name;
}

/// Returns the bytes that a table's text stands for.
std::string unescaped(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : ' ';
    if (next == '0' || next == 'n' || next == 't') {
      bytes += next == '0' ? '\0' : next == 'n' ? '\n' : '\t';
      ++i;
    } else if (next == 'x') {
      bytes += static_cast<char>(std::stoi(std::string(text.substr(i + 2, 2)), nullptr, 16));
      i += 3;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

class Audit : public ::testing::Test {
 protected:
  std::unique_ptr<EmbeddedServer> start(AuditLevel level, const std::filesystem::path& file) const {
    return start_server({.namespace_defaults = false, .audit_log = file, .audit_level = level});
  }
  /// Returns the events so far.
  std::vector<k8s::Dynamic> events(const EmbeddedServer& server) const {
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
  admin.send("POST", maps, {},
             R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"k":"v"}})");
  admin.send("POST", maps, {{"Content-Type", "application/yaml"}},
             "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\n");
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
  const std::string request =
      R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":{"name":"r"},"spec":{"request":"aGlkZGVu","usages":["any"]}})";
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

TEST_F(Audit, HoldsABodyOnlyWhereItIsCertainWhatItIs) {
  const auto server = start(AuditLevel::request, file);
  DefinitionCase(*server).define(
      definition_of(version_of("v1", true, R"("free":{"x-kubernetes-preserve-unknown-fields":true})")));
  const RawClient admin(*server, &server->admin());
  const auto rows = read_table(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/audit_bodies.tsv");
  const std::size_t before = events(*server).size();
  for (const TableRow& row : rows) {
    const std::string type = row.at(3);
    const bool has_bytes = type == "protobuf" || row.at(5).starts_with("k8s\\0") || type == "yaml";
    admin.send(row.at(1), row.at(2), {{"Content-Type", media_type(type)}},
               has_bytes ? unescaped(row.at(5)) : row.at(5));
  }
  const auto all = events(*server);
  ASSERT_EQ(all.size(), before + rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const k8s::Dynamic& event = all[before + i];
    const std::string line = json::to_text(event.json()), expected = rows[i].at(4);
    const std::string where = "audit_bodies.tsv:" + std::to_string(rows[i].line) + " " + rows[i].at(0);
    const std::string_view why = event.map("annotations").find(left_out).value_or("");
    const std::string_view parts = event.map("annotations").find(without).value_or("");
    EXPECT_EQ(line.find("aGlkZGVu") != std::string::npos, expected == "written") << where << "\n" << line;
    EXPECT_EQ(event.has("requestObject"), expected == "written" || expected.starts_with("without ")) << where;
    if (expected == "written") {
      EXPECT_EQ(std::string(why) + std::string(parts), "") << where;
    } else if (expected.starts_with("without ")) {
      EXPECT_EQ("without " + std::string(parts), expected) << where;
    } else {
      EXPECT_NE(why.find(expected), std::string::npos) << where << ": " << why;
    }
  }
}

TEST_F(Audit, HoldsNothingOfABodyThatIsTooLong) {
  const auto server = start(AuditLevel::request, file);
  const RawClient admin(*server, &server->admin());
  const std::string body =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"k":"aGlkZGVu)" +
      std::string(std::size_t{5} << 20, 'x') + "\"}}";
  try {
    EXPECT_EQ(admin.send("POST", maps, {}, body).status, 413);
  } catch (const std::runtime_error& broken) {
    SCOPED_TRACE(broken.what());  // the server closed the connection before all of it was sent
  }
  events(*server);
  EXPECT_EQ(read_file(file).value().find("aGlkZGVu"), std::string::npos);
  // Deeper than the server reads.
  std::string deep = R"({"apiVersion":"v1","kind":"ConfigMap","data":{"k":)";
  for (int i = 0; i < 600; ++i) deep += '[';
  admin.send("POST", maps, {}, deep + "\"aGlkZGVu\"");
  EXPECT_FALSE(events(*server).back().has("requestObject"));
  EXPECT_EQ(read_file(file).value().find("aGlkZGVu"), std::string::npos);
}

TEST_F(Audit, QuotesNoBodyThatItLeavesOut) {
  for (const AuditLevel level : {AuditLevel::metadata, AuditLevel::request}) {
    const std::filesystem::path log = folder / (level == AuditLevel::metadata ? "metadata" : "request");
    const auto server = start(level, log);
    const RawClient admin(*server, &server->admin());
    admin.send("POST", maps, {}, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"}})");
    const http::Headers merge{{"Content-Type", "application/merge-patch+json"}};
    // The answer quotes all of the patched object.
    EXPECT_EQ(admin.send("PATCH", maps + "/m", merge, R"({"data":{"k":["aGlkZGVu"]}})").status, 422);
    EXPECT_EQ(admin.send("PATCH", maps + "/m", merge, R"({"stringData":{"k":"aGlkZGVu"},"data":1})").status,
              422);
    EXPECT_EQ(admin.send("POST", maps, {}, R"({"kind":"aGlkZGVu","apiVersion":"v1"})").status, 400);
    EXPECT_EQ(
        admin.send("POST", maps, {}, R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"X_"}})")
            .status,
        422);
    EXPECT_EQ(server->unaudited_requests(), 0u);
    const std::string text = read_file(log).value();
    EXPECT_EQ(text.find("aGlkZGVu"), std::string::npos) << text;
    EXPECT_NE(text.find("X_"), std::string::npos) << "what is certain is quoted";
  }
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
  EXPECT_FALSE(EmbeddedServer::start({.audit_log = pipe}));
  FileDescriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader);
  auto server = start(AuditLevel::request, pipe);
  const RawClient admin(*server, &server->admin());
  const std::string body =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"big"},"data":{"k":")" +
      std::string(200'000, 'x') + "\"}}";
  EXPECT_EQ(admin.send("POST", maps, {}, body).status, 201);
  EXPECT_EQ(admin.send("GET", maps + "/big").status, 200);
  reader.reset();
  EXPECT_EQ(admin.send("GET", maps + "/big").status, 200);
  EXPECT_GE(server->unaudited_requests(), 2u);
  server.reset();
}

TEST_F(Audit, IsRequiredWhereItIsAskedFor) {
  const auto server = EmbeddedServer::start({.audit_log = folder / "no" / "such" / "folder"});
  ASSERT_FALSE(server);
  EXPECT_NE(server.error().message.find("opening the audit log"), std::string::npos)
      << server.error().message;
}

}  // namespace
}  // namespace fairway::apiserver::testing
