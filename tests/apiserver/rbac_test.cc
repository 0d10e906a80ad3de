// SPDX-License-Identifier: Apache-2.0

// Decisions of RBAC, beside those that a real kube-apiserver gave (scripts/k8s/record-rbac.py).
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "apiserver/internal/access/default_policy.h"
#include "apiserver/internal/access/policy.h"
#include "apiserver/internal/access/request_info.h"
#include "base/file.h"
#include "base/json.h"
#include "support/frugal.h"

namespace fairway::apiserver::access {
namespace {

std::string text(const json::Value& document, std::string_view key) {
  return std::string(json::find_string(document, key).value_or(""));
}

const json::Value& recorded() {
  static const json::Value document = [] {
    const auto read = read_file(FAIRWAY_SOURCE_DIR "/tests/apiserver/data/rbac.json");
    return json::parse(read.value()).value();
  }();
  return document;
}

const json::Array& recorded(std::string_view key) {
  return json::find(recorded(), key)->get_array();
}

Policy recorded_policy() {
  Policy policy;
  for (const json::Value& object : default_policy()) policy.put(object);
  for (const json::Value& object : recorded("objects")) policy.put(object);
  return policy;
}

User user_of(const json::Value& document) {
  User user{.name = text(document, "user")};
  for (const json::Value& group : json::find(document, "groups")->get_array()) {
    user.groups.emplace_back(group.get_string());
  }
  return user;
}

Attributes attributes_of_case(const json::Value& document) {
  Attributes attributes;
  if (const json::Value* path = json::find(document, "nonResourceAttributes")) {
    attributes.verb = text(*path, "verb");
    attributes.path = text(*path, "path");
    return attributes;
  }
  const json::Value& asked = *json::find(document, "resourceAttributes");
  attributes.is_resource = true;
  attributes.verb = text(asked, "verb");
  attributes.group = text(asked, "group");
  attributes.version = text(asked, "version");
  attributes.resource = text(asked, "resource");
  attributes.subresource = text(asked, "subresource");
  attributes.namespace_name = text(asked, "namespace");
  attributes.name = text(asked, "name");
  return attributes;
}

/// Returns the binding's name in a reason: "a" of `RBAC: allowed by ClusterRoleBinding "a" of ...`.
std::string binding_named_in(const std::string& reason) {
  const std::size_t begin = reason.find('"') + 1;
  return reason.substr(begin, reason.find('"', begin) - begin);
}

TEST(Rbac, DecidesAsTheRealServerDoes) {
  const Policy policy = recorded_policy();
  ASSERT_GE(recorded("cases").size(), 1000u);
  for (const json::Value& recorded_case : recorded("cases")) {
    SCOPED_TRACE(json::to_text(recorded_case));
    const Decision decision = policy.decide(user_of(recorded_case), attributes_of_case(recorded_case));
    EXPECT_EQ(decision.allowed, json::find(recorded_case, "allowed")->get_bool());
    const std::string reason = text(recorded_case, "reason");
    if (decision.reason != reason && decision.allowed) {
      // Where two bindings allow it, the real server names either.
      Policy without = policy;
      without.remove("ClusterRoleBinding", "", binding_named_in(decision.reason));
      EXPECT_EQ(without.decide(user_of(recorded_case), attributes_of_case(recorded_case)).reason, reason);
    } else {
      EXPECT_EQ(decision.reason, reason);
    }
  }
}

TEST(Rbac, RefusesToGrantWhatIsNotHeldInTheWordsOfTheRealServer) {
  const Policy policy = recorded_policy();
  ASSERT_GE(recorded("grants").size(), 150u);
  for (const json::Value& grant : recorded("grants")) {
    SCOPED_TRACE(json::to_text(grant));
    const std::string namespace_name = text(grant, "namespace");
    const User user = user_of(grant);
    const Attributes escalate{.verb = "escalate",
                              .is_resource = true,
                              .group = "rbac.authorization.k8s.io",
                              .resource = namespace_name.empty() ? "clusterroles" : "roles",
                              .namespace_name = namespace_name,
                              .name = "wanted"};
    std::string error;
    if (!policy.decide(user, escalate).allowed) {
      error = escalation_error(policy, user, namespace_name, Rule::list_from(grant));
    }
    const std::string refused = text(grant, "refused");
    const std::size_t words = refused.find("user ");
    EXPECT_EQ(error, words == std::string::npos ? refused : refused.substr(words));
  }
}

TEST(Rbac, ARoleThatNamesBillionsOfCombinationsIsRefusedAtOnce) {
  Rule bomb;
  for (int i = 0; i < 2000; ++i) {
    bomb.verbs.push_back("v" + std::to_string(i));
    bomb.groups.push_back("g" + std::to_string(i));
    bomb.resources.push_back("r" + std::to_string(i));
  }
  const std::vector<Rule> all{{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}};
  EXPECT_EQ(missing_rules(all, {bomb}).size(), 1u);
}

/// Bounds the comparison that a user who may make roles and bind them causes at each write.
TEST(Rbac, LongListsOfNamesAreComparedInNoTime) {
  constexpr std::size_t names = 90'000;
  const auto rule = [](std::size_t first) {
    Rule made{.verbs = {"get"}, .groups = {""}, .resources = {"configmaps"}};
    for (std::size_t i = first; i < first + names; ++i) made.names.push_back("a-" + std::to_string(i));
    return made;
  };
  const fairway::testing::Frugal frugal(std::chrono::seconds(5));
  EXPECT_TRUE(missing_rules({rule(0)}, {rule(0)}).empty());
  // Each role that is bound besides makes it longer, up to a bound: then it is refused.
  std::vector<Rule> many;
  for (std::size_t i = 1; i < 20; ++i) many.push_back(rule(names));
  EXPECT_FALSE(missing_rules(many, {rule(0)}).empty());
}

TEST(Rbac, WhatIsRemovedOrMalformedGrantsNothing) {
  Policy policy = recorded_policy();
  const User ann{.name = "ann"};
  const Attributes list{.verb = "list", .is_resource = true, .resource = "pods"};
  EXPECT_TRUE(policy.decide(ann, list).allowed);
  policy.remove("ClusterRoleBinding", "", "readers");
  EXPECT_FALSE(policy.decide(ann, list).allowed);
  for (
      const char* malformed :
      {R"({"kind":"ClusterRoleBinding","metadata":{"name":"x"},"subjects":[{"kind":"User","name":"ann"}],
            "roleRef":{"kind":"Role","name":"ns-writer"}})",
       R"({"kind":"RoleBinding","metadata":{"name":"x"},"subjects":[{"kind":"User","name":"ann"}],
            "roleRef":{"kind":"ClusterRole","name":"cluster-admin"}})",
       R"({"kind":"ClusterRoleBinding","metadata":{"name":"x"},"subjects":["ann",{"kind":"user","name":"ann"}],
            "roleRef":{"kind":"ClusterRole","name":"cluster-admin"}})",
       R"({"kind":"ClusterRoleBinding","metadata":{"name":"x"},"subjects":{"kind":"User","name":"ann"},
            "roleRef":{"kind":"ClusterRole","name":"cluster-admin"}})"}) {
    policy.put(json::parse(malformed).value());
    EXPECT_FALSE(policy.decide(ann, list).allowed) << malformed;
  }
}

