// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/api/api.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/json.h"
#include "http/compress.h"
#include "updateservice/running_service.h"

namespace fairway::updateservice {
namespace {

using testing::RunningService;
using testing::TestHeaders;
using testing::TestReply;

constexpr const char* stable = "/graph?channel=stable-4.7";

class ApiTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto world = std::make_shared<testing::World>();
    world->files["signatures/sha256=" + std::string(64, 'a') + "/signature-1"] = "signed";
    world->files["blocked-edges/broken.yaml"] = "to: 4.7.4\nfrom: (\n";
    service_ = new RunningService({}, std::move(world));
    service_->after_refreshes(1);
  }
  static void TearDownTestSuite() {
    delete service_;
    service_ = nullptr;
  }
  static TestReply get(const std::string& path, const TestHeaders& headers = {}) {
    return service_->get(path, headers);
  }
  static TestReply send(const std::string& method, const std::string& path, const TestHeaders& headers = {}) {
    return testing::send_request(service_->service->address(), method, "/api/upgrades_info" + path, headers);
  }
  static json::Value json_of(const TestReply& reply) {
    auto value = json::parse(reply.body);
    EXPECT_TRUE(value) << reply.body;
    return value ? *value : json::Value();
  }

  static RunningService* service_;
};

RunningService* ApiTest::service_ = nullptr;

/// tests/updateservice/data/wire.tsv: target, Accept ("-" for none), status, Content-Type, body ("*": not
/// compared).
TEST_F(ApiTest, AnswersAsTodaysServiceDoes) {
  std::ifstream table(std::string(FAIRWAY_SOURCE_DIR) + "/tests/updateservice/data/wire.tsv");
  ASSERT_TRUE(table);
  std::string line;
  while (std::getline(table, line)) {
    if (line.empty() || line.starts_with('#')) continue;
    const auto columns = split(line, '\t');
    ASSERT_EQ(columns.size(), 5U) << line;
    TestHeaders headers;
    if (columns[1] != "-") headers.emplace_back("Accept", columns[1]);
    const TestReply reply = get(std::string(columns[0]), headers);
    EXPECT_EQ(std::to_string(reply.status), columns[2]) << line;
    EXPECT_EQ(reply.header("Content-Type"), columns[3]) << line;
    if (columns[4] != "*") {
      EXPECT_EQ(reply.body, columns[4]) << line;
    }
  }
}

TEST_F(ApiTest, ServesTheSameGraphUnderBothPaths) {
  const TestReply reply = get(stable);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(json_of(reply).at("nodes").as_array().size(), 3U);
  EXPECT_EQ(get("/v1/graph?channel=stable-4.7").body, reply.body);
}

TEST_F(ApiTest, IgnoresWhatItDoesNotKnow) {
  EXPECT_EQ(
      get("/graph?id=x&version=4.7.0&channel=nope&arch=s390x&more=1&channel=stable-4.7&arch=amd64").body,
      get(stable).body);
}

TEST_F(ApiTest, CompressesForThoseWhoTakeIt) {
  const TestReply plain = get(stable);
  const TestReply packed = get(stable, {{"Accept-Encoding", "br, gzip"}});
  EXPECT_EQ(packed.header("Content-Encoding"), "gzip");
  EXPECT_EQ(http::gunzip(packed.body).value(), plain.body);
  EXPECT_NE(packed.header("ETag"), plain.header("ETag"));
  EXPECT_EQ(plain.header("Content-Encoding"), "");
  EXPECT_EQ(get(stable, {{"Accept-Encoding", "gzip;q=0"}}).body, plain.body);
  EXPECT_EQ(get(stable, {{"Accept-Encoding", "identity;q=0"}}).status, 406);
  EXPECT_EQ(get(stable, {{"Accept-Encoding", "gzip, identity;q=0"}}).body, packed.body);
  EXPECT_EQ(get("/graph-data", {{"Accept-Encoding", "gzip, identity;q=0"}}).status, 406)
      << "it is a gzip file, and not coded";
  const TestReply stranded = get("/stranded?channel=stable-4.7", {{"Accept-Encoding", "gzip, identity;q=0"}});
  EXPECT_EQ(stranded.header("Content-Encoding"), "gzip");
  EXPECT_EQ(http::gunzip(stranded.body).value(), get("/stranded?channel=stable-4.7").body);
  EXPECT_EQ(get("/stranded?channel=stable-4.7", {{"Accept-Encoding", "*;q=0"}}).status, 406);
}

