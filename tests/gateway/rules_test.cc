// SPDX-License-Identifier: Apache-2.0

// What Envoy's schema limits and Gateway API does not: values that are too long for a case's file.
#include "gateway/internal/attachment/rules.h"

#include <gtest/gtest.h>

#include "gateway/internal/model/expressions.h"

namespace fairway::gateway {
namespace {

json::Object matches_of(json::Object match) {
  return {{"matches", json::Array{json::Value(std::move(match))}}};
}
json::Object by_path(const std::string& type, const std::string& value) {
  return matches_of({{"path", json::Object{{"type", type}, {"value", value}}}});
}
json::Object with_filter(json::Object rule, const std::string& type, const std::string& member,
                         json::Object settings) {
  rule["filters"] = json::Array{json::Value(json::Object{{"type", type}, {member, std::move(settings)}})};
  return rule;
}
json::Object with_header(const std::string& list, const std::string& value, int times = 1) {
  json::Array headers;
  for (int i = 0; i < times; ++i) headers.push_back(json::Object{{"name", "x-a"}, {"value", value}});
  return with_filter({}, "RequestHeaderModifier", "requestHeaderModifier", {{list, std::move(headers)}});
}
/// Returns the problem of a route's last rule; empty: there is none.
std::string problem(RouteKind kind, const std::vector<json::Object>& rules) {
  const std::vector<k8s::View> views(rules.begin(), rules.end());
  const auto problems = rule_problems(kind, views);
  return problems.back() ? problems.back()->error.message : "";
}
std::string problem(const json::Object& rule) {
  return problem(RouteKind::http, {rule});
}

TEST(Rules, ValuesOfHeadersAreAsLongAsEnvoyTakesThem) {
  EXPECT_EQ(problem(with_header("set", std::string(16384, 'v'))), "");
  EXPECT_NE(problem(with_header("set", std::string(16385, 'v'))).find("longer than 16384"),
            std::string::npos);
  EXPECT_EQ(problem(with_header("add", std::string(8192, '%'))), "");
  EXPECT_NE(problem(with_header("add", std::string(8193, '%'))).find("each % counts twice"),
            std::string::npos);
}

TEST(Rules, AFilterWritesAsManyHeadersAsEnvoyTakes) {
  EXPECT_EQ(problem(with_header("add", "a", 1000)), "");
  EXPECT_NE(problem(with_header("add", "a", 1001)).find("1001 headers"), std::string::npos);
}

TEST(Rules, AParametersNameIsAsLongAsEnvoyTakesIt) {
  const auto rule = [](std::size_t length) {
    return matches_of({{"queryParams", json::Array{json::Value(json::Object{
                                           {"name", std::string(length, 'n')}, {"value", "a"}})}}});
  };
  EXPECT_EQ(problem(rule(1024)), "");
  EXPECT_NE(problem(rule(1025)).find("is no name"), std::string::npos);
}

TEST(Rules, WhatIsMadeOfSeveralValuesIsJudgedAsEnvoyIsGivenIt) {
  const auto call = [](const std::string& type, const std::string& service, const std::string& method) {
    return problem(
        RouteKind::grpc,
        {matches_of({{"method", json::Object{{"type", type}, {"service", service}, {"method", method}}}})});
  };
  EXPECT_EQ(call("Exact", std::string(1000, 's'), std::string(1000, 'm')), "");
  EXPECT_NE(call("Exact", "", std::string(1020, 'm')).find("together is not taken"), std::string::npos);
  EXPECT_EQ(call("RegularExpression", std::string(600, 's'), "m"), "");
  EXPECT_NE(call("RegularExpression", std::string(600, 's'), std::string(600, 'm')).find("together is not"),
            std::string::npos);
}

TEST(Rules, TheExpressionsOfARouteHaveABudget) {
  std::vector<json::Object> rules;
  const auto add = [&](int number) {
    rules.push_back(by_path("RegularExpression", "/" + std::to_string(number) + "[a-z]{1,480}"));
  };
  for (int i = 0; i < 40; ++i) add(i);
  EXPECT_EQ(problem(RouteKind::http, rules), "");
  for (int i = 40; i < 200; ++i) add(i);
  EXPECT_NE(problem(RouteKind::http, rules).find("the most that a route may have"), std::string::npos);
  add(0);
  EXPECT_EQ(problem(RouteKind::http, rules), "") << "what the route has already costs nothing";
  rules.push_back(by_path("PathPrefix", "/"));
  EXPECT_EQ(problem(RouteKind::http, rules), "");
}

}  // namespace
}  // namespace fairway::gateway
