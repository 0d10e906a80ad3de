// SPDX-License-Identifier: Apache-2.0

// Walks every path of the OpenAPI document, asks a real service for it, and holds the answers against the
// document.
#include "updateservice/internal/api/openapi.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "base/pattern.h"
#include "support/json_schema.h"
#include "support/temp_directory.h"
#include "updateservice/internal/service_metrics.h"
#include "updateservice/running_service.h"

namespace fairway::updateservice {
namespace {

using fairway::testing::Schemas;
using testing::RunningService;
using testing::TestHeaders;
using testing::TestReply;

constexpr std::string_view prefix = "/api/upgrades_info";

class OpenApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    world->files = testing::small_files(testing::acme_files());
    world->files["signatures/sha256=" + std::string(61, '0') + "704/signature-1"] = "signed";
    world->files["blocked-edges/broken.yaml"] = "to: 4.7.4\nfrom: (\n";
    directory.write("rules.yaml", testing::small_rules());
    ServiceOptions options;
    options.reloadable.private_channels_file = (directory / "rules.yaml").string();
    service.emplace(options, world);
    service->after_refreshes(1);
    document = json::parse(service->get("/openapi").body).value();
  }

  /// Returns a target with example values for the parameters of an operation; with `whole` also optional
  /// ones.
  std::string target(const std::string& path, const json::Value& operation,
                     const std::string& leave_out = "") {
    std::string target = path;
    std::string query;
    for (const json::Value& reference : json::find(operation, "parameters")->as_array()) {
      const json::Value& parameter = Schemas(document).resolve(reference);
      const std::string name(parameter.at("name").as_string());
      const std::string value = name == "since" ? service->get("/graph?channel=stable-4.7").header("ETag")
                                : json::find(parameter, "example") != nullptr
                                    ? std::string(parameter.at("example").as_string())
                                    : "";
      if (parameter.at("in") == "path") {
        const std::size_t at = target.find("{" + name + "}");
        target.replace(at, name.size() + 2, value);
      } else if (parameter.at("in") == "query" && parameter.at("required").as_bool() && name != leave_out) {
        query += (query.empty() ? "?" : "&") + name + "=" + value;
      }
    }
    return target + query;
  }

  TestReply send(const std::string& method, const std::string& target, const TestHeaders& headers = {}) {
    return testing::send_request(service->service->address(), method, target, headers);
  }

  bool documents_etag(const json::Value& operation) const {
    const json::Value* answer = json::find(operation.at("responses"), "200");
    const json::Value* headers =
        answer != nullptr ? json::find(Schemas(document).resolve(*answer), "headers") : nullptr;
    return headers != nullptr && json::find(*headers, "ETag") != nullptr;
  }

  /// Expects that the document has this answer, and that the answer fits it.
  void expect_documented(const TestReply& reply, const json::Value& operation, bool with_body,
                         const std::string& what) {
    const Schemas schemas(document);
    const json::Value* listed = json::find(operation.at("responses"), std::to_string(reply.status));
    ASSERT_NE(listed, nullptr) << what << " answered " << reply.status << ": " << reply.body;
    const json::Value& response = schemas.resolve(*listed);
    if (const json::Value* headers = json::find(response, "headers")) {
      for (const auto& header : headers->as_object()) {
        if (header.key() == "Fairway-Graph-Age") continue;
        EXPECT_NE(reply.header(header.key()), "") << what << header.key();
      }
    }
    const json::Value* content = json::find(response, "content");
    if (!with_body || content == nullptr) {
      EXPECT_EQ(reply.body, "") << what;
      return;
    }
    const json::Value* media = json::find(*content, reply.header("Content-Type"));
    ASSERT_NE(media, nullptr) << what << " came as " << reply.header("Content-Type");
    if (!reply.header("Content-Type").ends_with("json")) return;
    const auto body = json::parse(reply.body);
    ASSERT_TRUE(body) << what;
    EXPECT_EQ(schemas.check(*body, media->at("schema"), what), "");
  }

  fairway::testing::TempDirectory directory;
  std::shared_ptr<testing::World> world = std::make_shared<testing::World>();
  std::optional<RunningService> service;
  json::Value document;
};

TEST_F(OpenApiTest, IsTrueToEverythingThatIsServed) {
  EXPECT_EQ(document.at("openapi"), "3.1.0");
  for (const auto& [path, item] : document.at("paths").as_object()) {
    for (const char* method : {"GET", "HEAD", "OPTIONS"}) {
      const bool body = std::string_view(method) != "HEAD";
      const json::Value& operation = item.at(to_lower(method));
      const json::Value& parameters = item.at("get");
      const std::string name = std::string(method) + " " + std::string(path);
      const std::string whole = target(std::string(path), parameters);
      const TestReply reply = send(method, whole);
      EXPECT_EQ(reply.status, std::string_view(method) == "OPTIONS" ? 204 : 200) << name << reply.body;
      expect_documented(reply, operation, body, name);
      expect_documented(send(method, whole, {{"Authorization", "Bearer wrong"}}), operation, body,
                        name + " wrong");
      expect_documented(send(method, whole, {{"Accept", "text/html;q=0.1"}}), operation, body,
                        name + " accept");
      EXPECT_EQ(reply.header("ETag").empty(), !documents_etag(operation)) << name;
      if (!reply.header("ETag").empty()) {
        const TestReply known = send(method, whole, {{"If-None-Match", reply.header("ETag")}});
        EXPECT_EQ(known.status, 304) << name;
        expect_documented(known, operation, body, name + " known");
      }
    }
  }
}