TEST_F(ApiTest, KnowsWhatTheClientHas) {
  for (const TestHeaders& base : {TestHeaders{}, TestHeaders{{"Accept-Encoding", "gzip"}}}) {
    const TestReply whole = get(stable, base);
    TestHeaders headers = base;
    headers.emplace_back("If-None-Match", "\"other\", " + whole.header("ETag"));
    const TestReply known = get(stable, headers);
    EXPECT_EQ(known.status, 304);
    EXPECT_EQ(known.body, "");
    EXPECT_EQ(known.header("ETag"), whole.header("ETag"));
    EXPECT_EQ(known.header("Cache-Control"), whole.header("Cache-Control"));
    EXPECT_EQ(known.header("Vary"), whole.header("Vary"));
  }
  EXPECT_EQ(get(stable, {{"If-None-Match", "\"other\""}}).status, 200);
}

TEST_F(ApiTest, KnowsWhatTheClientHasUnderAnotherMediaType) {
  for (const TestHeaders& base : {TestHeaders{}, TestHeaders{{"Accept-Encoding", "gzip"}}}) {
    const TestReply vendor = get(stable, base);
    TestHeaders headers = base;
    headers.emplace_back("Accept", "application/json");
    headers.emplace_back("If-None-Match", vendor.header("ETag"));
    const TestReply known = get(stable, headers);
    EXPECT_EQ(known.status, 304);
    EXPECT_EQ(known.header("ETag"), vendor.header("ETag"));
    EXPECT_EQ(known.header("Content-Type"), "application/json");
  }
  // Another encoding is another representation: its bytes differ.
  EXPECT_EQ(get(stable, {{"Accept-Encoding", "gzip"}, {"If-None-Match", get(stable).header("ETag")}}).status,
            200);
}

TEST_F(ApiTest, AnswersHeadWithoutTheBody) {
  const TestReply whole = get(stable);
  const TestReply head = send("HEAD", stable);
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(head.lasting_headers(), whole.lasting_headers());
  EXPECT_EQ(send("HEAD", "/graph").status, 400);
}

