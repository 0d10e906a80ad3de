// SPDX-License-Identifier: Apache-2.0

// Filters of single backends through a real Envoy: each has its effect on the requests of its backend alone.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "gateway/traffic.h"

namespace fairway::gateway {
namespace {

using testing::header_values;
using testing::RawBackend;
using Values = std::vector<std::string>;

class BackendFilterTraffic : public testing::Traffic {
 protected:
  void SetUp() override {
    Traffic::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    rig().apply_backend("second", second_.port());
  }
  /// Returns the path of the request that a backend has got, with its Host: "/a of r.example.com".
  static std::string asked(const std::string& request) {
    const std::size_t begin = request.find(' ') + 1;
    const Values hosts = header_values(request, "host");
    return request.substr(begin, request.find(' ', begin) - begin) + " of " + (hosts.empty() ? "" : hosts[0]);
  }
  static std::set<std::string> all_asked(const RawBackend& backend) {
    std::set<std::string> paths;
    for (const std::string& request : backend.requests()) paths.insert(asked(request));
    return paths;
  }

  RawBackend second_;
};

TEST_F(BackendFilterTraffic, RewritesTheUrlForTheOnlyBackend) {
  serve("r", R"(
{matches: [{path: {value: /full}}], backendRefs: [{name: plain, port: 80, filters: [
   {type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath, replaceFullPath: /new}}}]}]},
{matches: [{path: {value: /prefix}}], backendRefs: [{name: plain, port: 80, filters: [
   {type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /other}}}]}]},
{matches: [{path: {value: /host}}], filters: [
   {type: URLRewrite, urlRewrite: {path: {type: ReplaceFullPath, replaceFullPath: /of-rule}}}],
 backendRefs: [{name: plain, port: 80, filters: [
   {type: URLRewrite, urlRewrite: {hostname: inner.example}},
   {type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x-a, value: a}]}}]}]})");
  EXPECT_EQ(status("r", "/full/a?b=c"), 200);
  EXPECT_EQ(status("r", "/prefix/a?b=c"), 200);
  EXPECT_EQ(status("r", "/host"), 200);
  const auto got = backend().requests();
  ASSERT_EQ(got.size(), 3U);
  EXPECT_EQ(asked(got[0]), "/new?b=c of r.example.com");
  EXPECT_EQ(asked(got[1]), "/other/a?b=c of r.example.com");
  EXPECT_EQ(asked(got[2]), "/of-rule of inner.example");
  EXPECT_EQ(header_values(got[2], "x-a"), Values{"a"});
}

TEST_F(BackendFilterTraffic, RewritesTheUrlForOneOfSeveralBackendsByTheirWeights) {
  serve("r", R"(
{backendRefs: [
   {name: plain, port: 80, weight: 1, filters: [
      {type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /first}}}]},
   {name: second, port: 80, weight: 3},
   {name: second, port: 80, weight: 0, filters: [{type: URLRewrite, urlRewrite: {hostname: never.example}}]}]})");
  constexpr int sent = 400;
  for (int i = 0; i < sent; ++i) ASSERT_EQ(status("r", "/a"), 200);
  EXPECT_EQ(all_asked(backend()), std::set<std::string>{"/first/a of r.example.com"});
  EXPECT_EQ(all_asked(second_), std::set<std::string>{"/a of r.example.com"});
  // A quarter, 100 with a standard deviation of 8.7: six of them on either side.
  const auto first = static_cast<int>(backend().requests().size());
  EXPECT_GT(first, 48);
  EXPECT_LT(first, 152);
  EXPECT_EQ(static_cast<int>(second_.requests().size()), sent - first);
}

TEST_F(BackendFilterTraffic, AnswersTheShareOfAMissingBackendWithAnError) {
  serve("r", R"(
{backendRefs: [
   {name: plain, port: 80, filters: [{type: URLRewrite, urlRewrite: {hostname: inner.example}}]},
   {name: gone, port: 80}]})");
  std::map<int, int> statuses;
  for (int i = 0; i < 100; ++i) ++statuses[status("r")];
  EXPECT_EQ(statuses[200] + statuses[500], 100);
  EXPECT_GT(statuses[200], 10);
  EXPECT_GT(statuses[500], 10);
  EXPECT_EQ(static_cast<int>(backend().requests().size()), statuses[200]);
}

}  // namespace
}  // namespace fairway::gateway
