// SPDX-License-Identifier: Apache-2.0

// Sources that are asked over HTTP, with the faults that the other side may show.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "graph/update_graph.h"
#include "http/compress.h"
#include "oci/archives.h"
#include "sources/source.h"
#include "support/fake_service.h"
#include "support/service_faults.h"
#include "support/small_graph.h"

namespace fairway::sources {
namespace {

using http::Request;
using http::Response;
using testing::FakeService;
using testing::never;
using testing::ServiceFault;
using testing::with_headers;

constexpr const char* graph_path = "/api/upgrades_info/graph?channel=stable-4.7";

std::string upstream_graph() {
  return R"({"version":1,"nodes":[{"version":"4.6.23","payload":"r@sha256:1","metadata":{}},)"
         R"({"version":"4.7.0","payload":"r@sha256:2","metadata":{}}],"edges":[[0,1]],"conditionalEdges":[]})";
}

std::unique_ptr<ReleaseSource> upstream(const FakeService& service, const Options& options = {}) {
  auto made = make_release_source(service.url(graph_path), options);
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

std::unique_ptr<GraphDataSource> tarball(const FakeService& service, const Options& options = {}) {
  auto made = make_graph_data_source(service.url("/graph-data.tar.gz"), options);
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

std::string small_tarball(const std::string& filter = "gzip") {
  std::vector<testing::TarEntry> entries;
  for (const auto& [name, bytes] : testing::small_graph_data())
    entries.push_back({"graph-data-main/" + name, bytes});
  return testing::make_tar(entries, filter);
}

TEST(UpstreamSource, TakesOverWhatAnotherUpdateServiceSays) {
  const FakeService service([](const Request&) { return Response::json(200, upstream_graph()); });
  const auto source = upstream(service);
  const auto fetched = source->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  ASSERT_EQ(fetched->upstreams.size(), 1U);
  EXPECT_EQ(fetched->upstreams[0].channel, "stable-4.7");
  EXPECT_EQ(fetched->upstreams[0].arch, "amd64");
  EXPECT_EQ(fetched->upstreams[0].graph.nodes.size(), 2U);
  EXPECT_EQ(fetched->upstreams[0].graph.edges.size(), 1U);
  EXPECT_EQ(source->channels(), std::vector<std::string>{"stable-4.7"});
  const auto seen = service.seen();
  EXPECT_EQ(seen.at(0).headers.at("Accept"),
            "application/vnd.redhat.cincinnati.v1+json, application/json;q=0.9");
  EXPECT_EQ(seen.at(0).target, graph_path);
}

TEST(UpstreamSource, WantsAChannel) {
  const auto made = make_release_source("https://example.com/graph?arch=amd64", {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::invalid);
  EXPECT_NE(made.error().message.find("?channel="), std::string::npos);
}

TEST(UpstreamSource, ReadsCompressedAnswers) {
  const FakeService service([](const Request&) {
    return with_headers(Response::json(200, http::gzip(upstream_graph())), {{"Content-Encoding", "gzip"}});
  });
  const auto fetched = upstream(service)->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->upstreams.at(0).graph.nodes.size(), 2U);
}

TEST(UpstreamSource, AsksAgainByETag) {
  const FakeService service([](const Request& request) {
    if (request.header("If-None-Match") == "\"one\"")
      return with_headers(Response{.status = 304}, {{"ETag", "\"one\""}});
    return with_headers(Response::json(200, upstream_graph()), {{"ETag", "\"one\""}});
  });
  const auto source = upstream(service);
  const auto first = source->fetch({});
  const auto second = source->fetch({});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->revision, first->revision);
  EXPECT_EQ(second->upstreams.at(0).graph.nodes.size(), 2U);
  EXPECT_EQ(service.seen().at(1).headers.at("If-None-Match"), "\"one\"");
}

TEST(UpstreamSource, NamesAChannelThatTheUpstreamDoesNotKnow) {
  const FakeService service([](const Request&) { return Response::json(200, R"({"nodes":[],"edges":[]})"); });
  const auto fetched = upstream(service)->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  ASSERT_EQ(fetched->problems.size(), 1U);
  EXPECT_EQ(fetched->problems[0].channels, std::vector<std::string>{"stable-4.7"});
}

TEST(Sources, WithNamesThatLookAlikeAreToldApart) {
  const std::string graph = "https://robot:s3cret@up.example/graph?channel=c&arch=amd64&tenant=";
  const auto a = make_release_source(graph + "aaaa", {}).value(),
             b = make_release_source(graph + "bbbb", {}).value();
  EXPECT_EQ(a->name(), b->name());
  EXPECT_NE(a->identity(), b->identity());
  EXPECT_EQ(a->identity(), make_release_source(graph + "aaaa", {}).value()->identity());
  const std::string tarball = "https://up.example/graph-data.tar.gz?ref=";
  const auto x = make_graph_data_source(tarball + "xxxx", {}).value(),
             y = make_graph_data_source(tarball + "yyyy", {}).value();
  EXPECT_EQ(x->name(), y->name());
  EXPECT_NE(x->identity(), y->identity());
  for (const std::string& identity : {a->identity(), x->identity()}) {
    for (const char* secret : {"s3cret", "aaaa", "xxxx"})
      EXPECT_EQ(identity.find(secret), std::string::npos) << identity;
  }
  // Names that leave nothing out are identities.
  EXPECT_EQ(make_release_source("releases.json", {}).value()->identity(), "releases.json");
}

TEST(UpstreamSource, SendsCredentialsAndShowsThemNowhere) {
  const FakeService service([](const Request&) { return Response::text(403, "not you"); });
  std::string url = service.url(graph_path);
  url.insert(url.find("://") + 3, "robot:s3cret@");
  const auto source = make_release_source(url, {}).value()->fetch({});
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, ErrorCode::forbidden);
  EXPECT_EQ(source.error().message.find("s3cret"), std::string::npos);
  EXPECT_EQ(service.seen().at(0).headers.at("Authorization"), "Basic cm9ib3Q6czNjcmV0");
}

class UpstreamFaults : public ::testing::TestWithParam<ServiceFault> {};

TEST_P(UpstreamFaults, AreErrorsThatNameTheUrlAndPass) {
  FakeService service(GetParam().answer);
  const auto source = upstream(service, {.deadline = std::chrono::seconds(1)});
  const auto failed = source->fetch({});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, GetParam().code) << failed.error().message;
  EXPECT_NE(failed.error().message.find("/api/upgrades_info/graph"), std::string::npos)
      << failed.error().message;
  service.answer([](const Request&) { return Response::json(200, upstream_graph()); });
  EXPECT_TRUE(source->fetch({}));
}

INSTANTIATE_TEST_SUITE_P(
    Each, UpstreamFaults,
    ::testing::ValuesIn(testing::graph_service_faults(
        {{"NoJson", [](const Request&) { return Response::json(200, "<html>"); }, ErrorCode::invalid},
         {"NoGraph", [](const Request&) { return Response::json(200, R"({"kind":"x","value":"y"})"); },
          ErrorCode::invalid},
         {"NoListOfNodes", [](const Request&) { return Response::json(200, R"({"nodes":{},"edges":[]})"); },
          ErrorCode::invalid},
         {"NoReadableNodes",
          [](const Request&) { return Response::json(200, R"({"nodes":[{"version":7}],"edges":[]})"); },
          ErrorCode::invalid},
         {"OtherVersion", [](const Request&) { return Response::json(200, R"({"version":2})"); },
          ErrorCode::unsupported}})),
    [](const auto& info) { return info.param.name; });

TEST(UpstreamSource, StopsWhenItIsToStop) {
  std::stop_source stop;
  const FakeService service([&](const Request& request) {
    stop.request_stop();
    return never(request);
  });
  const auto fetched = upstream(service)->fetch({.stop = stop.get_token()});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::cancelled);
}

