// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/encoder.h"

#include <gtest/gtest.h>

namespace fairway::xds {
namespace {

const ResourceName name{Type::route, "shop/web:80"};

json::Object host(const std::string& domain, int status = 200) {
  return {{"name", domain},
          {"domains", json::Array{domain}},
          {"routes", json::Array{json::Object{{"match", json::Object{{"prefix", "/"}}},
                                              {"direct_response", json::Object{{"status", status}}}}}}};
}
json::Object configuration(json::Array hosts) {
  return {
      {"name", "shop/web:80"}, {"virtual_hosts", std::move(hosts)}, {"ignore_port_in_host_matching", true}};
}

class EncoderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = EnvoyApi::embedded();
    if (!loaded) GTEST_SKIP() << loaded.error().message;
    api = *std::move(loaded);
    encoder = std::make_unique<Encoder>(api);
  }
  /// Returns a resource whose virtual hosts are apart; equal ones are the same object each time.
  Resource apart(json::Object configuration) {
    std::vector<VirtualHost> parts;
    for (const json::Value& one : configuration.at("virtual_hosts").get_array()) {
      VirtualHost& part = parts_[json::to_text(one)];
      if (!part) part = std::make_shared<const json::Object>(one.get_object());
      parts.push_back(part);
    }
    configuration.erase("virtual_hosts");
    return Resource(std::move(configuration), std::move(parts));
  }
  /// Returns a resource that was encoded in parts and decoded again.
  json::Value back(const json::Object& configuration) {
    const Resource resource = apart(configuration);
    encoder->version_of(name, resource);
    const auto bytes = encoder->encode(name, resource);
    if (!bytes) return json::Value(bytes.error().message);
    encoder->forget_others();
    return api->decode(message_of(Type::route), *bytes).value_or(json::Value());
  }
  /// Returns a resource that was encoded as a whole and decoded again.
  json::Value whole(const json::Object& resource) {
    return api->decode(message_of(Type::route), api->encode(message_of(Type::route), resource).value())
        .value_or(json::Value());
  }

  std::shared_ptr<const EnvoyApi> api;
  std::unique_ptr<Encoder> encoder;

 private:
  std::map<std::string, VirtualHost> parts_;
};

TEST_F(EncoderTest, RoutesTakenApartAreTheSameMessage) {
  json::Array hosts;
  // Of lengths that take one byte and two.
  for (int i = 1; i < 200; i += 3)
    hosts.emplace_back(host(std::string(static_cast<std::size_t>(i), 'a') + ".b"));
  const json::Object resource = configuration(hosts);
  EXPECT_EQ(back(resource), whole(resource));
  EXPECT_EQ(back(configuration({})), whole(configuration({})));
}

TEST_F(EncoderTest, WhatIsKeptIsWhatIsAskedFor) {
  const json::Object first = configuration({host("a"), host("b"), host("c")});
  const json::Object second = configuration({host("c"), host("b", 404), host("a"), host("a")});
  for (const json::Object* one : {&first, &second, &second, &first}) EXPECT_EQ(back(*one), whole(*one));
}

TEST_F(EncoderTest, AVersionIsThatOfTheContent) {
  const auto version = [&](const json::Object& resource) {
    return encoder->version_of(name, apart(resource));
  };
  const std::string first = version(configuration({host("a"), host("b")}));
  EXPECT_EQ(first.size(), 32U);
  EXPECT_NE(version(configuration({host("b"), host("a")})), first);
  EXPECT_NE(version(configuration({host("a"), host("b", 404)})), first);
  EXPECT_NE(version(configuration({host("a")})), first);
  EXPECT_EQ(Encoder(api).version_of(name, apart(configuration({host("a"), host("b")}))), first);
  // And of others that say the same.
  EXPECT_EQ(encoder->version_of(name, Resource(apart(configuration({})).rest(),
                                               {std::make_shared<const json::Object>(host("a")),
                                                std::make_shared<const json::Object>(host("b"))})),
            first);
}

TEST_F(EncoderTest, AFaultInOneHostIsThatOfTheResource) {
  json::Object wrong = host("a");
  wrong["no_such_field"] = 1;
  const json::Value got = back(configuration({host("b"), wrong}));
  ASSERT_TRUE(got.is_string());
  EXPECT_NE(std::string(got.get_string()).find("no_such_field"), std::string::npos) << got.get_string();
  // And again: it has not been kept.
  EXPECT_EQ(back(configuration({host("b"), wrong})), got);
}

}  // namespace
}  // namespace fairway::xds
