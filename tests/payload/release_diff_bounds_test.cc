// SPDX-License-Identifier: Apache-2.0

// Bounds on what the comparison of two releases costs, and on what it keeps: anybody may have made them.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "k8s/rbac_rule.h"
#include "payload/release_diff.h"
#include "support/frugal.h"

namespace fairway::payload {
namespace {

/// Returns a role with these rules.
Manifest role_with(const std::string& name, const std::vector<k8s::RbacRule>& rules) {
  json::Array list;
  for (const k8s::RbacRule& rule : rules) list.push_back(rule.to_json());
  return {.file = "0000_05_a.yaml",
          .object = k8s::Dynamic({{"apiVersion", "rbac.authorization.k8s.io/v1"},
                                  {"kind", "ClusterRole"},
                                  {"metadata", json::Object{{"name", name}}},
                                  {"rules", std::move(list)}})};
}

/// Returns a rule that allows `size` verbs on as many resources.
k8s::RbacRule large_rule(const std::string& prefix, std::size_t size) {
  k8s::RbacRule rule{.groups = {""}};
  for (std::size_t i = 0; i < size; ++i) {
    rule.verbs.push_back("v" + std::to_string(i));
    rule.resources.push_back(prefix + std::to_string(i));
  }
  return rule;
}

json::Object diff_of(std::vector<Manifest> before, std::vector<Manifest> after) {
  ReleaseImage from, to;
  from.version = Version::parse("4.6.23").value();
  to.version = Version::parse("4.7.4").value();
  from.manifests = std::move(before);
  to.manifests = std::move(after);
  const auto diff = diff_releases(from, to, {});
  return diff ? to_json(*diff) : json::Object{{"error", diff.error().message}};
}

TEST(ReleaseDiffBoundsTest, RightsBesideARuleThatIsTooLargeAreFound) {
  const k8s::RbacRule secrets{.verbs = {"get"}, .groups = {""}, .resources = {"secrets"}};
  k8s::RbacRule grown = large_rule("r", 2000);
  grown.resources.emplace_back("more");
  const json::Object same =
      diff_of({role_with("a", {large_rule("r", 2000)})}, {role_with("a", {large_rule("r", 2000), secrets})});
  const json::Array& rights = same.at("rights").as_array();
  ASSERT_EQ(rights.size(), 1U);
  EXPECT_EQ(rights[0].at("rules"), json::Value(json::Array{secrets.to_json()}));
  EXPECT_EQ(rights[0].at("notCompared"), json::Value(json::Array()));

  const json::Object other =
      diff_of({role_with("a", {large_rule("r", 2000)})}, {role_with("a", {grown, secrets})});
  const json::Array& some = other.at("rights").as_array();
  ASSERT_EQ(some.size(), 1U);
  EXPECT_EQ(some[0].at("rules"), json::Value(json::Array{secrets.to_json()}));
  EXPECT_EQ(some[0].at("notCompared"), json::Value(json::Array{grown.to_json()}));
}

TEST(ReleaseDiffBoundsTest, ManyLargeRolesAreComparedInBoundedTimeAndMemory) {
  const k8s::RbacRule secrets{.verbs = {"get"}, .groups = {""}, .resources = {"secrets"}};
  std::vector<Manifest> before, after;
  for (int i = 0; i < 20; ++i) {
    const std::string name = "a" + std::to_string(i);
    before.push_back(role_with(name, {large_rule("r", 300)}));
    after.push_back(role_with(name, {large_rule("s", 300)}));
  }
  before.push_back(role_with("b", {}));
  after.push_back(role_with("b", {secrets}));
  const testing::Frugal frugal(std::chrono::seconds(20));
  const json::Object all = diff_of(before, after);
  EXPECT_LT(json::to_text(all).size(), 5'000'000U);
  const json::Array& rights = all.at("rights").as_array();
  ASSERT_EQ(rights.size(), 21U);
  EXPECT_EQ(rights[0].at("notCompared"), json::Value(json::Array{large_rule("s", 300).to_json()}));
  EXPECT_EQ(rights[20].at("rules"), json::Value(json::Array{secrets.to_json()}));
}

TEST(ReleaseDiffBoundsTest, ManySelectorsAreEvaluatedUpToABoundAndThatIsSaid) {
  const k8s::RbacRule secrets{.verbs = {"get"}, .groups = {""}, .resources = {"secrets"}};
  std::vector<Manifest> before, after;
  json::Array selectors;
  for (int i = 0; i < 3000; ++i)
    selectors.push_back(json::Object{{"matchLabels", json::Object{{"a", std::to_string(i)}}}});
  json::Object aggregating = role_with("a", {}).object.json();
  aggregating["aggregationRule"] = json::Object{{"clusterRoleSelectors", selectors}};
  for (auto* side : {&before, &after}) {
    side->push_back({.file = "0000_05_a.yaml", .object = k8s::Dynamic(aggregating)});
    for (int i = 0; i < 1500; ++i) side->push_back(role_with("b" + std::to_string(1000 + i), {secrets}));
  }
  const testing::Frugal frugal(std::chrono::seconds(20));
  const json::Object all = diff_of(before, after);
  const json::Array& rights = all.at("rights").as_array();
  ASSERT_GT(rights.size(), 500U);
  EXPECT_EQ(rights.back().at("name"), json::Value("b2499"));
  EXPECT_EQ(rights.back().at("notCompared"), json::Value(json::Array{secrets.to_json()}));
}

TEST(ReleaseDiffBoundsTest, LongKeysAreCutInPaths) {
  const std::string key(500'000, 'k');
  json::Object before, after;
  for (int i = 0; i < 50; ++i) {
    before["f" + std::to_string(i)] = "a";
    after["f" + std::to_string(i)] = "b";
  }
  const FieldChanges changes = find_field_changes({{key, before}}, {{key, after}});
  ASSERT_EQ(changes.count, 50U);
  EXPECT_LE(changes.fields[0].path.size(), max_path_bytes);
  EXPECT_TRUE(changes.fields[7].path.ends_with("k….f7")) << changes.fields[7].path;
  json::Value deep_before("a"), deep_after("b");
  for (int depth = 0; depth < 100; ++depth) {
    deep_before = json::Object{{"member", deep_before}};
    deep_after = json::Object{{"member", deep_after}};
  }
  const FieldChanges deep = find_field_changes(deep_before.as_object(), deep_after.as_object());
  ASSERT_EQ(deep.count, 1U);
  EXPECT_EQ(deep.fields[0].path.size(), max_path_bytes);
  EXPECT_TRUE(deep.fields[0].path.ends_with("...")) << deep.fields[0].path;
}

}  // namespace
}  // namespace fairway::payload
