// SPDX-License-Identifier: Apache-2.0

// Lists in pages, and at versions.
#include <set>

#include "apiserver/internal/rest/continue_token.h"
#include "apiserver/server_case.h"

namespace fairway::apiserver::testing {
namespace {

class Lists : public OnServer {
 protected:
  void make(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_OK(client->create(config_maps, config_map("m" + std::to_string(i), std::to_string(i % 2))));
    }
  }
  std::set<std::string> names(const kube::ObjectList& list) const {
    std::set<std::string> names;
    for (const k8s::Dynamic& item : list.items) names.insert(std::string(item.name()));
    return names;
  }
};

TEST_F(Lists, ShowOneStateInAllTheirPages) {
  make(7);
  const auto first = client->list(config_maps, "default", {.limit = 3});
  ASSERT_OK(first);
  EXPECT_EQ(names(*first), (std::set<std::string>{"m0", "m1", "m2"}));
  EXPECT_EQ(first->remaining, 4);
  ASSERT_FALSE(first->continue_token.empty());
  // What comes and goes meanwhile is not seen.
  ASSERT_OK(client->create(config_maps, config_map("m9")));
  ASSERT_OK(client->remove(config_maps, key("m4")));
  const auto second =
      client->list(config_maps, "default", {.limit = 3, .continue_token = first->continue_token});
  ASSERT_OK(second);
  EXPECT_EQ(names(*second), (std::set<std::string>{"m3", "m4", "m5"}));
  EXPECT_EQ(second->resource_version, first->resource_version);
  EXPECT_EQ(second->remaining, 1);
  const auto last =
      client->list(config_maps, "default", {.limit = 3, .continue_token = second->continue_token});
  ASSERT_OK(last);
  EXPECT_EQ(names(*last), (std::set<std::string>{"m6"}));
  EXPECT_TRUE(last->continue_token.empty());
  EXPECT_FALSE(last->remaining);
}

TEST_F(Lists, OfWhatIsSelectedHaveFullPagesAndNoCount) {
  make(9);
  for (int i = 0; i < 9; i += 2) {
    ASSERT_OK(client->patch(config_maps, key("m" + std::to_string(i)), kube::PatchType::merge,
                            parsed(R"({"metadata":{"labels":{"even":"yes"}}})")));
  }
  const auto labels = k8s::LabelSelector::parse("even=yes").value();
  const auto first = client->list(config_maps, "default", {.labels = labels, .limit = 2});
  ASSERT_OK(first);
  EXPECT_EQ(names(*first), (std::set<std::string>{"m0", "m2"}));
  EXPECT_FALSE(first->remaining);
  const auto rest = client->list(config_maps, "default",
                                 {.labels = labels, .limit = 9, .continue_token = first->continue_token});
  ASSERT_OK(rest);
  EXPECT_EQ(names(*rest), (std::set<std::string>{"m4", "m6", "m8"}));
  EXPECT_TRUE(rest->continue_token.empty());
  const auto named =
      client->list(config_maps, "", {.fields = k8s::FieldSelector::parse("metadata.name=m3").value()});
  ASSERT_OK(named);
  EXPECT_EQ(names(*named), (std::set<std::string>{"m3"}));
}

TEST_F(Lists, AtAVersionShowItExactly) {
  make(2);
  const auto before = client->list(config_maps, "default");
  ASSERT_OK(before);
  ASSERT_OK(client->remove(config_maps, key("m0")));
  const auto exact =
      client->list(config_maps, "default",
                   {.resource_version = before->resource_version, .resource_version_match = "Exact"});
  ASSERT_OK(exact);
  EXPECT_EQ(names(*exact), (std::set<std::string>{"m0", "m1"}));
  EXPECT_EQ(exact->resource_version, before->resource_version);
  const auto newer =
      client->list(config_maps, "default",
                   {.resource_version = before->resource_version, .resource_version_match = "NotOlderThan"});
  ASSERT_OK(newer);
  EXPECT_EQ(names(*newer), (std::set<std::string>{"m1"}));
  EXPECT_GT(std::stoll(newer->resource_version), std::stoll(before->resource_version));
}

TEST_F(Lists, HaveTheBytesOfEachObjectAsGetHasThemWithoutKindAndApiVersion) {
  make(3);
  const std::string one = get("/api/v1/namespaces/default/configmaps/m1");
  const std::string all = get("/api/v1/namespaces/default/configmaps");
  constexpr std::string_view type = R"("kind":"ConfigMap","apiVersion":"v1",)";
  ASSERT_TRUE(one.starts_with("{" + std::string(type) + R"("metadata":{"name":"m1","namespace":"default")"))
      << one;
  EXPECT_NE(all.find("{" + one.substr(1 + type.size())), std::string::npos) << all;
  EXPECT_EQ(all.find(type), std::string::npos) << all;
  EXPECT_TRUE(all.starts_with(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":")"))
      << all;
}

// Names of roles are free: each that can be stored can be asked for, and can end a page.
TEST_F(Lists, EndAtEachNameThatMayBeGiven) {
  const k8s::GroupVersionResource roles{
      .group = "rbac.authorization.k8s.io", .version = "v1", .resource = "roles"};
  const auto role = [](const std::string& name) {
    k8s::Dynamic made;
    made.set("kind", "Role");
    made.set("apiVersion", "rbac.authorization.k8s.io/v1");
    made.set_name(name);
    made.set_namespace_name("default");
    return made;
  };
  std::set<std::string> stored;
  std::string umlauts;
  for (int i = 0; i < 126; ++i) umlauts += "\xc3\xa4";
  for (const std::string& name :
       {std::string("a b"), std::string("system:node:\"x\"?*#&+=,;"), std::string(253, 'x'),
        std::string(253, '"'), std::string(253, '\\'), umlauts}) {
    ASSERT_OK(client->create(roles, role(name))) << name;
    stored.insert(name);
  }
  for (const std::string& name :
       {std::string("a\0b", 3), std::string("a\nb"), std::string("a\x7f"), std::string("a/b"),
        std::string("a%62"), std::string("."), std::string(".."), std::string(254, 'x'), umlauts + "\xc3\xa4",
        std::string(3100, 'x')}) {
    // The client would not send it.
    std::string body;
    const auto answer = client->send({.method = "POST",
                                      .path = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
                                      .content_type = "application/json",
                                      .body = role(name).to_text()},
                                     body);
    ASSERT_FALSE(answer) << name;
    EXPECT_EQ(answer.error().status.code(), 422) << answer.error().message;
    EXPECT_TRUE(answer.error().message.contains("metadata.name")) << answer.error().message;
  }
  k8s::Dynamic generated = role("");
  generated.erase("metadata.name");
  generated.set("metadata.generateName", std::string(3100, 'y'));
  const auto made = client->create(roles, generated);
  if (made) stored.insert(std::string(made->name()));
  for (const std::string& name : stored) EXPECT_OK(client->get(roles, key(name))) << name;
  std::set<std::string> listed;
  std::string token;
  do {
    const auto page = client->list(roles, "default", {.limit = 1, .continue_token = token});
    ASSERT_OK(page);
    for (const k8s::Dynamic& item : page->items) listed.insert(std::string(item.name()));
    token = page->continue_token;
  } while (!token.empty());
  EXPECT_EQ(listed, stored);
}

TEST(ContinueToken, GoesThroughItsText) {
  const rest::ContinueToken token{.revision = 12, .after = "default/a"};
  EXPECT_EQ(rest::ContinueToken::parse(token.to_string()).value(), token);
  EXPECT_EQ(rest::ContinueToken::parse((rest::ContinueToken{-1, "x"}).to_string()).value(),
            (rest::ContinueToken{-1, "x"}));
  for (const char* bad : {"", "x", "e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhXHUwMDAwIn0",
                          "eyJ2IjoieCIsInJ2IjoxLCJzdGFydCI6ImFcdTAwMDAifQ"}) {
    const auto parsed = rest::ContinueToken::parse(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_TRUE(parsed.error().message.starts_with("continue key is not valid: ")) << parsed.error().message;
  }
}

TEST_F(Lists, RefuseATokenOfAnotherNamespace) {
  for (const char* name : {"aaa", "zzz"}) {
    k8s::Dynamic made;
    made.set("kind", "Namespace");
    made.set("apiVersion", "v1");
    made.set_name(name);
    ASSERT_OK(client->create(namespaces, made));
    for (const char* object : {"one", "two", "three"}) {
      k8s::Dynamic map = config_map(object);
      map.set_namespace_name(name);
      ASSERT_OK(client->create(config_maps, map));
    }
  }
  const auto before = client->list(config_maps, "aaa", {});
  ASSERT_OK(before);
  for (const char* object : {"one", "two", "three"}) {
    ASSERT_OK(client->patch(config_maps, k8s::Key{"zzz", object}, kube::PatchType::merge,
                            parsed(R"({"data":{"later":"yes"}})")));
  }
  const storage::Revision past = std::stoll(before->resource_version);
  const auto list = [&](storage::Revision revision, const std::string& after, std::int64_t limit) {
    return client->list(config_maps, "mmm",
                        {.limit = limit, .continue_token = rest::ContinueToken{revision, after}.to_string()});
  };
  for (const storage::Revision revision : {past, storage::Revision{-1}}) {
    for (const std::int64_t limit : {0, 1, 100}) {
      for (const std::string& after :
           {std::string("zzz/one"), std::string("zzz/one\0", 8), std::string("aaa/one"), std::string("mmm"),
            std::string("mmm0"), std::string("\xef\xbf\xbf"), std::string()}) {
        const auto answer = list(revision, after, limit);
        ASSERT_FALSE(answer) << after << " " << limit;
        EXPECT_EQ(answer.error().status.code(), 400) << after;
      }
      // Those of the namespace itself, wherever they lead, show what is in it: nothing.
      for (const char* after : {"mmm/", "mmm/one", "mmm/zzz/one", "mmm/../zzz/one"}) {
        const auto answer = list(revision, after, limit);
        ASSERT_OK(answer);
        EXPECT_TRUE(answer->items.empty()) << after;
      }
    }
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