TEST_F(OpenApiTest, DescribesWhatTheServerItselfRefuses) {
  for (const auto& [path, item] : document.at("paths").as_object()) {
    const json::Value& get = item.at("get");
    const std::string whole = target(std::string(path), get);
    const TestReply method = send("POST", whole);
    EXPECT_EQ(method.status, 405) << path;
    EXPECT_NE(method.header("Allow"), "") << path;
    const TestReply large = send("GET", whole, {{"Content-Length", "70000"}});
    EXPECT_EQ(large.status, 413) << path;
    for (const char* operation : {"get", "head", "options"}) {
      expect_documented(method, item.at(operation), true, std::string(path) + " POST");
      expect_documented(large, item.at(operation), true, std::string(path) + " body");
      const json::Value& responses = item.at(operation).at("responses");
      const json::Value* many = json::find(responses, "429");
      ASSERT_NE(many, nullptr) << path;
      EXPECT_NE(json::find(Schemas(document).resolve(*many).at("headers"), "Retry-After"), nullptr);
    }
  }
}

TEST_F(OpenApiTest, SaysThatMediaTypesShareAnETagAndEncodingsDoNot) {
  const std::string path = std::string(prefix) + "/graph?channel=stable-4.7";
  const std::string plain = send("GET", path).header("ETag");
  EXPECT_EQ(send("GET", path, {{"Accept", "application/json"}}).header("ETag"), plain);
  EXPECT_NE(send("GET", path, {{"Accept-Encoding", "gzip"}}).header("ETag"), plain);
  const std::string said(document.at_pointer("/components/headers/ETag/description").as_string());
  EXPECT_NE(said.find("Plain and compressed have different ones"), std::string::npos) << said;
  EXPECT_NE(said.find("media types of a path, which share their bytes, have the same"), std::string::npos)
      << said;
}

TEST_F(OpenApiTest, GivesEveryPartOfAPathToEveryMethod) {
  for (const auto& [path, item] : document.at("paths").as_object()) {
    const std::string_view text = path;
    for (const char* method : {"get", "head", "options"}) {
      std::ptrdiff_t parts = 0;
      for (const json::Value& reference : item.at(method).at("parameters").as_array())
        parts += Schemas(document).resolve(reference).at("in") == "path" ? 1 : 0;
      EXPECT_EQ(parts, std::ranges::count(text, '{')) << path << " " << method;
    }
  }
}

TEST_F(OpenApiTest, NamesTheParametersThatAreNeeded) {
  for (const auto& [path, item] : document.at("paths").as_object()) {
    for (const json::Value& reference : item.at("get").at("parameters").as_array()) {
      const json::Value& parameter = Schemas(document).resolve(reference);
      const std::string name(parameter.at("name").as_string());
      if (parameter.at("in") != "query") continue;
      const TestReply reply = send("GET", target(std::string(path), item.at("get"), name));
      if (parameter.at("required").as_bool()) {
        EXPECT_EQ(reply.status, 400) << path << " without " << name;
        EXPECT_NE(reply.body.find("mandatory client parameters missing: " + name), std::string::npos)
            << reply.body;
        expect_documented(reply, item.at("get"), true, std::string(path) + " without " + name);
      } else {
        EXPECT_EQ(reply.status, 200) << path << " without " << name;
      }
    }
  }
}

TEST_F(OpenApiTest, GivesPatternsThatItsExamplesMatch) {
  for (const auto& [path, item] : document.at("paths").as_object()) {
    for (const json::Value& reference : item.at("get").at("parameters").as_array()) {
      const json::Value& parameter = Schemas(document).resolve(reference);
      const json::Value* example = json::find(parameter, "example");
      const auto pattern = json::find_string(parameter.at("schema"), "pattern");
      if (example == nullptr || !pattern) continue;
      EXPECT_TRUE(Pattern::compile(*pattern).value().search(example->as_string())) << path;
    }
  }
}

TEST_F(OpenApiTest, ListsEveryPathThatAnswers) {
  for (std::size_t i = 0; i < endpoint_count; ++i) {
    const auto endpoint = static_cast<Endpoint>(i);
    if (endpoint == Endpoint::other) continue;
    const std::string path = std::string(prefix) + "/" + std::string(to_string(endpoint));
    const auto& paths = document.at("paths").as_object();
    EXPECT_TRUE(std::ranges::any_of(paths, [&](const auto& entry) {
      return entry.key() == path || std::string_view(entry.key()).starts_with(path + "/{");
    })) << path;
  }
}

TEST(OpenApi, FollowsThePathPrefix) {
  const json::Value document = json::parse(openapi_text("")).value();
  EXPECT_NE(json::find(document.at("paths"), "/graph"), nullptr);
}

}  // namespace
}  // namespace fairway::updateservice