TEST(DefaultPolicy, IsReconciledWithoutLosingWhatWasAdded) {
  const auto objects = default_policy();
  ASSERT_EQ(objects.size(), 141u);
  for (const json::Value& object : objects) EXPECT_FALSE(reconciled(object, object)) << json::to_text(object);
  json::Value stored = objects[1];
  const json::Value wanted = stored;
  stored.at("rules").get_array().pop_back();
  stored.at("rules").get_array().push_back(
      json::parse(R"({"verbs":["own"],"nonResourceURLs":["/x"]})").value());
  const auto updated = reconciled(stored, wanted);
  ASSERT_TRUE(updated);
  EXPECT_EQ(
      json::to_text(updated->at("rules")),
      R"([{"verbs":["*"],"apiGroups":["*"],"resources":["*"]},{"verbs":["own"],"nonResourceURLs":["/x"]},)"
      R"({"verbs":["*"],"nonResourceURLs":["*"]}])");
  stored.at("metadata").at("annotations").at("rbac.authorization.kubernetes.io/autoupdate") = "false";
  EXPECT_FALSE(reconciled(stored, wanted));
}

TEST(DefaultPolicy, AggregatesTheRulesOfLabelledRoles) {
  const auto objects = default_policy();
  const auto role = [&](std::string_view name) -> const json::Value& {
    for (const json::Value& object : objects) {
      if (text(object.at("metadata"), "name") == name) return object;
    }
    throw std::runtime_error("no such role");
  };
  const json::Array view = aggregated_rules(role("view"), objects);
  EXPECT_EQ(view, role("system:aggregate-to-view").at("rules").get_array());
  EXPECT_TRUE(aggregated_rules(role("cluster-admin"), objects).empty());
}

