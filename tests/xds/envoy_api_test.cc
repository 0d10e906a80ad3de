// SPDX-License-Identifier: Apache-2.0

#include "xds/envoy_api.h"

#include <gtest/gtest.h>

#include "xds/resource.h"

namespace fairway::xds {
namespace {

std::shared_ptr<const EnvoyApi> api() {
  static const auto loaded = EnvoyApi::embedded();
  return loaded ? *loaded : nullptr;
}

class EnvoyApiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!api()) GTEST_SKIP() << EnvoyApi::embedded().error().message;
  }
};

TEST_F(EnvoyApiTest, AMessageComesBackAsItWas) {
  const json::Object cluster{
      {"name", "shop/cart:80"}, {"type", "EDS"}, {"connect_timeout", "5s"}, {"lb_policy", "LEAST_REQUEST"}};
  const auto bytes = api()->encode(message_of(Type::cluster), cluster);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto back = api()->decode(message_of(Type::cluster), *bytes);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, json::Value(cluster));
}

TEST_F(EnvoyApiTest, EveryTypeThatIsServedIsKnown) {
  for (const Type type : types) {
    const auto bytes = api()->encode(message_of(type), json::Object{});
    EXPECT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(type_of(url_of(type)), type);
  }
  EXPECT_EQ(type_of("type.googleapis.com/envoy.config.core.v3.Node"), std::nullopt);
  EXPECT_EQ(type_of("envoy.config.cluster.v3.Cluster"), std::nullopt);
}

TEST_F(EnvoyApiTest, AMessageInAnAnyIsEncodedByItsType) {
  const auto filters = [](json::Object config) {
    return json::Object{
        {"filter_chains", json::Array{json::Object{
                              {"filters", json::Array{json::Object{{"name", "http"},
                                                                   {"typed_config", std::move(config)}}}}}}}};
  };
  const std::string manager =
      "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
  const auto bytes =
      api()->encode(message_of(Type::listener), filters({{"@type", manager}, {"stat_prefix", "gateway"}}));
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_NE(bytes->find("gateway"), std::string::npos);
  EXPECT_FALSE(api()->encode(message_of(Type::listener), filters({{"@type", manager}, {"prefix", "x"}})));
  EXPECT_FALSE(
      api()->encode(message_of(Type::listener), filters({{"@type", "type.googleapis.com/no.Such"}})));
}

TEST_F(EnvoyApiTest, ErrorsNameTheTypeAndTheField) {
  const auto unknown = api()->encode(message_of(Type::cluster), json::Object{{"nmae", "a"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::invalid);
  EXPECT_NE(unknown.error().message.find("envoy.config.cluster.v3.Cluster"), std::string::npos);
  EXPECT_NE(unknown.error().message.find("nmae"), std::string::npos);
  EXPECT_FALSE(api()->encode(message_of(Type::cluster), json::Object{{"connect_timeout", "soon"}}));
  EXPECT_FALSE(api()->encode("envoy.config.cluster.v3.NoSuch", json::Object{}));
  EXPECT_FALSE(api()->decode(message_of(Type::cluster), "\xff\xff\xff"));
}

TEST(EnvoyApiFiles, WhatIsNoSetOfDescriptorsIsRefused) {
  EXPECT_FALSE(EnvoyApi::from("no descriptors"));
  EXPECT_FALSE(EnvoyApi::from(""));
}

}  // namespace
}  // namespace fairway::xds