TEST_F(ApiTest, AnswersOptionsAndRefusesOtherMethods) {
  const TestReply plain = send("OPTIONS", "/graph");
  EXPECT_EQ(plain.status, 204);
  EXPECT_EQ(plain.header("Allow"), "GET, HEAD, OPTIONS");
  const TestReply preflight =
      send("OPTIONS", "/channels", {{"Origin", "https://console"}, {"Access-Control-Request-Method", "GET"}});
  EXPECT_EQ(preflight.header("Access-Control-Allow-Origin"), "https://console");
  EXPECT_EQ(preflight.header("Access-Control-Allow-Methods"), "GET, HEAD, OPTIONS");
  const TestReply post = send("POST", "/graph", {{"Content-Length", "0"}});
  EXPECT_EQ(post.status, 405);
  EXPECT_EQ(post.header("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(json_of(post).at("kind"), "refused");
}

TEST_F(ApiTest, EchoesTheOrigin) {
  EXPECT_EQ(get(stable, {{"Origin", "https://console"}}).header("Access-Control-Allow-Origin"),
            "https://console");
  EXPECT_EQ(get("/graph", {{"Origin", "null"}}).header("Access-Control-Allow-Origin"), "null");
  EXPECT_EQ(get(stable).header("Access-Control-Allow-Origin"), "");
  EXPECT_NE(get(stable).header("Vary").find("Origin"), std::string::npos);
}

TEST_F(ApiTest, BearsBytesThatAreNotAscii) {
  EXPECT_EQ(get(stable, {{"X-Name", "J\xfcrgen \xe2\x82\xac"}}).status, 200);
  EXPECT_EQ(get(stable, {{"Accept", "caf\xe9/x, */*"}}).status, 200);
  const TestReply reply = get("/graph?channel=stable-\xff");
  EXPECT_EQ(reply.status, 400);
  json_of(reply);
}

TEST_F(ApiTest, ListsChannels) {
  const TestReply reply = get("/channels");
  EXPECT_EQ(reply.body, R"({"channels":{"candidate-4.7":{},"stable-4.7":{}}})");
  constexpr const char* vendor = "application/vnd.redhat.cincinnati.channels.v1+json";
  EXPECT_EQ(get("/channels", {{"Accept", vendor}}).header("Content-Type"), vendor);
  for (const char* accept : {"*/*", "application/json", "application/*"}) {
    EXPECT_EQ(get("/channels", {{"Accept", accept}}).header("Content-Type"), "application/json") << accept;
  }
  EXPECT_EQ(get("/channels", {{"Accept", "text/html"}}).status, 406);
}

TEST_F(ApiTest, ListsProblems) {
  const json::Value problems = json_of(get("/problems")).at("problems");
  ASSERT_EQ(problems.as_array().size(), 1U);
  EXPECT_EQ(problems.at(0).at("file"), "blocked-edges/broken.yaml");
}

TEST_F(ApiTest, HandsOutGraphData) {
  const TestReply reply = get("/graph-data", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.header("Content-Type"), "application/gzip");
  EXPECT_EQ(reply.header("Content-Encoding"), "");
  EXPECT_NE(http::gunzip(reply.body).value().find("channels/stable-4.7.yaml"), std::string::npos);
  EXPECT_EQ(get("/graph-data", {{"If-None-Match", reply.header("ETag")}}).status, 304);
}

TEST_F(ApiTest, HandsOutSignatures) {
  const std::string digest = "sha256=" + std::string(64, 'a');
  const TestReply reply = get("/signatures/" + digest + "/signature-1");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "signed");
  EXPECT_EQ(reply.header("Content-Type"), "application/octet-stream");
  for (const std::string& path :
       {digest + "/signature-2", digest, digest + "/../../version", std::string("x"),
        std::string("%2e%2e/version"), std::string("sha256=..%2f..%2fversion/signature-1")}) {
    EXPECT_EQ(get("/signatures/" + path).status, 404) << path;
  }
}

TEST_F(ApiTest, ExplainsAnUpdate) {
  const json::Value blocked = json_of(get("/explain?channel=stable-4.7&from=4.6.23&to=4.7.0"));
  EXPECT_EQ(blocked.at("verdict"), "none");
  EXPECT_EQ(blocked.at("reasons").at(0).at("file"), "blocked-edges/4.7.0.yaml");
  const json::Value conditional = json_of(get("/explain?channel=stable-4.7&arch=amd64&from=4.6.23&to=4.7.4"));
  EXPECT_EQ(conditional.at("verdict"), "conditional");
  EXPECT_EQ(conditional.at("risks").as_array().size(), 2U);
  EXPECT_EQ(json_of(get("/explain?channel=stable-4.7&from=4.7.0")).at("kind"), "missing_params");
  EXPECT_EQ(json_of(get("/explain?channel=stable-4.7&from=4.7.0&to=4%207")).at("kind"), "invalid_params");
}

TEST_F(ApiTest, ListsTheUpdatesOfARelease) {
  const json::Value from = json_of(get("/updates?channel=stable-4.7&release=4.6.23"));
  ASSERT_EQ(from.at("updates").as_array().size(), 2U);
  const json::Value &conditional = from.at("updates").at(0), &blocked = from.at("updates").at(1);
  EXPECT_EQ(conditional.at("to"), "4.7.4");
  EXPECT_EQ(conditional.at("verdict"), "conditional");
  const json::Value alone_risks =
      json_of(get("/explain?channel=stable-4.7&from=4.6.23&to=4.7.4")).at("risks");
  ASSERT_EQ(conditional.at("risks").as_array().size(), alone_risks.as_array().size());
  for (std::size_t i = 0; i < alone_risks.as_array().size(); ++i)
    EXPECT_EQ(from.at("risks").at(conditional.at("risks").at(i).to_number<std::size_t>()), alone_risks.at(i));
  EXPECT_EQ(blocked.at("to"), "4.7.0");
  EXPECT_EQ(blocked.at("verdict"), "none");
  EXPECT_EQ(blocked.at("reasons").at(0).at("kind"), "blocked");
  EXPECT_EQ(blocked.at("reasons").at(0).at("file"), "blocked-edges/4.7.0.yaml");
  const json::Value to = json_of(get("/updates?channel=stable-4.7&release=4.7.4%2Bamd64&direction=to"));
  ASSERT_EQ(to.at("updates").as_array().size(), 2U);
  EXPECT_EQ(to.at("updates").at(0).at("from"), "4.7.0");
  EXPECT_EQ(to.at("updates").at(0).at("to"), "4.7.4");
  EXPECT_EQ(to.at("updates").at(1).at("from"), "4.6.23");
  // Each is what /explain says of it; the messages of risks stand in `risks` only.
  for (const json::Value& update : from.at("updates").as_array()) {
    const json::Value alone = json_of(
        get("/explain?channel=stable-4.7&from=4.6.23&to=" + std::string(update.at("to").as_string())));
    EXPECT_EQ(update.at("verdict"), alone.at("verdict"));
    const json::Array &reasons = update.at("reasons").as_array(), &whole = alone.at("reasons").as_array();
    ASSERT_EQ(reasons.size(), whole.size());
    for (std::size_t i = 0; i < whole.size(); ++i) {
      EXPECT_EQ(reasons[i].at("kind"), whole[i].at("kind"));
      const std::string_view brief = reasons[i].at("message").as_string();
      EXPECT_TRUE(std::string_view(whole[i].at("message").as_string()).starts_with(brief)) << brief;
    }
  }
  for (const auto& [query, kind] :
       {std::pair("channel=stable-4.7&release=4.9.9", "unknown-version"),
        std::pair("channel=none&release=4.7.0", "unknown-channel"),
        std::pair("channel=stable-4.7&arch=sparc&release=4.7.0", "unknown-architecture")}) {
    const json::Value none = json_of(get("/updates?" + std::string(query)));
    EXPECT_TRUE(none.at("updates").as_array().empty()) << query;
    ASSERT_FALSE(none.at("reasons").as_array().empty()) << query;
    EXPECT_EQ(none.at("reasons").at(0).at("kind"), kind) << query;
  }
  EXPECT_EQ(json_of(get("/updates?channel=stable-4.7")).at("kind"), "missing_params");
  EXPECT_EQ(json_of(get("/updates?channel=stable-4.7&release=4.7.0&direction=up")).at("kind"),
            "invalid_params");
}

TEST(UpdatesOfARelease, AreRefusedWhereTooManyAskAtATime) {
  RunningService service({.updates_at_once = 0});
  service.after_refreshes(1);
  const TestReply busy = service.get("/updates?channel=stable-4.7&release=4.6.23");
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(busy.header("Retry-After"), "1");
  EXPECT_EQ(service.get("/explain?channel=stable-4.7&from=4.6.23&to=4.7.0").status, 200);
}

TEST_F(ApiTest, GivesTurnsBack) {
  for (int i = 0; i < 4; ++i) EXPECT_EQ(get("/updates?channel=stable-4.7&release=4.6.23").status, 200);
}

TEST_F(ApiTest, CompressesComputedAnswersForWhoTakesGzip) {
  const std::string question = "/updates?channel=stable-4.7&release=4.6.23";
  const TestReply plain = get(question), compressed = get(question, {{"Accept-Encoding", "gzip"}});
  ASSERT_GE(plain.body.size(), 1024U);
  EXPECT_EQ(plain.header("Content-Encoding"), "");
  EXPECT_EQ(compressed.header("Content-Encoding"), "gzip");
  EXPECT_EQ(http::gunzip(compressed.body).value(), plain.body);
}

TEST_F(ApiTest, FindsPaths) {
  const json::Value answer = json_of(get("/path?channels=nope,stable-4.7&from=4.6.23&to=4.7.4"));
  const json::Value& hop = answer.at("paths").at(0).at("hops").at(0);
  EXPECT_EQ(hop.at("from"), "4.6.23");
  EXPECT_EQ(hop.at("to"), "4.7.4");
  EXPECT_EQ(hop.at("channel"), "stable-4.7");
  EXPECT_EQ(get("/path?channels=stable-4.7,&from=4.6.23&to=4.7.4").status, 400);
  const json::Value none = json_of(get("/path?channels=nope&from=4.6.23&to=4.7.4"));
  EXPECT_EQ(none.at("paths").as_array().size(), 0U);
  EXPECT_EQ(none.at("reason"), "there is no channel nope");
}

TEST_F(ApiTest, AvoidsTheRisksThatAPathIsNotToHave) {
  const json::Value risks = json_of(get("/explain?channel=stable-4.7&from=4.6.23&to=4.7.4")).at("risks");
  const std::string name(risks.at(0).at("name").as_string());
  const json::Value answer =
      json_of(get("/path?channels=stable-4.7&from=4.6.23&to=4.7.4&avoid=Nosuch," + name));
  EXPECT_EQ(answer.at("paths").as_array().size(), 0U);
  EXPECT_EQ(answer.at("unknownRisks"), json::Value(json::Array{"Nosuch"}));
  EXPECT_TRUE(
      std::string(answer.at("reason").as_string()).contains("each path has one of the risks to avoid"))
      << answer.at("reason");
}

TEST_F(ApiTest, AvoidsNothingWhereTheNamesAreEmpty) {
  const std::string plain = get("/path?channels=stable-4.7&from=4.6.23&to=4.7.4").body;
  for (const char* avoid : {"", ",", ",,"})
    EXPECT_EQ(get("/path?channels=stable-4.7&from=4.6.23&to=4.7.4&avoid=" + std::string(avoid)).body, plain);
  const json::Value answer = json_of(get("/path?channels=stable-4.7&from=4.6.23&to=4.7.4&avoid=,Nosuch,"));
  EXPECT_EQ(answer.at("unknownRisks"), json::Value(json::Array{"Nosuch"}));
}

TEST_F(ApiTest, TakesAVersionWithItsArchitecture) {
  const std::string plain = get("/explain?channel=stable-4.7&from=4.6.23&to=4.7.4").body;
  // In a query + stands for a blank.
  for (const char* from : {"4.6.23+amd64", "4.6.23%2Bamd64"}) {
    EXPECT_EQ(get("/explain?channel=stable-4.7&to=4.7.4%2Bamd64&from=" + std::string(from)).body, plain);
    EXPECT_EQ(json_of(get("/path?channels=stable-4.7&to=4.7.4&from=" + std::string(from)))
                  .at("paths")
                  .as_array()
                  .size(),
              1U);
  }
  EXPECT_EQ(get("/explain?channel=stable-4.7&to=4.7.4&from=4.6.23+arm64").status, 400);
  EXPECT_TRUE(get("/explain?channel=stable-4.7&to=4.7.4&from=4.6.23%2Barm64")
                  .body.contains("there is no release 4.6.23+arm64 for amd64"));
}

TEST_F(ApiTest, FindsStrandedReleases) {
  const json::Value answer = json_of(get("/stranded?channel=stable-4.7"));
  EXPECT_EQ(answer.at("highest"), "4.7.4");
  EXPECT_EQ(answer.at("stranded").as_array().size(), 2U);
  EXPECT_EQ(answer.at("stuck").as_array().size(), 0U);
}

TEST_F(ApiTest, TellsChangesSinceAnEtag) {
  const TestReply graph = get(stable, {{"Accept-Encoding", "gzip"}});
  const std::string etag = graph.header("ETag");
  const json::Value answer = json_of(get("/changes?channel=stable-4.7&since=" + etag));
  EXPECT_TRUE(answer.at("changes").at("edges").at("added").as_array().empty());
  EXPECT_EQ(answer.at("since"), answer.at("now"));
  const TestReply unknown = get("/changes?channel=stable-4.7&since=%22abc-0p%22");
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(json_of(unknown).at("kind"), "does_not_exist");
  EXPECT_EQ(get("/changes?channel=stable-4.7").status, 400);
}

TEST_F(ApiTest, SaysWhereNothingIs) {
  const TestReply reply = get("/nothing");
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(json_of(reply).at("kind"), "does_not_exist");
  EXPECT_EQ(testing::send_request(service_->service->address(), "GET", "/").status, 404);
}

TEST_F(ApiTest, SaysHowItIsOnTheStatusPort) {
  for (const char* path : {"/livez", "/readyz", "/liveness", "/readiness"}) {
    EXPECT_EQ(service_->status(path).status, 200) << path;
  }
  EXPECT_EQ(service_->status("/api/upgrades_info/graph?channel=stable-4.7").status, 404);
  const std::string metrics = service_->status("/metrics").body;
  EXPECT_NE(metrics.find("fairway_ready 1"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("cincinnati_gb_graph_final_releases 3"), std::string::npos);
}

}  // namespace
}  // namespace fairway::updateservice