struct AttributesCase {
  const char* method;
  const char* path;
  const char* query;
  const char* expected;
};

std::string described(const Attributes& a) {
  if (!a.is_resource) return a.verb + " " + a.path;
  return a.verb + " " + a.group + "/" + a.version + " " + a.combined_resource() + " ns=" + a.namespace_name +
         " name=" + a.name;
}

TEST(Attributes, AreThoseOfTheRequest) {
  const AttributesCase cases[] = {
      {"GET", "/api/v1/namespaces/a/pods/p", "", "get /v1 pods ns=a name=p"},
      {"HEAD", "/api/v1/namespaces/a/pods/p", "", "get /v1 pods ns=a name=p"},
      {"GET", "/api/v1/pods", "", "list /v1 pods ns= name="},
      {"GET", "/api/v1/pods", "watch=1", "watch /v1 pods ns= name="},
      {"GET", "/api/v1/pods", "watch=0", "list /v1 pods ns= name="},
      {"GET", "/api/v1/pods", "%zz", "list /v1 pods ns= name="},
      {"GET", "/api/v1/pods", "fieldSelector=metadata.name%3Dp", "list /v1 pods ns= name=p"},
      {"GET", "/api/v1/pods", "watch=true&fieldSelector=metadata.name%3Dp", "watch /v1 pods ns= name=p"},
      {"GET", "/api/v1/pods", "fieldSelector=metadata.name%21%3Dp", "list /v1 pods ns= name="},
      {"GET", "/api/v1/namespaces/a/pods/p", "watch=1", "get /v1 pods ns=a name=p"},
      {"POST", "/apis/apps/v1/namespaces/a/deployments", "", "create apps/v1 deployments ns=a name="},
      {"PUT", "/apis/apps/v1/namespaces/a/deployments/d/status", "",
       "update apps/v1 deployments/status ns=a name=d"},
      {"PATCH", "/apis/apps/v1/namespaces/a/deployments/d/scale", "",
       "patch apps/v1 deployments/scale ns=a name=d"},
      {"DELETE", "/apis/apps/v1/namespaces/a/deployments/d", "", "delete apps/v1 deployments ns=a name=d"},
      {"DELETE", "/apis/apps/v1/namespaces/a/deployments", "",
       "deletecollection apps/v1 deployments ns=a name="},
      {"GET", "/api/v1/namespaces/a", "", "get /v1 namespaces ns=a name=a"},
      {"PUT", "/api/v1/namespaces/a/finalize", "", "update /v1 namespaces/finalize ns=a name=a"},
      {"GET", "/healthz", "", "get /healthz"},
      {"POST", "/apis/apps/v1", "", "post /apis/apps/v1"},
      {"OPTIONS", "/api/v1/pods", "", "options /v1 pods ns= name="},
  };
  for (const AttributesCase& c : cases) {
    const RequestInfo info = RequestInfo::read(c.method, c.path, c.query);
    ASSERT_TRUE(info.path) << c.path;
    EXPECT_EQ(described(info.attributes), c.expected) << c.method << " " << c.path << "?" << c.query;
  }
  EXPECT_EQ(RequestInfo::read("GET", "/api/v1/pods", "").attributes.refusal("bob"),
            R"(User "bob" cannot list resource "pods" in API group "" at the cluster scope)");
  EXPECT_EQ(RequestInfo::read("GET", "/logs", "").attributes.refusal("bob", "why"),
            R"(User "bob" cannot get path "/logs": why)");
}

}  // namespace
}  // namespace fairway::apiserver::access
