// SPDX-License-Identifier: Apache-2.0

// No fetcher gives its credentials to a host that its own redirects to.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "oci/signature_store.h"
#include "sources/source.h"
#include "support/fake_service.h"
#include "support/temp_directory.h"

namespace fairway::sources {
namespace {

using http::Request;
using http::Response;
using testing::FakeService;
using testing::TempDirectory;
using testing::with_headers;

constexpr const char* authorization = "Basic cm9ib3Q6czNjcmV0";

/// Fetches once from `url` ("http://robot:s3cret@HOST"), and returns why that failed.
struct Fetcher {
  const char* name;
  std::function<std::string(const std::string& host, const TempDirectory& folder)> fetch;
};

std::string with_credentials(const std::string& host) {
  return "http://robot:s3cret@" + host;
}

template <class Source>
std::string failure_of(const Result<std::unique_ptr<Source>>& source) {
  if (!source) return "not made: " + source.error().message;
  const auto fetched = (*source)->fetch({});
  if (fetched) {
    std::string problems;
    if constexpr (requires { fetched->releases; }) {
      for (const auto& problem : fetched->problems) problems += problem.message + "\n";
      return problems.empty() ? "nothing" : problems;
    }
    return "nothing";
  }
  return fetched.error().message;
}

Options with_auth_file(const std::string& host, const TempDirectory& folder) {
  Options options;
  options.access.plain_http = true;
  options.deadline = std::chrono::seconds(30);
  options.data_directory = folder.text() + "/data";
  options.access.auth_file =
      folder.write("auth.json", R"({"auths":{")" + host + R"(":{"auth":"cm9ib3Q6czNjcmV0"}}})");
  return options;
}

const Fetcher fetchers[] = {
    {"Upstream",
     [](const std::string& host, const TempDirectory&) {
       return failure_of(make_release_source(with_credentials(host) + "/graph?channel=c", {}));
     }},
    {"Tarball",
     [](const std::string& host, const TempDirectory&) {
       return failure_of(make_graph_data_source(with_credentials(host) + "/x.tar.gz", {}));
     }},
    {"Git",
     [](const std::string& host, const TempDirectory& folder) {
       Options options;
       options.data_directory = folder.text() + "/data";
       return failure_of(
           make_graph_data_source("git+" + with_credentials(host) + "/graph-data.git#main", options));
     }},
    {"SignatureStore",
     [](const std::string& host, const TempDirectory&) -> std::string {
       auto store = oci::SignatureStore::create(with_credentials(host) + "/store", {.retries = 0});
       if (!store) return "not made: " + store.error().message;
       const auto fetched = (*store)->fetch("sha256:" + std::string(64, 'a'), 1,
                                            Limits::within(Clock::system(), std::chrono::seconds(30), {}));
       return fetched ? "nothing" : fetched.error().message;
     }},
    {"ReleasesOfARegistry",
     [](const std::string& host, const TempDirectory& folder) {
       return failure_of(make_release_source("oci://" + host + "/r", with_auth_file(host, folder)));
     }},
    {"GraphDataOfARegistry",
     [](const std::string& host, const TempDirectory& folder) {
       return failure_of(make_graph_data_source("oci://" + host + "/r:t", with_auth_file(host, folder)));
     }},
};

class Fetching : public ::testing::TestWithParam<Fetcher> {};

TEST_P(Fetching, GivesNoCredentialsToAHostThatItIsRedirectedTo) {
  for (const std::string userinfo : {"", "robot:s3cret@", "leak:me@"}) {
    for (const std::string ask : {"Bearer realm=\"/token\"", "Basic realm=\"mine\""}) {
      for (const int status : {301, 302, 307, 308}) {
        SCOPED_TRACE(userinfo + " " + ask + " " + std::to_string(status));
        std::string realm;
        FakeService stranger([&](const Request& request) {
          if (request.path == "/token") return Response::json(200, R"({"token":"evil"})");
          return with_headers(Response::text(401, "who are you?"), {{"WWW-Authenticate", realm}});
        });
        realm = ask.starts_with("Bearer") ? "Bearer realm=\"" + stranger.url("/token") + "\"" : ask;
        const FakeService own([&](const Request& request) {
          if (request.header("Authorization") != authorization) {
            return with_headers(Response::text(401, ""), {{"WWW-Authenticate", "Basic realm=\"own\""}});
          }
          return with_headers(
              Response::text(status, "there"),
              {{"Location", "http://" + userinfo + stranger.address() + std::string(request.target)}});
        });
        const TempDirectory folder;
        const std::string why = GetParam().fetch(own.address(), folder);
        EXPECT_NE(why, "nothing");
        EXPECT_EQ(why.find("s3cret"), std::string::npos) << why;
        EXPECT_FALSE(stranger.seen().empty()) << "the redirect was not followed: " << why;
        for (const auto& seen : stranger.seen()) {
          EXPECT_FALSE(seen.headers.contains("Authorization")) << seen.method << " " << seen.target;
          EXPECT_FALSE(seen.target.starts_with("/token")) << seen.target;
        }
        for (const auto& seen : own.seen()) {
          const auto sent = seen.headers.find("Authorization");
          EXPECT_TRUE(sent == seen.headers.end() || sent->second == authorization);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Fetching, ::testing::ValuesIn(fetchers),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fairway::sources
