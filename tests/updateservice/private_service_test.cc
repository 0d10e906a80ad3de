// SPDX-License-Identifier: Apache-2.0

// What is private appears nowhere: every answer to the public is searched for what only Acme may know.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "http/compress.h"
#include "support/temp_directory.h"
#include "updateservice/running_service.h"

namespace fairway::updateservice {
namespace {

using testing::RunningService;
using testing::TestHeaders;
using testing::TestReply;

const TestHeaders acme{{"Authorization", "Bearer acme-token"}};
const TestHeaders wrong{{"Authorization", "Bearer wrong"}};

class PrivateService : public ::testing::Test {
 protected:
  void SetUp() override {
    graphdata::Files files = testing::acme_files();
    // Problems of all kinds that name what is private.
    files["blocked-edges/acme-broken.yaml"] = "to: 4.8.0-acme\nfrom: (\n";
    files["blocked-edges/broken.yaml"] = "to: 4.7.4\nfrom: (acme-4[.]7\n";
    files["blocked-edges/broken-acme-4.7.yaml"] = "to: v4.7.4\nfrom: .*\n";
    for (const auto& [path, text] : testing::files_that_mention_acme()) files[path] = text;
    files["signatures/sha256=" + std::string(60, '0') + "0480/signature-1"] = "for acme";
    world->files = testing::small_files(files);
    auto list = graph::read_release_list(
        R"({"arch":"amd64","releases":[{"kind":"cincinnati-metadata-v0","version":"4.8.0-acme","previous":["4.7.4"],)"
        R"("next":[],"metadata":{},"image":"registry.example/acme@sha256:)" +
            std::string(60, '0') + R"(0480"}]})",
        "acme.json");
    world->releases.releases.push_back(list.value().releases.front());
    directory.write("rules.yaml", testing::small_rules());
    ServiceOptions options;
    options.reloadable.private_channels_file = (directory / "rules.yaml").string();
    options.data_directory = (directory / "data").string();
    service.emplace(options, world);
    service->after_refreshes(1);
  }

  /// Returns every path, with parameters that ask for private and for public data.
  static std::vector<std::string> all_paths(const std::string& channel) {
    const std::string at = "channel=" + channel;
    return {"/graph?" + at,
            "/v1/graph?" + at,
            "/channels",
            "/openapi",
            "/graph-data",
            "/problems",
            "/explain?" + at + "&from=4.7.0&to=4.7.4",
            "/explain?" + at + "&from=4.6.23&to=4.7.4",
            "/explain?" + at + "&from=4.6.23&to=4.7.0",
            "/explain?" + at + "&from=4.7.4&to=4.9.0-x",
            "/path?channels=stable-4.7," + channel + "&from=4.6.23&to=4.7.4",
            "/stranded?" + at,
            "/updates?" + at + "&release=4.6.23",
            "/updates?" + at + "&release=4.7.4&direction=to",
            "/changes?" + at + "&since=x",
            "/signatures/sha256=" + std::string(60, '0') + "0480/signature-1",
            "/nothing"};
  }

  /// Returns the names of the channel list, joined by commas.
  std::string channels(const TestHeaders& headers = {}) const {
    std::vector<std::string> names;
    const json::Value list = json::parse(service->get("/channels", headers).body).value();
    for (const auto& channel : list.at("channels").as_object()) names.emplace_back(channel.key());
    return join(names, ",");
  }

  static std::string text_of(const TestReply& reply) {
    std::string text = reply.body;
    const bool packed =
        reply.header("Content-Type") == "application/gzip" || reply.header("Content-Encoding") == "gzip";
    if (packed) text = http::gunzip(reply.body).value();
    for (const auto& [name, value] : reply.headers) text += name + ": " + value + "\n";
    return text;
  }

  fairway::testing::TempDirectory directory;
  std::shared_ptr<testing::World> world = std::make_shared<testing::World>();
  std::optional<RunningService> service;
};

