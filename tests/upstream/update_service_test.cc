// SPDX-License-Identifier: Apache-2.0

// Asking an update service, with the faults that it may show.
#include "upstream/update_service.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "base/redact.h"
#include "http/compress.h"
#include "support/fake_service.h"
#include "support/service_faults.h"
#include "upstream/read.h"

namespace fairway::upstream {
namespace {

using http::Request;
using http::Response;
using testing::FakeService;
using testing::never;
using testing::ServiceFault;
using testing::with_headers;

constexpr const char* graph_path = "/api/upgrades_info/graph";
const GraphQuery stable{.channel = "stable-4.7", .arch = "arm64"};

UpdateService service_at(const std::string& url, const Options& options = {}) {
  auto service = UpdateService::create(url, options);
  EXPECT_TRUE(service) << service.error().message;
  return std::move(*service);
}

TEST(UpdateService, IsAskedForTheGraphOfAChannelAndArchitecture) {
  const FakeService fake(
      [](const Request&) { return with_headers(Response::json(200, "{}"), {{"ETag", "\"one\""}}); });
  const auto body = service_at(fake.url(graph_path)).fetch_graph(stable);
  ASSERT_TRUE(body) << body.error().message;
  ASSERT_TRUE(*body);
  EXPECT_EQ((*body)->text, "{}");
  EXPECT_EQ((*body)->etag, "\"one\"");
  EXPECT_EQ((*body)->source, fake.url("/api/upgrades_info/graph?arch=arm64&channel=stable-4.7"));
  const auto seen = fake.seen().at(0);
  EXPECT_EQ(seen.target, "/api/upgrades_info/graph?arch=arm64&channel=stable-4.7");
  EXPECT_EQ(seen.headers.at("Accept"), "application/vnd.redhat.cincinnati.v1+json, application/json;q=0.9");
  EXPECT_EQ(seen.headers.at("Accept-Encoding"), "gzip");
}

struct QueryCase {
  const char *name, *url, *target;
  GraphQuery query;
};

class Queries : public ::testing::TestWithParam<QueryCase> {};

TEST_P(Queries, AreAddedToWhatTheUrlSays) {
  const FakeService fake([](const Request&) { return Response::json(200, "{}"); });
  const UpdateService service = service_at(fake.url(GetParam().url));
  ASSERT_TRUE(service.fetch_graph(GetParam().query));
  EXPECT_EQ(fake.seen().at(0).target, GetParam().target);
  EXPECT_EQ(service.name(GetParam().query), redact_urls(fake.url(GetParam().target)));
}

INSTANTIATE_TEST_SUITE_P(
    Each, Queries,
    ::testing::Values(
        QueryCase{"WithoutArchitecture", "/graph", "/graph?channel=c", {.channel = "c", .arch = ""}},
        QueryCase{"SaidAlready",
                  "/graph?channel=c&arch=a",
                  "/graph?channel=c&arch=a",
                  {.channel = "c", .arch = "a"}},
        QueryCase{"OtherThanTheUrlSays",
                  "/graph?channel=old&tenant=7",
                  "/graph?channel=old&tenant=7&arch=a&channel=c",
                  {.channel = "c", .arch = "a"}},
        QueryCase{"Encoded", "/graph", "/graph?arch=a&channel=c%26d%20e", {.channel = "c&d e", .arch = "a"}},
        QueryCase{"WithWhatClustersSend",
                  "/graph",
                  "/graph?arch=a&channel=c&id=1-2&version=4.16.3",
                  {.channel = "c", .arch = "a", .others = {{"id", "1-2"}, {"version", "4.16.3"}}}}),
    [](const auto& info) { return info.param.name; });

TEST(UpdateService, SaysNothingWhereTheETagStillHolds) {
  const FakeService fake([](const Request& request) {
    if (request.header("If-None-Match") == "\"one\"")
      return with_headers({.status = 304}, {{"ETag", "\"one\""}});
    return with_headers(Response::json(200, "{}"), {{"ETag", "\"one\""}});
  });
  const UpdateService service = service_at(fake.url(graph_path));
  const auto same = service.fetch_graph(stable, "\"one\"");
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_FALSE(*same);
  const auto other = service.fetch_graph(stable, "\"two\"");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_TRUE(*other);
}

TEST(UpdateService, DoesNotBelieveNotModifiedWithoutAnETag) {
  const FakeService fake([](const Request&) { return Response{.status = 304}; });
  const auto body = service_at(fake.url(graph_path)).fetch_graph(stable);
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().code, ErrorCode::unavailable);
}

TEST(UpdateService, ListsItsChannelsBesideTheGraph) {
  const FakeService fake([](const Request&) { return Response::json(200, R"({"channels":{}})"); });
  for (const char* path :
       {"/api/upgrades_info/graph", "/api/upgrades_info/v1/graph", "/api/upgrades_info/graph?a=b"}) {
    const auto body = service_at(fake.url(path)).fetch_channels();
    ASSERT_TRUE(body) << body.error().message;
    EXPECT_EQ(fake.seen().back().target, "/api/upgrades_info/channels") << path;
    EXPECT_EQ(fake.seen().back().headers.at("Accept"),
              "application/vnd.redhat.cincinnati.channels.v1+json, application/json;q=0.9");
  }
  const auto elsewhere = service_at(fake.url("/latest.json")).fetch_channels();
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error().code, ErrorCode::invalid);
  EXPECT_NE(elsewhere.error().message.find("/graph"), std::string::npos);
}

