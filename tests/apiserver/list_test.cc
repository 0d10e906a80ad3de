// Lists in pages, and at versions.
#include <set>

#include "apiserver/rest/internal/continue_token.h"
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

TEST_F(Lists, HaveTheBytesOfEachObjectAsGetHasThem) {
  make(3);
  const std::string one = get("/api/v1/namespaces/default/configmaps/m1");
  const std::string all = get("/api/v1/namespaces/default/configmaps");
  EXPECT_TRUE(one.starts_with(
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m1","namespace":"default")"))
      << one;
  EXPECT_NE(all.find(one), std::string::npos) << all;
  EXPECT_TRUE(all.starts_with(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":")"))
      << all;
}

TEST(ContinueToken, GoesThroughItsText) {
  const ContinueToken token{.revision = 12, .after = "default/a"};
  EXPECT_EQ(ContinueToken::parse(token.to_string()).value(), token);
  EXPECT_EQ(ContinueToken::parse((ContinueToken{-1, "x"}).to_string()).value(), (ContinueToken{-1, "x"}));
  for (const char* bad : {"", "x", "e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhXHUwMDAwIn0",
                          "eyJ2IjoieCIsInJ2IjoxLCJzdGFydCI6ImFcdTAwMDAifQ"}) {
    const auto parsed = ContinueToken::parse(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_TRUE(parsed.error().message.starts_with("continue key is not valid: ")) << parsed.error().message;
  }
}

}  // namespace
}  // namespace fairway::apiserver::testing