TEST_F(PrivateService, IsNamedNowhereToThePublic) {
  for (const char* channel : {"stable-4.7", "fast-4.7", "candidate-4.7"}) {
    for (const std::string& path : all_paths(channel)) {
      for (const TestHeaders& headers : {TestHeaders{}, TestHeaders{{"Accept-Encoding", "gzip"}}, wrong}) {
        const std::string text = text_of(service->get(path, headers));
        EXPECT_EQ(text.find("acme"), std::string::npos) << path << ":\n" << text;
        EXPECT_EQ(text.find("4.8.0"), std::string::npos) << path << ":\n" << text;
      }
    }
  }
  EXPECT_EQ(service->status("/metrics").body.find("acme"), std::string::npos);
  // And the same answers hold it for those who may see it: the search above looked in the right places.
  EXPECT_NE(text_of(service->get("/graph-data", acme)).find("acme-4.7"), std::string::npos);
  EXPECT_NE(text_of(service->get("/problems", acme)).find("acme-broken"), std::string::npos);
  EXPECT_NE(text_of(service->get("/channels", acme)).find("acme-4.7"), std::string::npos);
}

TEST_F(PrivateService, SaysOfAHiddenReleaseWhatItSaysOfNone) {
  const std::string question = "/updates?channel=stable-4.7&release=";
  std::string hidden = service->get(question + "4.8.0-acme").body;
  const std::string none = service->get(question + "4.8.0-none").body;
  EXPECT_NE(none.find("unknown-version"), std::string::npos) << none;
  for (std::size_t at = hidden.find("acme"); at != std::string::npos; at = hidden.find("acme"))
    hidden.replace(at, 4, "none");
  EXPECT_EQ(hidden, none);
  const std::string seen = service->get("/updates?channel=acme-4.7&release=4.7.4", acme).body;
  EXPECT_NE(seen.find("4.8.0-acme"), std::string::npos) << seen;
}

TEST_F(PrivateService, LooksLikeAnUnknownChannel) {
  for (const auto& request :
       std::vector<std::pair<std::string, TestHeaders>>{{"GET", {}},
                                                        {"HEAD", {}},
                                                        {"GET", {{"Accept-Encoding", "gzip"}}},
                                                        {"GET", {{"Accept", "application/json"}}}}) {
    const auto ask = [&](const std::string& path) {
      return testing::send_request(service->service->address(), request.first, "/api/upgrades_info" + path,
                                   request.second);
    };
    for (const char* path : {"/graph?channel=", "/stranded?channel=", "/path?from=4.7.0&to=4.7.4&channels=",
                             "/explain?from=4.7.0&to=4.7.4&channel=", "/changes?since=x&channel="}) {
      const TestReply hidden = ask(std::string(path) + "acme-4.7");
      const TestReply unknown = ask(std::string(path) + "nope-4.7");
      EXPECT_EQ(hidden.status, unknown.status) << path;
      EXPECT_EQ(hidden.lasting_headers(), unknown.lasting_headers()) << path;
      std::string body = hidden.body;
      // Only what the client itself has sent may differ.
      for (std::size_t at = body.find("acme-4.7"); at != std::string::npos; at = body.find("acme-4.7")) {
        body.replace(at, 8, "nope-4.7");
      }
      EXPECT_EQ(body, unknown.body) << path;
    }
  }
}

TEST_F(PrivateService, HidesReleasesThatStandInPrivateChannelsOnly) {
  const auto ask = [&](const std::string& path, const std::string& version) {
    std::string body = service->get(path + version).body;
    for (std::size_t at = body.find(version); at != std::string::npos; at = body.find(version, at)) {
      body.replace(at, version.size(), "X");
    }
    return body;
  };
  for (const char* path :
       {"/explain?channel=stable-4.7&from=4.7.4&to=", "/explain?channel=stable-4.7&to=4.7.4&from=",
        "/path?channels=stable-4.7&from=4.7.4&to=", "/path?channels=stable-4.7&to=4.7.4&from="}) {
    EXPECT_EQ(ask(path, "4.8.0-acme"), ask(path, "4.8.0-nope")) << path;
  }
  const std::string to_itself = "/path?channels=stable-4.7&from=4.8.0-acme&to=4.8.0-acme";
  EXPECT_EQ(service->get(to_itself).body,
            R"({"paths":[],"reason":"there is no release 4.8.0-acme for amd64"})");
}