TEST(TarballSource, ReadsATarball) {
  for (const std::string filter : {"gzip", "none", "zstd"}) {
    const FakeService service([&](const Request&) { return Response::text(200, small_tarball(filter)); });
    const auto fetched = tarball(service)->fetch({});
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_EQ(fetched->files, testing::small_graph_data()) << filter;
  }
}

TEST(TarballSource, AsksAgainByETagAndDate) {
  const FakeService service([](const Request& request) {
    if (request.header("If-None-Match") == "\"one\"") return Response{.status = 304};
    return with_headers(Response::text(200, small_tarball()),
                        {{"ETag", "\"one\""}, {"Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"}});
  });
  const auto source = tarball(service);
  const auto first = source->fetch({});
  const auto second = source->fetch({});
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->revision, first->revision);
  EXPECT_EQ(second->files, testing::small_graph_data());
  EXPECT_EQ(service.seen().at(1).headers.at("If-Modified-Since"), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST(TarballSource, GivesTheSameRevisionHoweverTheTarballIsPacked) {
  FakeService service([](const Request&) { return Response::text(200, small_tarball("gzip")); });
  const auto source = tarball(service);
  const std::string revision = source->fetch({})->revision;
  service.answer([](const Request&) { return Response::text(200, small_tarball("zstd")); });
  EXPECT_EQ(source->fetch({})->revision, revision);
}

TEST(TarballSource, FollowsRedirects) {
  const FakeService archive([](const Request&) { return Response::text(200, small_tarball()); });
  const FakeService forge([&](const Request&) {
    return with_headers(Response::text(302, "there"), {{"Location", archive.url("/x.tar.gz")}});
  });
  const auto fetched = tarball(forge)->fetch({});
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->files, testing::small_graph_data());
}

TEST(TarballSource, QuotesNothingOfTheBodyOfAnError) {
  for (const char* type : {"text/plain", "text/html", "application/json"}) {
    const FakeService service(
        [&](const Request&) { return Response::text(500, "no user bob at db.corp, password=SECRET", type); });
    const auto failed = tarball(service)->fetch({});
    ASSERT_FALSE(failed);
    EXPECT_TRUE(failed.error().message.ends_with("status 500")) << failed.error().message;
  }
}

class TarballFaults : public ::testing::TestWithParam<ServiceFault> {};

TEST_P(TarballFaults, AreErrorsThatNameTheUrlAndPass) {
  FakeService service(GetParam().answer);
  const auto source = tarball(service, {.deadline = std::chrono::seconds(1)});
  const auto failed = source->fetch({});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, GetParam().code) << failed.error().message;
  EXPECT_NE(failed.error().message.find("/graph-data.tar.gz"), std::string::npos) << failed.error().message;
  service.answer([](const Request&) { return Response::text(200, small_tarball()); });
  EXPECT_TRUE(source->fetch({}));
}

INSTANTIATE_TEST_SUITE_P(
    Each, TarballFaults,
    ::testing::ValuesIn(testing::service_faults(
        small_tarball().substr(0, 300),
        {{"HalfATarball",
          [](const Request&) {
            return Response::text(200, small_tarball().substr(0, small_tarball().size() / 2));
          },
          ErrorCode::invalid},
         {"NoTarball", [](const Request&) { return Response::text(200, "<html>not a tarball</html>"); },
          ErrorCode::invalid},
         {"NoGraphData",
          [](const Request&) {
            return Response::text(200, testing::make_tar({{"README.md", "hello"}}, "gzip"));
          },
          ErrorCode::invalid}})),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fairway::sources
