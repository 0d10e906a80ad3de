// SPDX-License-Identifier: Apache-2.0

#include "xds/internal/route_parts.h"

#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "xds/envoy_api.h"
#include "xds/internal/refusal_words.h"
#include "xds/internal/secret_salt.h"

namespace fairway::xds {
namespace {

constexpr std::string_view table = "envoy.config.route.v3.RouteConfiguration";
constexpr std::string_view secret_type = "envoy.extensions.transport_sockets.tls.v3.Secret";

class RoutePartsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto loaded = EnvoyApi::embedded();
    if (!loaded) GTEST_SKIP() << loaded.error().message;
    api = *std::move(loaded);
  }
  std::string encode(std::string_view type, const std::string& text) const {
    return api->encode(type, json::parse(text).value()).value();
  }
  std::string decode(std::string_view type, const std::string& bytes) const {
    return json::to_text(api->decode(type, bytes).value());
  }

  std::shared_ptr<const EnvoyApi> api;
};

TEST_F(RoutePartsTest, AreThoseOfEnvoysMessagesAndMakeThemAgain) {
  const std::string text =
      R"({"name":"l","virtual_hosts":[{"name":"a","domains":["a","b"],"routes":[)"
      R"({"match":{"prefix":"/x"},"redirect":{"path_redirect":"/y"}},{"match":{"path":"/z"},)"
      R"("direct_response":{"status":200}}],"include_request_attempt_count":true},)"
      R"({"name":"c","domains":["c"]}],"ignore_port_in_host_matching":true})";
  const std::string bytes = encode(table, text);
  const auto parts = split_routes(bytes);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->hosts.size(), 2U);
  EXPECT_EQ(parts->hosts[0].name, "a");
  ASSERT_EQ(parts->hosts[0].routes.size(), 2U);
  EXPECT_NE(parts->hosts[0].routes[0].id, parts->hosts[0].routes[1].id);
  EXPECT_EQ(parts->hosts[0].routes[0].id, id_of_route(parts->hosts[0].routes[0].bytes));
  EXPECT_EQ(decode("envoy.config.route.v3.Route", std::string(parts->hosts[0].routes[1].bytes)),
            R"({"match":{"path":"/z"},"direct_response":{"status":200}})");
  std::string again = parts->rest;
  for (const HostPart& host : parts->hosts) {
    std::vector<std::string_view> routes;
    for (const RoutePart& one : host.routes) routes.push_back(one.bytes);
    append_host(again, host.shell, routes);
  }
  EXPECT_EQ(api->decode(table, again).value(), api->decode(table, bytes).value());
}

TEST_F(RoutePartsTest, AFailingRouteIsForTheSameRequests) {
  const std::string bytes = encode("envoy.config.route.v3.Route",
                                   R"({"match":{"prefix":"/x"},"route":{"cluster":"c"},"name":"n"})");
  EXPECT_EQ(decode("envoy.config.route.v3.Route", failing_route(bytes)),
            R"({"match":{"prefix":"/x"},"direct_response":{"status":500}})");
  EXPECT_EQ(decode("envoy.config.route.v3.Route", refused_route("(a")),
            R"({"match":{"safe_regex":{"regex":"(a"}},"direct_response":{"status":500}})");
  EXPECT_EQ(decode("envoy.config.route.v3.VirtualHost", host_shell("h")), R"({"name":"h","domains":["h"]})");
}

TEST_F(RoutePartsTest, BytesThatAreNoMessageHaveNone) {
  for (const std::string& bytes : {std::string("l@1"), std::string("\x12\x7f", 2), std::string("\x80", 1),
                                   std::string("\x12\x02\x0a\x7f", 4), std::string("\x0b", 1)})
    EXPECT_FALSE(split_routes(bytes)) << bytes;
  const std::string all(
      "\x08\x96\x01\x19"
      "12345678"
      "\x25"
      "1234"
      "\x2a\x01"
      "x",
      20);
  ASSERT_TRUE(split_routes(all));
  EXPECT_EQ(split_routes(all)->rest, all) << "fields of all kinds";
}

TEST_F(RoutePartsTest, AKeyPairWithSaltIsTheSameKeyPair) {
  const std::string text =
      R"({"name":"s","tls_certificate":{"certificate_chain":{"inline_string":"c"},"private_key":{"inline_string":"k"}}})";
  const EncodedResource secret{.version = "1", .bytes = encode(secret_type, text)};
  const auto made = salted(secret, "7");
  EXPECT_EQ(made->version, "1");
  // As one message.
  const auto message = api->make(secret_type);
  ASSERT_TRUE(message->ParseFromString(made->bytes));
  EXPECT_EQ(decode(secret_type, message->SerializeAsString()),
            R"({"name":"s","tls_certificate":{"certificate_chain":{"inline_string":"c"},"private_key":)"
            R"({"inline_string":"k"},"password":{"inline_string":"7"}}})");
  const EncodedResource authority{
      .version = "1",
      .bytes =
          encode(secret_type, R"({"name":"s","validation_context":{"trusted_ca":{"inline_string":"c"}}})")};
  EXPECT_EQ(salted(authority, "7")->bytes, authority.bytes);
}

TEST(RefusalWords, HaveNoMessageBeforeThem) {
  EXPECT_EQ(refusal_words("missing ]: [a"), "missing ]: [a");
  EXPECT_EQ(refusal_words("goo.gle/debugstr \nname: \"l\"\n: Proto constraint validation failed (x: y)"),
            "Proto constraint validation failed (x: y)");
  EXPECT_EQ(refusal_words("goo.gle/debugstr \nname: \"l\"\n...(truncated)"),
            "Proto constraint validation failed (a value is missing or out of its range; Envoy does not say "
            "which)");
}

}  // namespace
}  // namespace fairway::xds