TEST_F(PrivateService, ChangesAreThoseOfAnUnknownChannel) {
  const std::string empty = service->get("/graph?channel=nope-4.7").header("ETag");
  const std::string real = service->get("/graph?channel=acme-4.7", acme).header("ETag");
  EXPECT_EQ(service->get("/changes?channel=acme-4.7&since=" + empty).status, 200);
  EXPECT_EQ(service->get("/changes?channel=acme-4.7&since=" + real).status, 404);
  EXPECT_EQ(service->get("/changes?channel=acme-4.7&since=" + real, acme).status, 200);
}

TEST_F(PrivateService, IsOpenedByGoodCredentials) {
  const TestReply graph = service->get("/graph?channel=acme-4.7", acme);
  EXPECT_EQ(graph.status, 200);
  EXPECT_NE(graph.body.find("acme-4.7,candidate-4.7"), std::string::npos);
  EXPECT_NE(graph.body.find("4.8.0-acme"), std::string::npos);
  for (const char* path : {"/graph?channel=acme-4.7", "/channels", "/problems", "/graph-data",
                           "/explain?channel=acme-4.7&from=4.7.0&to=4.7.4", "/stranded?channel=acme-4.7"}) {
    const TestReply reply = service->get(path, acme);
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_TRUE(reply.header("Cache-Control").starts_with("private")) << path;
    EXPECT_NE(reply.header("Vary").find("Authorization"), std::string::npos) << path;
  }
  EXPECT_EQ(service->get("/graph?channel=acme-4.7", {{"Authorization", "Basic YWxpY2U6c2VzYW1l"}}).body,
            graph.body);
  EXPECT_EQ(service->get("/signatures/sha256=" + std::string(60, '0') + "0480/signature-1", acme).body,
            "for acme");
}

TEST_F(PrivateService, RefusesWrongCredentialsOnEveryPath) {
  for (const std::string& path : all_paths("stable-4.7")) {
    const TestReply reply = service->get(path, wrong);
    EXPECT_EQ(reply.status, 401) << path;
    EXPECT_TRUE(reply.header("WWW-Authenticate").starts_with("Basic ")) << path;
    EXPECT_EQ(json::parse(reply.body).value().at("kind"), "unauthorized");
  }
}

TEST_F(PrivateService, MarksPublicAnswersSoThatCachesKeepThemApart) {
  const TestReply reply = service->get("/graph?channel=stable-4.7");
  EXPECT_TRUE(reply.header("Cache-Control").starts_with("public"));
  EXPECT_NE(reply.header("Vary").find("Authorization"), std::string::npos);
}

TEST_F(PrivateService, TakesUpNewRulesAtOnceAndKeepsOldOnesWhereTheNewAreBroken) {
  directory.write("rules.yaml", "rules: [{pattern: acme-*, bearer: [{token: new}]}, {pattern: fast-*}]");
  service->service->reload();
  EXPECT_EQ(service->get("/channels", acme).status, 401);
  EXPECT_EQ(channels({{"Authorization", "Bearer new"}}), "acme-4.7,candidate-4.7,stable-4.7");
  directory.write("rules.yaml", "rules: [");
  service->service->reload();
  EXPECT_EQ(channels(), "candidate-4.7,stable-4.7");
  const auto refused = [&](const TestHeaders& headers = {}) {
    std::vector<std::string> messages;
    const json::Value list = json::parse(service->get("/problems", headers).body).value();
    for (const auto& problem : list.at("problems").as_array()) {
      if (problem.at("kind") == "reload-refused") messages.emplace_back(problem.at("message").as_string());
    }
    return join(messages, "\n");
  };
  EXPECT_TRUE(refused().ends_with("(the log says why)")) << refused();
  directory.write("rules.yaml", "rules: [{pattern: acme-*, bearer: [{token: new}]}]");
  service->service->reload();
  EXPECT_EQ(refused(), "");
  directory.write("rules.yaml", "rules: [");
  service->service->reload();
  EXPECT_NE(refused({{"Authorization", "Bearer new"}}).find("rules.yaml:"), std::string::npos);
}

TEST_F(PrivateService, DoesNotStartWithBrokenRules) {
  directory.write("rules.yaml", "rules: [{patern: acme-*}]");
  ServiceOptions options;
  options.reloadable.private_channels_file = (directory / "rules.yaml").string();
  const RunningService other(options);
  ASSERT_EQ(other.service, nullptr);
  EXPECT_NE(other.error->message.find("patern"), std::string::npos);
  options.reloadable.private_channels_file = (directory / "no-such-file.yaml").string();
  EXPECT_EQ(RunningService(options).service, nullptr);
}