TEST(UpdateService, SendsCredentialsToItsOwnOriginAloneAndShowsThemNowhere) {
  const FakeService elsewhere([](const Request&) { return Response::text(403, "not you"); });
  const FakeService fake([&](const Request&) {
    return with_headers(Response::text(302, ""), {{"Location", elsewhere.url("/graph")}});
  });
  std::string url = fake.url(graph_path);
  url.insert(url.find("://") + 3, "robot:s3cret@");
  const UpdateService service = service_at(url);
  const auto body = service.fetch_graph(stable);
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().code, ErrorCode::forbidden);
  for (const std::string& text : {body.error().message, service.name(stable)}) {
    EXPECT_EQ(text.find("s3cret"), std::string::npos) << text;
    EXPECT_EQ(text.find("robot"), std::string::npos) << text;
  }
  EXPECT_EQ(fake.seen().at(0).headers.at("Authorization"), "Basic cm9ib3Q6czNjcmV0");
  EXPECT_FALSE(elsewhere.seen().at(0).headers.contains("Authorization"));
}

TEST(UpdateService, WantsAnHttpUrl) {
  for (const char* url : {"ftp://example.com/graph", "example.com", ""}) {
    const auto service = UpdateService::create(url);
    ASSERT_FALSE(service) << url;
    EXPECT_EQ(service.error().code, ErrorCode::invalid);
  }
}

TEST(UpdateService, StopsWhenItIsToStop) {
  std::stop_source stop;
  const FakeService fake([&](const Request& request) {
    stop.request_stop();
    return never(request);
  });
  const auto body = service_at(fake.url(graph_path)).fetch_graph(stable, {}, stop.get_token());
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().code, ErrorCode::cancelled);
}

class Faults : public ::testing::TestWithParam<ServiceFault> {};

TEST_P(Faults, AreErrorsThatNameTheUrlAndPass) {
  FakeService fake(GetParam().answer);
  const UpdateService service =
      service_at(fake.url(graph_path), {.deadline = std::chrono::seconds(1), .max_body_bytes = 1000});
  const auto failed = service.fetch_graph(stable);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, GetParam().code) << failed.error().message;
  EXPECT_NE(failed.error().message.find(graph_path), std::string::npos) << failed.error().message;
  fake.answer([](const Request&) {
    return with_headers(Response::json(200, http::gzip("{}")), {{"Content-Encoding", "gzip"}});
  });
  const auto body = service.fetch_graph(stable);
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_EQ((*body)->text, "{}");
}

INSTANTIATE_TEST_SUITE_P(Each, Faults,
                         ::testing::ValuesIn(testing::graph_service_faults(
                             {{"TooLarge",
                               [](const Request&) { return Response::json(200, std::string(1001, ' ')); },
                               ErrorCode::too_large},
                              {"TooLargeUnpacked",
                               [](const Request&) {
                                 return with_headers(Response::json(200, http::gzip(std::string(1001, ' '))),
                                                     {{"Content-Encoding", "gzip"}});
                               },
                               ErrorCode::too_large}})),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fairway::upstream
