// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/translation/shards.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gateway/internal/model/reserved_names.h"
#include "gateway/internal/translation/discovery_resources.h"

namespace fairway::gateway {
namespace {

xds::VirtualHost host(const std::string& name, int status = 200) {
  return std::make_shared<const json::Object>(json::Object{
      {"name", name},
      {"domains", json::Array{name}},
      {"routes", json::Array{json::Object{{"match", json::Object{{"prefix", "/"}}},
                                          {"direct_response", json::Object{{"status", status}}}}}}});
}

std::string name_of(std::size_t number) {
  return "route-" + std::to_string(number) + ".example.com";
}

/// Returns a table with `count` exact hostnames, and two with a wildcard.
xds::Resource table(const std::string& name, std::size_t count) {
  std::vector<xds::VirtualHost> hosts{host("*"), host("*.example.com")};
  for (std::size_t i = 0; i < count; ++i) hosts.push_back(host(name_of(i)));
  return xds::Resource({{"name", name}, {"ignore_port_in_host_matching", true}}, std::move(hosts));
}

std::set<std::string> names_in(const xds::Resource& shard) {
  std::set<std::string> names;
  for (const auto& one : shard.hosts()) names.emplace(one->at("name").get_string());
  return names;
}

json::Object listener(const std::string& routes) {
  const json::Object manager{
      {"@type",
       "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3."
       "HttpConnectionManager"},
      {"rds", json::Object{{"route_config_name", routes}}},
      {"http_filters", json::Array{json::Object{{"name", "envoy.filters.http.router"}}}}};
  return {{"name", "192.0.2.1:80"},
          {"filter_chains",
           json::Array{json::Object{
               {"filters", json::Array{json::Object{{"name", "manager"}, {"typed_config", manager}}}}}}}};
}

TEST(Shards, EachExactHostnameIsInOneAndWildcardsAreApart) {
  const auto shards = shards_of("192.0.2.1:80#shop/web", table("192.0.2.1:80#shop/web", 1000));
  EXPECT_EQ(shards.size(), shard_count + 1);
  std::size_t seen = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    std::string number = std::to_string(100 + shard_of(name_of(i)));
    seen += names_in(shards.at("192.0.2.1:80#shop/web~" + number.substr(1))).count(name_of(i));
  }
  EXPECT_EQ(seen, 1000U);
  EXPECT_EQ(names_in(shards.at("192.0.2.1:80#shop/web~wild")), (std::set<std::string>{"*", "*.example.com"}));
  for (const auto& [name, shard] : shards) {
    EXPECT_EQ(shard.rest().at("name"), json::Value(name));
    // Backends do not see by what it was chosen.
    EXPECT_EQ(shard.rest().at("request_headers_to_remove"), json::Value(json::Array{shard_header}));
    EXPECT_LT(shard.hosts().size(), 60U) << "no shard has most of them";
  }
}

TEST(Shards, HostnamesOfOtherListenersAreNoReasonForThem) {
  std::vector<xds::VirtualHost> hosts;
  for (std::size_t i = 0; i < least_sharded; ++i) hosts.push_back(host(name_of(i), 421));
  EXPECT_FALSE(is_sharded(xds::Resource(json::Object{{"name", "a"}}, hosts)));
  for (std::size_t i = 0; i < least_sharded; ++i) hosts.push_back(host("own-" + name_of(i)));
  EXPECT_TRUE(is_sharded(xds::Resource(json::Object{{"name", "a"}}, hosts)));
}

TEST(Shards, AreNamedByTheirTable) {
  for (const std::string name : {"192.0.2.1:80#shop/web", "shop/web:80", "shop/web:443#a"}) {
    EXPECT_EQ(table_of(name), name);
    for (const auto& [shard, made] : shards_of(name, table(name, 1))) {
      EXPECT_EQ(table_of(shard), name);
      EXPECT_EQ(shard.substr(0, shard.find('#')), name.substr(0, name.find('#'))) << "that of its listener";
    }
  }
  EXPECT_EQ(scopes_of("a").size(), shard_count + 1);
  EXPECT_NE(scopes_of("a").begin()->first, scopes_of("b").begin()->first);
}

TEST(Shards, AreChosenByTheHostnameInSmallLetters) {
  EXPECT_EQ(shard_of("Route-1.EXAMPLE.com"), shard_of("route-1.example.com"));
  // By hand, as the filter does it: ((97 * 31 + 98) % 65521) % 64.
  EXPECT_EQ(shard_of("ab"), 33U);
}

class Served : public ::testing::Test {
 protected:
  DiscoveryResources serve(std::size_t count, const std::set<std::string>& asked_for = {}) {
    Translation translation;
    translation.routes.emplace("192.0.2.1:80#shop/web", table("192.0.2.1:80#shop/web", count));
    translation.listeners.emplace("192.0.2.1:80", listener("192.0.2.1:80#shop/web"));
    return discovery_resources(std::move(translation), asked_for, known_);
  }
  static std::size_t count(const DiscoveryResources& served, xds::Type type) {
    return static_cast<std::size_t>(
        std::ranges::count_if(served.resources, [&](const auto& entry) { return entry.first.type == type; }));
  }

  ResourceCache known_;
};

TEST_F(Served, FewHostnamesAreOneTable) {
  const auto served = serve(least_sharded - 1);
  EXPECT_EQ(count(served, xds::Type::route), 1U);
  EXPECT_EQ(count(served, xds::Type::scope), 0U);
  EXPECT_EQ(served.needs.at("192.0.2.1:80").size(), 2U);
}

TEST_F(Served, ManyAreShardsThatTheListenerChoosesAmong) {
  const auto served = serve(least_sharded);
  EXPECT_EQ(count(served, xds::Type::route), shard_count + 1);
  EXPECT_EQ(count(served, xds::Type::scope), shard_count + 1);
  // Each is waited for.
  EXPECT_EQ(served.needs.at("192.0.2.1:80").size(), 2 * (shard_count + 1) + 1);
  const std::string text = json::to_text(served.resources.at({xds::Type::listener, "192.0.2.1:80"}).rest());
  EXPECT_EQ(text.find("route_config_name"), std::string::npos) << text;
  EXPECT_NE(text.find("scoped_routes"), std::string::npos) << text;
}

TEST_F(Served, WhatDidNotChangeIsTheSameResource) {
  const auto first = serve(1000), second = serve(1000);
  for (const auto& [name, resource] : first.resources) {
    // The hosts are made anew each time here.
    if (name.type == xds::Type::route) continue;
    EXPECT_TRUE(second.resources.at(name).is(resource)) << name.name;
  }
}

TEST_F(Served, OldConnectionsGoOnWithWhatTheyAskFor) {
  const xds::ResourceName whole{xds::Type::route, "192.0.2.1:80#shop/web"};
  const auto many = serve(least_sharded, {whole.name});
  ASSERT_TRUE(many.resources.contains(whole));
  EXPECT_TRUE(many.resources.at(whole).is_left_over);
  EXPECT_FALSE(many.needs.at("192.0.2.1:80").contains(whole)) << "nobody waits for it";
  const xds::ResourceName shard{xds::Type::route, "192.0.2.1:80#shop/web~07"};
  const auto few = serve(least_sharded - 1, {shard.name, "192.0.2.1:80#shop/other~07"});
  ASSERT_TRUE(few.resources.contains(shard));
  EXPECT_TRUE(few.resources.at(shard).is_left_over);
  EXPECT_EQ(count(few, xds::Type::route), 2U);
  EXPECT_FALSE(few.resources.at(whole).is_left_over);
}

}  // namespace
}  // namespace fairway::gateway