TEST_F(PrivateService, StaysPrivateAcrossARestartWithStricterRules) {
  service.reset();
  directory.write("rules.yaml", "rules: [{pattern: acme-*}, {pattern: fast-*}]");
  world->set_failing(true);
  ServiceOptions options;
  options.reloadable.private_channels_file = (directory / "rules.yaml").string();
  options.data_directory = (directory / "data").string();
  service.emplace(options, world);
  service->after_refreshes(1);
  EXPECT_EQ(channels(), "candidate-4.7,stable-4.7");
  EXPECT_EQ(service->get("/graph?channel=stable-4.7").body.find("fast-4.7"), std::string::npos);
}

TEST(PrivateRules, ThatMatchNoChannelAreToldToWhoMayKnow) {
  const fairway::testing::TempDirectory folder;
  folder.write(
      "rules.yaml",
      "rules:\n- pattern: STABLE-*\n  bearer: [{token: t}]\n- pattern: cand*\n  bearer: [{token: t}]\n");
  ServiceOptions options;
  options.reloadable.private_channels_file = (folder / "rules.yaml").string();
  const RunningService service(options);
  EXPECT_TRUE(service.service->wait_for_refreshes(1, testing::refresh_timeout));
  const std::string all = service.get("/problems", {{"Authorization", "Bearer t"}}).body;
  EXPECT_TRUE(all.contains("private-rule-unused") && all.contains("STABLE-*")) << all;
  const std::string anonymous = service.get("/problems").body;
  EXPECT_FALSE(anonymous.contains("private")) << "nor that there are any: " << anonymous;
  EXPECT_TRUE(service.status("/metrics").body.contains(R"(fairway_problems{kind="private-rule-unused"} 1)"));
}

TEST(PrivateRules, BehindARuleThatMatchesAsWellAreTold) {
  const fairway::testing::TempDirectory folder;
  folder.write("rules.yaml",
               "rules:\n- pattern: '*'\n  public: true\n- pattern: candidate-*\n  bearer: [{token: t}]\n");
  ServiceOptions options;
  options.reloadable.private_channels_file = (folder / "rules.yaml").string();
  const RunningService service(options);
  EXPECT_TRUE(service.service->wait_for_refreshes(1, testing::refresh_timeout));
  const std::string all = service.get("/problems", {{"Authorization", "Bearer t"}}).body;
  EXPECT_TRUE(all.contains("private-rule-unused") && all.contains("candidate-*")) << all;
}

TEST(PrivateRules, ThatMatchNoChannelAreAnErrorWhereTheyAreStrict) {
  const fairway::testing::TempDirectory folder;
  const std::string good = "rules:\n- pattern: candidate-*\n  bearer: [{token: t}]\n";
  const std::string typo = "rules:\n- pattern: CANDIDATE-*\n  bearer: [{token: t}]\n";
  folder.write("rules.yaml", typo);
  ServiceOptions options;
  options.reloadable.private_channels_file = (folder / "rules.yaml").string();
  options.reloadable.private_channels_strict = true;
  {
    const RunningService service(options);
    EXPECT_TRUE(service.service->wait_for_refreshes(1, testing::refresh_timeout));
    EXPECT_EQ(service.get("/graph?channel=candidate-4.7").status, 503);
    EXPECT_TRUE(service.status("/readyz").body.contains("CANDIDATE-*")) << service.status("/readyz").body;
  }
  folder.write("rules.yaml", good);
  const RunningService service(options);
  EXPECT_TRUE(service.service->wait_for_refreshes(1, testing::refresh_timeout));
  folder.write("rules.yaml", typo);
  service.service->reload();
  EXPECT_TRUE(service.service->wait_for_refreshes(2, testing::refresh_timeout));
  EXPECT_FALSE(service.get("/channels").body.contains("candidate")) << "the old rules stay";
  EXPECT_TRUE(service.get("/problems").body.contains("reload-refused"));
}

}  // namespace
}  // namespace fairway::updateservice
